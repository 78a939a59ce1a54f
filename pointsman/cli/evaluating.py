"""`pointsman eval`: put models to a task's suite, and compare the result with an earlier one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.cli.measuring import Out, RunId, awaited, running, writable, write
from pointsman.cli.rendering import printable
from pointsman.errors import InvalidQuestion
from pointsman.sentences import file_fault

if TYPE_CHECKING:
    from pointsman.measuring.eval_report import EvalReport
    from pointsman.measuring.regression import Regression

Against = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="An earlier --out file: fail if this result is significantly worse."),
]

app = typer.Typer(
    help="Put models to the evaluation suite of a task.\n\n"
    "The status is 1 where one is below the suite's threshold, or significantly worse than before.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def evaluate() -> None:
    """Put models to the evaluation suite of a task."""


@app.command()
def run(
    *,
    task: Annotated[str, typer.Option(metavar="T", help="The task whose suite is asked.")],
    provider: Annotated[
        list[str] | None, typer.Option(metavar="P", help="Only this provider; may be repeated. All of the chain else.")
    ] = None,
    out: Out = None,
    against: Against = None,
    as_json: AsJson = False,
) -> int:
    """Ask every case, mark the answers, tell the catalogue, and print a table with the failing cases."""
    earlier = _earlier(against)
    if earlier is not None and earlier.task != task:
        raise InvalidQuestion(f"--against: {against} is a report of {earlier.task!r} and not of {task!r}; name another")
    writable(out)

    async def work() -> int:
        from pointsman.eval_client import EvalClient  # noqa: PLC0415 - imports the SDK, which help needs not
        from pointsman.measuring.request import EvalRequest  # noqa: PLC0415

        client = await EvalClient.connect()
        run_id = await client.start(EvalRequest(task=task, providers=tuple(provider or ())))
        report = await awaited(run_id, "eval show", client.report)
        return _print(run_id, report, earlier, out, as_json=as_json)

    return running(work)


@app.command()
def show(run_id: RunId, *, out: Out = None, against: Against = None, as_json: AsJson = False) -> int:
    """Fetch the report of a run that was started before, waiting for it if need be."""
    earlier = _earlier(against)
    writable(out)

    async def work() -> int:
        from pointsman.eval_client import EvalClient  # noqa: PLC0415 - as above

        client = await EvalClient.connect()
        report = await awaited(run_id, "eval show", client.report)
        return _print(run_id, report, earlier, out, as_json=as_json)

    return running(work)


def _earlier(path: Path | None) -> EvalReport | None:
    from pointsman.measuring.eval_report import EvalReport  # noqa: PLC0415 - as above

    if path is None:
        return None
    try:
        return EvalReport.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as fault:
        raise InvalidQuestion(f"--against: {path} {file_fault(fault)}") from fault
    except ValidationError:
        raise InvalidQuestion(
            f"--against: {path} is no report; write one with `pointsman eval run --out FILE`"
        ) from None


def _print(run_id: str, report: EvalReport, earlier: EvalReport | None, out: Path | None, *, as_json: bool) -> int:
    """Print and write what was paid for, also where it cannot be compared, which is told last."""
    from pointsman.cli.eval_table import print_regressions, print_report  # noqa: PLC0415 - only to show something

    compared, incomparable = _compared(report, earlier)
    if as_json:
        told = {"id": run_id, "passed": report.passed, **report.model_dump(mode="json")}
        if earlier is not None:
            told["regressions"] = [{**one.model_dump(mode="json"), "significant": one.significant} for one in compared]
        if incomparable is not None:
            told["not_compared"] = incomparable
        print(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        print_report(report)
        print_regressions(compared)
    write(out, report.model_dump_json(indent=2))
    if incomparable is not None:
        print(printable(incomparable), file=sys.stderr)
        return Exit.BAD_INPUT
    worse = any(one.significant for one in compared)
    return Exit.DONE if report.passed and not worse else Exit.FAILED


def _compared(report: EvalReport, earlier: EvalReport | None) -> tuple[tuple[Regression, ...], str | None]:
    """The comparisons, or a sentence why there are none."""
    from pointsman.measuring.regression import NothingToCompare, regressions  # noqa: PLC0415 - as above

    if earlier is None:
        return (), None
    try:
        return regressions(report, earlier), None
    except NothingToCompare as fault:
        return (), f"--against: {fault}"
