"""The commands of `pointsman`, and how each run of one ends."""

from __future__ import annotations

import importlib.metadata
import io
import sys
from contextlib import suppress
from typing import Annotated, TextIO

import typer

from pointsman.cli import (
    asking,
    catalogue,
    comparing,
    configuring,
    costs,
    evaluating,
    explaining,
    health,
    profiling,
    rendering,
    reviews,
    routing,
    tuning,
    upgrade,
)
from pointsman.cli.exits import Exit, status_of
from pointsman.errors import PointsmanError

app = typer.Typer(
    help="Answers from several LLM providers, never betting on one.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _command in (
    asking.ask,
    asking.status,
    asking.answer,
    asking.cancel,
    routing.route,
    tuning.tune,
    configuring.check,
):
    app.command()(_command)
app.command()(explaining.explain)
app.command()(costs.costs)
# An answer such as -5 is no option.
app.command(context_settings={"ignore_unknown_options": True})(comparing.compare)
app.add_typer(reviews.app, name="reviews")
app.add_typer(health.app, name="health")
app.add_typer(profiling.app, name="profile")
app.add_typer(evaluating.app, name="eval")
app.add_typer(upgrade.app, name="upgrade")
app.add_typer(catalogue.app, name="catalogue")


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer's callback
    if wanted:
        print(f"pointsman {importlib.metadata.version('pointsman')}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Options that stand before a command."""


def run(arguments: list[str]) -> int:
    """Run one command and return its status; every error is a sentence on standard error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # An answer that was paid for is printed, also where the terminal lacks some of its letters.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        result = app(arguments, standalone_mode=False)
    except typer.Exit as ended:
        return ended.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader of a pipe has gone; the second is how `rich` says so.
        return Exit.FAILED
    except Exception as fault:  # noqa: BLE001 - the last resort before a traceback
        return _told(fault, as_json="--json" in arguments)
    return result if isinstance(result, int) else Exit.DONE


def _told(fault: Exception, *, as_json: bool) -> int:
    """Say what went wrong: a sentence on standard error and, where JSON is wanted, one object on standard output."""
    usage = getattr(fault, "format_message", None)
    if isinstance(fault, PointsmanError):
        kind, sentence, status = type(fault).__name__, str(fault), status_of(fault)
    elif callable(usage):
        # Without any argument the message is the whole help.
        text = str(usage()).replace(": Value error, ", ": ")  # the libraries' own words
        sentence = text if text.startswith("Usage:") else f"{text.rstrip('.')}. See `pointsman --help`."
        kind, status = "Usage", Exit.BAD_INPUT
    elif isinstance(fault, OSError) and fault.filename is None:
        kind, sentence, status = "Output", f"the output cannot be written ({fault.strerror})", Exit.FAILED
    else:
        kind, status = type(fault).__name__, Exit.FAILED
        sentence = f"pointsman met an unexpected error: {kind}: {fault}"
    if as_json:
        _print_if_possible(rendering.error_json(kind, sentence, getattr(fault, "question_id", None)), sys.stdout)
    _print_if_possible(rendering.printable(sentence), sys.stderr)
    return status


def _print_if_possible(text: str, stream: TextIO) -> None:
    # A full disk or a reader that has gone takes nothing from the status, and there is nobody to tell.
    with suppress(OSError):
        print(text, file=stream, flush=True)
