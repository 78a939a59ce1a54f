"""How the classifier is counted: the figures are only as good as this."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.table import Table

from benchmarks import classification, routing
from benchmarks.classification import Labelled, accuracy, macro_f1, read, score
from benchmarks.classification_tables import by_type, confusion, most_usual
from benchmarks.figures import Figure
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
    rows = [{"text": "Write a function that sorts names", "label": "code_task", "source": "here"}] * 3
    (tmp_path / "classify_dev.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    figures, tables, remarks = classification.measure(tmp_path)
    accuracy = next(figure for figure in figures if figure.key == "classify_accuracy")
    assert accuracy.value == 1.0
    assert {other.key: other.value for other in accuracy.beside} == {
        "classify_rules_accuracy": 1.0,
        "classify_constant_accuracy": 1.0,
    }
    assert [table.title for table in tables[:3]] == [
        "What kind of question?",
        "By type, classify_dev.jsonl",
        "What is taken for what",
    ]
    assert "  here" in list(tables[0].columns[0].cells)
    assert (len(tables), remarks) == (4, [])


def test_each_type_has_its_precision_and_recall_and_what_it_is_taken_for() -> None:
    pairs = [(CODE, CODE), (CODE, FACT), (FACT, FACT), (FACT, FACT)]
    rows = {
        cells[0]: cells[1:] for cells in zip(*(column.cells for column in by_type("set", pairs).columns), strict=True)
    }
    assert rows[FACT] == ("2", "0.667", "1.000", "0.800")
    assert rows[CODE] == ("2", "1.000", "0.500", "0.667")
    taken = {cells[0]: cells[1:] for cells in zip(*(one.cells for one in confusion("set", pairs).columns), strict=True)}
    assert taken[CODE] == ("1", "0", "0", "1", "0")


def test_a_constant_says_what_most_questions_are() -> None:
    assert most_usual([(CODE, FACT), (CODE, FACT), (FACT, FACT)]) == CODE


def test_every_part_of_routing_is_measured_in_one_run_and_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def good(folder: Path | None) -> tuple[list[Figure], list[Table], list[str]]:
        assert folder == tmp_path
        return [Figure("good_share", "a share", 0.25, at_least=0.2)], [], ["measured"]

    def bad(_folder: Path | None) -> tuple[list[Figure], list[Table], list[str]]:
        return [Figure("bad_ms", "a time", 3.0, "ms", at_most=2)], [], []

    monkeypatch.setattr(routing, "PARTS", (good, bad))
    monkeypatch.setattr(routing, "RESULT", tmp_path / "build" / "bench-routing.json")
    monkeypatch.setattr("sys.argv", ["benchmarks.routing", "--data", str(tmp_path)])
    routing.main()
    written = json.loads((tmp_path / "build" / "bench-routing.json").read_text(encoding="utf-8"))
    assert (written["good_share"], written["bad_ms"]) == (0.25, 3.0)
    assert "Does not hold: a time." in capsys.readouterr().out
