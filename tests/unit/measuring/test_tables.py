"""What a person sees of evaluations and profiles, piped into a file."""

from __future__ import annotations

import pytest

from pointsman.catalogue.profile import Profile, TypeFigures
from pointsman.cli import eval_table, profile_table
from pointsman.cli.profiling import interval
from pointsman.measuring.eval_report import EvalReport, model_report
from pointsman.measuring.profile_report import ProfileReport
from pointsman.measuring.progress import RunProgress, SittingProgress
from pointsman.measuring.regression import regressions
from pointsman.query_types import QueryType
from tests.builders import NOON
from tests.unit.measuring.results import plan, result, sitting_result


def _report(*results: tuple[str, str]) -> EvalReport:
    told = [result(name, "passed" if why == "" else "failed", reasons=(why,) if why else ()) for name, why in results]
    return EvalReport(
        task="sums",
        description="sums of two",
        suite="0123456789abcdef",
        threshold=0.9,
        evaluated_at=NOON,
        models=(model_report(sitting_result(*told), plan()),),
        unrecorded=("alpha",),
    )


def test_a_row_a_model_and_a_line_a_failing_case(capsys: pytest.CaptureFixture[str]) -> None:
    eval_table.print_report(_report(("a", ""), ("b", "number: it comes to 1, expected 2"), ("c", "")))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "sums: sums of two. Suite 0123456789ab, 90 % needed, 2026-11-30 12:00 UTC"
    assert lines[2].split() == [
        *("provider", "model", "passed", "score", "95", "%", "errors", "p50", "p95", "cost", "verdict"),
    ]
    assert " ".join(lines[3].split()) == "alpha m 2/3 67 % 21 % to 94 % 0 10 ms 10 ms $0.003000 failed"
    assert lines[4] == "alpha  b  failed: number: it comes to 1, expected 2"
    assert lines[5] == "the catalogue could not be told of alpha: it is not running"


def test_what_a_model_wrote_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    eval_table.print_report(_report(("a", "exact: it is \x1b[2J[bold]")))
    assert "exact: it is \\x1b[2J[bold]" in capsys.readouterr().out


def test_lost_and_won_cases_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    before, now = _report(("a", ""), ("b", "x: y")), _report(("a", "x: y"), ("b", ""))
    eval_table.print_regressions(regressions(now, before))
    assert capsys.readouterr().out.split("\n") == [
        "",
        "alpha against the earlier alpha: not significantly worse (1 lost, 1 won of 2 cases, chance 0.750)",
        "  lost  a",
        "  won   b",
        "",
    ]


def test_a_row_for_each_type_of_question(capsys: pytest.CaptureFixture[str]) -> None:
    figures = TypeFigures(samples=12, answered=2, passed=1, p50_ms=10, p95_ms=20, mean_input_tokens=5, cost_usd=0.1)
    profile = Profile(
        provider="alpha",
        model="openai/m",
        measured_at=NOON,
        benchmark="0123456789abcdef",
        figures={QueryType.CODE_TASK: figures},
    )
    lost = result("c-1", "error", query_type=QueryType.CODE_TASK, reasons=("no answer: down (http_503)",))
    report = ProfileReport(
        benchmark="0123456789abcdef",
        measured_at=NOON,
        profiles=(profile,),
        failing={profile.key: (lost,)},
    )
    profile_table.print_report(report)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[3] == "alpha openai/m code_task 2/12 1 9 % to 91 % 10 ms 20 ms 5 in, - out $0.100000"
    assert lines[4:6] == [
        "alpha/openai/m has answered fewer than 3 questions of code_task",
        "c-1 no answer: down (http_503)",
    ]


def test_progress_is_kept_by_model() -> None:
    begun = RunProgress(
        sittings=(
            SittingProgress(provider="alpha", model="m", of=4),
            SittingProgress(provider="alpha", model="n", of=4),
        )
    )
    further = begun.advanced(SittingProgress(provider="alpha", model="n", done=2, of=4))
    assert (further.done, further.of) == (2, 8)
    assert [one.done for one in further.sittings] == [0, 2]


@pytest.mark.parametrize(("text", "days"), [("30d", 30), ("2w", 14), ("12h", 0.5), ("90 m", 0.0625)])
def test_a_time_has_a_unit(text: str, days: float) -> None:
    assert interval(text).total_seconds() == days * 86400


@pytest.mark.parametrize("text", ["30", "d", "often", "0d", "1m", "999d", "-3d"])
def test_other_times_are_refused(text: str) -> None:
    with pytest.raises(Exception, match="give "):
        interval(text)
