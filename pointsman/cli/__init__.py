"""The console command `pointsman`."""

from __future__ import annotations

import io
import sys
from typing import NoReturn

import typer

from pointsman.cli import asking, configuring, health, routing
from pointsman.cli.exits import Exit, status_of
from pointsman.errors import PointsmanError
from pointsman.leaving import leave
from pointsman.sentences import ConfigurationError

app = typer.Typer(
    help="Answers from several LLM providers, never betting on one.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _command in (asking.ask, asking.status, asking.answer, asking.cancel, routing.route, configuring.check):
    app.command()(_command)
app.add_typer(health.app, name="health")


def main() -> NoReturn:
    """Run one command and leave with its status; every error is a sentence on standard error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # An answer that was paid for is printed, also where the terminal lacks some of its letters.
        sys.stdout.reconfigure(errors="backslashreplace")
    leave(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    try:
        result = app(arguments, standalone_mode=False)
        return result if isinstance(result, int) else Exit.DONE
    except typer.Exit as ended:
        return ended.exit_code
    except (PointsmanError, ConfigurationError) as fault:
        print(fault, file=sys.stderr)
        return status_of(fault)
    except typer.Abort:
        return Exit.INTERRUPTED
    except Exception as fault:  # noqa: BLE001 - the last resort before a traceback
        return _usage_or_bug(fault)


def _usage_or_bug(fault: Exception) -> int:
    message = getattr(fault, "format_message", None)
    if callable(message):
        text = str(message())
        # Without any argument the message is the whole help.
        print(text if text.startswith("Usage:") else f"{text.rstrip('.')}. See `pointsman --help`.", file=sys.stderr)
        return Exit.BAD_INPUT
    print(f"pointsman met an unexpected error: {type(fault).__name__}: {fault}", file=sys.stderr)
    return Exit.FAILED
