"""How the classifier is counted: the figures are only as good as this."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import classification
from benchmarks.classification import Labelled, accuracy, macro_f1, read, score
from benchmarks.reliability import Told, bins, expected_calibration_error
from pointsman.query_types import QueryType

CODE, FACT = QueryType.CODE_TASK, QueryType.SIMPLE_FACTUAL


def test_macro_f1_is_the_mean_over_the_types_that_occur() -> None:
    pairs = [(CODE, CODE), (CODE, FACT), (FACT, FACT), (FACT, FACT)]
    assert accuracy(pairs) == 0.75
    assert macro_f1(pairs) == pytest.approx((2 / 3 + 4 / 5) / 2)


def test_a_type_that_is_never_found_counts_as_zero() -> None:
    assert macro_f1([(CODE, FACT), (FACT, FACT)]) == pytest.approx((0 + 2 / 3) / 2)


def test_the_interval_holds_the_figure_and_is_the_same_again() -> None:
    pairs = [(CODE, CODE)] * 30 + [(FACT, CODE)] * 10
    first, again = score("set", "model", pairs), score("set", "model", pairs)
    assert first == again
    assert first.accuracy_interval[0] < first.accuracy < first.accuracy_interval[1]


def test_bins_are_of_equal_mass_in_the_order_of_confidence() -> None:
    told = [Told(number / 100, right=False) for number in range(100, 0, -1)]
    found = bins(told)
    assert [one.count for one in found] == [6, 7, 7] * 5
    assert [one.confidence for one in found] == sorted(one.confidence for one in found)


def test_the_calibration_error_is_the_distance_of_confidence_from_what_is_right() -> None:
    told = [Told(0.8, right=number % 5 != 0) for number in range(75)]
    assert expected_calibration_error(told) == pytest.approx(0.0, abs=1e-9)
    assert expected_calibration_error([Told(0.9, right=False)] * 30) == pytest.approx(0.9)


def test_fewer_questions_than_bins_are_a_bin_each() -> None:
    assert [one.count for one in bins([Told(0.5, right=True), Told(0.6, right=False)])] == [1, 1]


def test_rows_are_read_with_the_part_they_belong_to(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"text": "ls -l?", "label": "code_task", "language": "en"}) + "\n", encoding="utf-8")
    assert read(path, part="language") == [Labelled("ls -l?", CODE, "en")]


def test_without_data_the_remark_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classification, "_speed", list)
    figures, _, remarks = classification.measure(None)
    assert [figure.key for figure in figures] == ["classify_lowest_language"]
    assert remarks == [
        "Classification: not measured on outside data (DATA=dir names a folder that holds classify_dev.jsonl)."
    ]


def test_with_data_both_classifiers_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classification, "_speed", list)
    rows = [{"text": "Write a function that sorts names", "label": "code_task"}] * 3
    (tmp_path / "classify_dev.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    figures, tables, remarks = classification.measure(tmp_path)
    found = {figure.key: figure.value for figure in figures}
    assert (found["classify_accuracy"], found["classify_rules_accuracy"]) == (1.0, 1.0)
    assert (len(tables), remarks) == (2, [])
