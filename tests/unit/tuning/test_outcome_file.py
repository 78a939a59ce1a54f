"""What a file of outcomes may hold, and the sentence for everything else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pointsman.errors import InvalidOutcomes
from pointsman.measuring.eval_report import EvalReport, ModelReport
from pointsman.measuring.sitting import CaseResult
from pointsman.query_types import QueryType
from pointsman.tuning.outcome_file import read
from pointsman.tuning.outcomes import Outcome
from tests.known_outcomes import analysis, outcomes, row, written


def refused(path: Path, *, allow_gaps: bool = False) -> str:
    with pytest.raises(InvalidOutcomes) as caught:
        read(path, allow_gaps=allow_gaps, kind=analysis)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_json_lines_and_csv_hold_the_same(tmp_path: Path) -> None:
    found = [row("q1", "a", latency_ms=12.5, query_type="code_task"), row("q1", "b", score=0.25)]
    table = tmp_path / "outcomes.csv"
    table.write_text(
        "question,provider,score,cost_usd,latency_ms,query_type\nq1,a,1.0,0.0002,12.5,code_task\nq1,b,0.25,0.0002,,\n",
        encoding="utf-8",
    )
    assert read(table, allow_gaps=False, kind=analysis) == read(
        written(tmp_path / "outcomes.jsonl", found), allow_gaps=False, kind=analysis
    )


def test_cost_and_latency_may_go_without_their_units(tmp_path: Path) -> None:
    plain = {"question": "q", "score": 1, "cost": 0.5, "latency": 3}
    found = outcomes(tmp_path, [{**plain, "provider": "a"}, {**plain, "provider": "b"}])
    assert found.asked[0].outcomes == (Outcome(1.0, 0.5, 3.0), Outcome(1.0, 0.5, 3.0))
    assert found.timed


def test_a_question_with_words_is_its_own_text_and_an_id_is_none(tmp_path: Path) -> None:
    names = ("Why is the sky blue?", "q17")
    found = outcomes(tmp_path, [row(name, provider) for name in names for provider in ("a", "b")])
    assert [one.text for one in found.asked] == ["Why is the sky blue?", ""]


def test_what_is_not_read_is_told(tmp_path: Path) -> None:
    found = outcomes(tmp_path, [row("q", "a", latncy_ms=1), row("q", "b")])
    assert "fields that are not read: latncy_ms" in found.notes


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"score": 1.5}, "score: input should be less than or equal to 1"),
        ({"score": -0.1}, "score: "),
        ({"score": float("nan")}, "score: "),
        ({"score": None}, "score: "),
        ({"cost_usd": -1}, "cost_usd: "),
        ({"cost_usd": float("inf")}, "cost_usd: "),
        ({"cost_usd": "much"}, "cost_usd: "),
        ({"cost_usd": 10**400}, "cost_usd: "),
        ({"score": True, "cost_usd": "1e400"}, "cost_usd: "),
        ({"latency_ms": -5}, "latency_ms: "),
        ({"provider": ""}, "provider: "),
        ({"provider": "a\n[scoring]"}, "provider: "),
        ({"question": ""}, "question: "),
        ({"question": ["q"]}, "question: "),
        ({"query_type": "poem"}, "query_type: "),
        ({"prompt": "\ud800"}, "prompt: not valid Unicode"),
    ],
)
def test_a_bad_field_is_told_with_its_line(changes: dict[str, Any], wanted: str, tmp_path: Path) -> None:
    path = written(tmp_path / "o.jsonl", [row("q1", "b"), row(**changes)])
    assert f"line 2: {wanted}" in refused(path)


@pytest.mark.parametrize("field", ["question", "provider", "score", "cost_usd"])
def test_a_missing_field_is_told(field: str, tmp_path: Path) -> None:
    lacking = {name: value for name, value in row().items() if name != field}
    assert f"line 2: {field}: missing" in refused(written(tmp_path / "o.jsonl", [row("q1", "b"), lacking]))


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"", "it is empty"),
        (b"\n\n", "it is empty"),
        (b'{"question": "q", "provider": "a", "score": 1, "cost_usd": 0}\n\xff\xfe\n', "line 2: not UTF-8"),
        (b"not json\n", "line 1: not JSON"),
        (b"[1]\n", "line 1: expected an object"),
        (b'{"text": "what?"}\n', "line 1: provider: no known form"),
        (b"[" * 100_000 + b"\n", "line 1: not JSON"),
    ],
)
def test_what_is_no_outcome_is_refused(content: bytes, wanted: str, tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    path.write_bytes(content)
    assert wanted in refused(path)


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "none.jsonl")
    assert "cannot be read" in refused(tmp_path)


def test_a_row_of_csv_with_too_many_cells_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_text("question,provider,score,cost_usd\nq,a,1,1,9\n", encoding="utf-8")
    assert "line 2: more cells" in refused(path)


def test_an_answer_that_is_there_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "o.jsonl", [row("q", "a"), row("q", "b"), row("q", "a")])
    assert "line 3: question: 'q' was answered by 'a' on line 1 already" in refused(path)


def test_one_provider_alone_is_nothing_to_compare(tmp_path: Path) -> None:
    path = written(tmp_path / "o.jsonl", [row("q1"), row("q2")])
    assert "line 1: provider: all rows are of 'cheap'" in refused(path, allow_gaps=True)


def test_a_question_that_one_provider_alone_answered_is_refused_unless_gaps_are_allowed(tmp_path: Path) -> None:
    path = written(tmp_path / "o.jsonl", [row("q1", "a"), row("q1", "b"), row("q2", "a")])
    assert "line 3: provider: question 'q2' has rows of 'a' and none of 'b'" in refused(path)
    assert not read(path, allow_gaps=True, kind=analysis).complete


MODELS = {"small": [0.1, 0.1], "large": [5.0, 15.0]}


def _table(folder: Path, entries: list[Any], described: dict[str, Any] | None = None) -> Path:
    known = {"order_of_m": list(MODELS), "usd_per_million_in_out": MODELS} if described is None else described
    (folder / "META.json").write_text(json.dumps({"table.jsonl": known}), encoding="utf-8")
    return written(folder / "table.jsonl", [{"task": "crux", "id": 7, "prompt": "f(1)", "gold": "2", "m": entries}])


def test_a_table_of_models_is_read_with_its_prices(tmp_path: Path) -> None:
    found = read(_table(tmp_path, [[0, 40, "1"], [1, 80, "2"]]), allow_gaps=False, kind=analysis)
    assert (found.providers, found.asked[0].query_type) == (("small", "large"), QueryType.CODE_TASK)
    assert found.asked[0].outcomes[1] == Outcome(1.0, (4 * 5 + 80 * 15) / 4 / 1e6, None, 20.0)
    assert found.prices["large"].output == 15.0


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ("question;provider;score;cost_usd", "line 1: the cells are not parted by commas"),
        ("question\tprovider\tscore\tcost_usd", "line 1: the cells are not parted by commas"),
        ("question,provider,score,score,cost_usd", "line 1: 'score': two columns have this name"),
        ("Question,provider,score,cost_usd", "line 1: 'Question': write this name as 'question'"),
        ("question,provider ,score,cost_usd", "line 1: 'provider ': write this name as 'provider'"),
    ],
)
def test_a_table_whose_first_line_is_not_as_it_should_be_is_told_why(names: str, wanted: str, tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_text(f"{names}\nq,a,1,1\n", encoding="utf-8")
    assert wanted in refused(path)


def test_spaces_after_the_commas_of_a_table_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_text("question, provider, score, cost_usd\nq, a, 1, 0.2\nq, b, 0, 0.1\n", encoding="utf-8")
    assert read(path, allow_gaps=False, kind=analysis).providers == ("a", "b")


def test_a_table_of_models_without_their_description_is_refused(tmp_path: Path) -> None:
    path = _table(tmp_path, [[0, 40, "1"], [1, 80, "2"]])
    (tmp_path / "META.json").unlink()
    assert "META.json" in refused(path)


@pytest.mark.parametrize(
    ("entries", "described", "wanted"),
    [
        ([[0, 40, "1"]], None, "line 1: m: 1 outcomes for 2 models"),
        ([[2, 40, "1"], [1, 80, "2"]], None, "line 1: m"),
        ([[0, 40, "1"], [1, 80, "2"]], {}, "order_of_m: missing"),
        (
            [[0, 40, "1"], [1, 80, "2"]],
            {"order_of_m": ["a", "b"], "usd_per_million_in_out": {"a": [1, 2]}},
            "usd_per_million_in_out: 'b' is missing",
        ),
    ],
)
def test_a_table_that_does_not_fit_is_refused(
    entries: list[Any], described: dict[str, Any] | None, wanted: str, tmp_path: Path
) -> None:
    assert wanted in refused(_table(tmp_path, entries, described))


def test_a_weak_and_a_strong_model_are_read_at_published_prices(tmp_path: Path) -> None:
    lines = [{"id": "x", "prompt": "a" * 40, "weak": 0, "strong": 1, "weak_chars": 40, "strong_chars": 80}]
    found = read(written(tmp_path / "o.jsonl", lines), allow_gaps=False, kind=analysis)
    weak, strong = found.asked[0].outcomes
    assert weak is not None
    assert strong is not None
    assert (weak.score, strong.score) == (0.0, 1.0)
    assert strong.cost_usd == pytest.approx((10 + 20) * 24.7 / 1e6)
    assert "no costs are in the file" in found.notes[0]


def _report() -> EvalReport:
    def result(name: str, outcome: Any, usd: float | None = 0.01) -> CaseResult:
        return CaseResult(id=name, query_type=QueryType.CODE_TASK, outcome=outcome, cost_usd=usd, latency_ms=100)

    models = tuple(
        ModelReport(
            provider=name,
            model=f"openai/{name}",
            cases=3,
            passed=1,
            errors=1,
            low=0.0,
            high=1.0,
            verdict="passed",
            results=(result("c1", "passed"), result("c2", "failed"), result("c3", "error", None)),
        )
        for name in ("a", "b")
    )
    return EvalReport(task="t", suite="s", threshold=0.5, evaluated_at=datetime.now(UTC), models=models)


def test_the_report_of_an_evaluation_is_read_without_the_cases_that_could_not_be_marked(tmp_path: Path) -> None:
    path = tmp_path / "now.json"
    path.write_text(_report().model_dump_json(indent=2), encoding="utf-8")
    found = read(path, allow_gaps=False, kind=analysis)
    assert [one.question for one in found.asked] == ["c1", "c2"]
    assert found.asked[0].outcomes[0] == Outcome(1.0, 0.01, 100.0)
    assert found.asked[0].query_type == QueryType.CODE_TASK


def test_other_json_documents_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "now.json"
    path.write_text("{}", encoding="utf-8")
    assert "pointsman eval run" in refused(path)
