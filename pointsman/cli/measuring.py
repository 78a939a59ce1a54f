"""What the commands share that start a run which measures: they wait for it, tell how far it is, and may leave it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from pointsman.cli.exits import Exit
from pointsman.cli.rendering import printable
from pointsman.errors import NoServer, NoWorker

if TYPE_CHECKING:
    from pointsman.measuring.progress import RunProgress
    from pointsman.measuring_runs import Tell

Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report there as JSON, too.")]
RunId = Annotated[str, typer.Argument(metavar="ID", help="The run's id.")]

_Report = TypeVar("_Report")


async def awaited(run_id: str, command: str, report: Callable[[str, Tell], Awaitable[_Report]]) -> _Report:
    """The report of a run, whose progress is told on standard error; `command` fetches it later."""
    later = f"The run goes on as {run_id}: fetch it with `pointsman {command} {run_id}`"
    print(printable(f"run {run_id}"), file=sys.stderr, flush=True)
    try:
        return await report(run_id, _tell)
    except (NoWorker, NoServer) as fault:
        raise type(fault)(f"{fault}. {later}") from fault
    except asyncio.CancelledError:
        # Ctrl-C: the run is durable, so only this process ends.
        print(f"\n{printable(later)}", file=sys.stderr)
        raise


def write(path: Path | None, text: str) -> None:
    """Write a report to the file that was asked for.

    Raises:
        BadParameter: it cannot be written; the report is printed before.
    """
    if path is None:
        return
    try:
        path.write_text(f"{text}\n", encoding="utf-8")
    except OSError as fault:
        raise typer.BadParameter(f"--out: {path} cannot be written ({fault.strerror})") from fault


def writable(path: Path | None) -> None:
    """Refuse a file that cannot be written before anything is paid for.

    Raises:
        BadParameter: its folder is not there, or it is one.
    """
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise typer.BadParameter(f"--out: {path} cannot be written; name a file in a folder that is there")


def running(work: Callable[[], Awaitable[int]]) -> int:
    """Do the work; Ctrl-C leaves it with the status of an interruption."""

    async def working() -> int:
        return await work()

    try:
        return asyncio.run(working())
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _tell(progress: RunProgress) -> None:
    print(printable(progress.in_words()), file=sys.stderr, flush=True)
