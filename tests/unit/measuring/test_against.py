"""`pointsman eval run --against FILE`: the file is looked at first, and the run's report is never lost to it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pointsman.cli.command import run
from pointsman.cli.exits import Exit
from pointsman.eval_client import EvalClient
from pointsman.measuring.eval_report import EvalReport, model_report
from pointsman.measuring.request import EvalRequest
from pointsman.measuring_runs import Tell
from tests.unit.measuring.results import plan, result, sitting_result

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
RUN = ("eval", "run", "--task", "sums")


class Evaluated(EvalClient):
    """A client whose runs have all come to one report; keeps what was started."""

    started: list[str]

    def __init__(self) -> None:
        self.started = []

    async def start(self, request: EvalRequest) -> str:
        self.started.append(request.task)
        return "eval-1"

    async def report(self, run_id: str, tell: Tell | None = None) -> EvalReport:  # noqa: ARG002 - as the client's
        return _report("s-1")


def _report(case: str, task: str = "sums") -> EvalReport:
    model = model_report(sitting_result(result(case)), plan())
    return EvalReport(task=task, suite="d", threshold=0.9, evaluated_at=NOON, models=(model,))


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Evaluated:
    evaluated = Evaluated()

    async def connect(*_: str | None) -> Evaluated:
        return evaluated

    monkeypatch.setattr(EvalClient, "connect", connect)
    return evaluated


def _file(folder: Path, text: str) -> str:
    path = folder / "earlier.json"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "is no report; write one with `pointsman eval run --out FILE`"),
        ("no JSON", "is no report; write one with `pointsman eval run --out FILE`"),
        (
            _report("s-1", "differences").model_dump_json(),
            "is a report of 'differences' and not of 'sums'; name another",
        ),
    ],
)
def test_a_file_that_is_no_report_of_the_task_starts_no_run(
    client: Evaluated, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    path = _file(tmp_path, text)
    assert run([*RUN, "--against", path]) == Exit.BAD_INPUT
    assert capsys.readouterr().err == f"--against: {path} {told}\n"
    assert client.started == []


def test_a_report_that_cannot_be_compared_is_printed_and_written_first(
    client: Evaluated, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    earlier = _file(tmp_path, _report("another").model_dump_json())
    assert run([*RUN, "--against", earlier, "--out", str(out)]) == Exit.BAD_INPUT
    told = capsys.readouterr()
    assert "1/1" in told.out
    assert told.err.splitlines()[-1] == "--against: alpha has no case in common with it"
    assert EvalReport.model_validate_json(out.read_text(encoding="utf-8")) == _report("s-1")
    assert client.started == ["sums"]


def test_json_tells_of_a_comparison_that_was_not_possible_in_the_one_object(
    client: Evaluated, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = _file(tmp_path, _report("another").model_dump_json())
    assert run([*RUN, "--against", earlier, "--json"]) == Exit.BAD_INPUT
    told = json.loads(capsys.readouterr().out)
    assert (told["regressions"], told["not_compared"]) == ([], "--against: alpha has no case in common with it")
    assert client.started == ["sums"]


def test_a_report_of_the_same_cases_is_compared(
    client: Evaluated, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = _file(tmp_path, _report("s-1").model_dump_json())
    assert run([*RUN, "--against", earlier]) == Exit.DONE
    assert "not significantly worse (0 lost, 0 won of 1 cases" in capsys.readouterr().out
    assert client.started == ["sums"]
