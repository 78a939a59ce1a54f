"""The commands of `python -m workers`, and how each run of one ends."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Callable
from typing import NoReturn

from temporalio.service import RPCError

from pointsman.cli.exits import Exit, status_of
from pointsman.connection import connect
from pointsman.entering import entering
from pointsman.errors import PointsmanError
from pointsman.search_attributes import MissingSearchAttributes
from pointsman.server_faults import server_fault
from workers.codec_server import CodecServerOptions, add_options, serve_codec
from workers.log_lines import InOneLine
from workers.service import say, serve, stop_on_signals
from workers.settings import Settings
from workers.telemetry.sdk_metrics import sdk_buffer
from workers.wiring import CACHED_WORKFLOWS

_CODEC_SERVER = "codec-server"
_DIGITS = 9
_SHOWN = 40


def run(words: list[str]) -> int:
    """Run one command and return its status; every error is a sentence on standard error."""
    arguments = _arguments(words)
    logging.basicConfig(level=arguments.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    in_one_line = InOneLine()
    for handler in logging.getLogger().handlers:
        handler.addFilter(in_one_line)
    try:
        if arguments.command in {None, _CODEC_SERVER}:
            asyncio.run(_serve_codec(arguments) if arguments.command else _serve(arguments.max_cached_workflows))
            return Exit.DONE
        # The embedded stack needs packages that a production worker does not have.
        with entering():
            from workers.embedded import session  # noqa: PLC0415
        rehearsal = session.Rehearsal(arguments.degrade_after, arguments.fail_after)
        return asyncio.run(session.dev(rehearsal) if arguments.command == "dev" else session.demo(rehearsal))
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except PointsmanError as fault:
        print(fault, file=sys.stderr)
        return status_of(fault)
    except MissingSearchAttributes as fault:
        print(fault, file=sys.stderr)
        return Exit.NOT_REACHED
    except RPCError as fault:
        print(server_fault(fault), file=sys.stderr)
        return Exit.NOT_REACHED


class _Parser(argparse.ArgumentParser):
    """Says in one sentence what is wrong."""

    def error(self, message: str) -> NoReturn:
        """Say it and leave."""
        self.exit(Exit.BAD_INPUT, f"{message}. See `python -m workers --help`.\n")


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = _Parser(prog="python -m workers", description="Run Pointsman's workers.")
    parser.add_argument("--log-level", default="INFO", choices=["DEBUG", "INFO", "WARNING", "ERROR"])
    parser.add_argument(
        "--max-cached-workflows",
        type=_number_of("workflows"),
        default=CACHED_WORKFLOWS,
        metavar="N",
        help=f"questions that are kept in memory between two steps, others are read again; {CACHED_WORKFLOWS}",
    )
    calls = _number_of("calls")
    commands = parser.add_subparsers(dest="command")
    for name, text in (("dev", "run the embedded stack until Ctrl-C"), ("demo", "ask the demo questions and end")):
        command = commands.add_parser(name, help=text)
        command.add_argument(
            "--degrade-after", type=calls, metavar="N", help="rehearsal: a simulated provider degrades"
        )
        command.add_argument("--fail-after", type=calls, metavar="N", help="rehearsal: a simulated provider fails")
    add_options(commands.add_parser(_CODEC_SERVER, help="decrypt payloads for Temporal's UI until Ctrl-C"))
    return parser.parse_args(words)


def _number_of(what: str) -> Callable[[str], int]:
    """Reads a count from the command line."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
            raise argparse.ArgumentTypeError(f"{text[:_SHOWN]!r} is no number of {what}; give 0 or more")
        return int(text)

    return read


async def _serve_codec(arguments: argparse.Namespace) -> None:
    await serve_codec(CodecServerOptions.of(arguments), stop_on_signals(), say)


async def _serve(max_cached_workflows: int) -> None:
    settings = Settings.from_environment()
    stop = stop_on_signals()
    sdk_metrics = sdk_buffer(settings.configuration.telemetry)
    client = await connect()
    await serve(
        client,
        settings,
        stop,
        ready=lambda: say("Pointsman takes questions."),
        max_cached_workflows=max_cached_workflows,
        sdk_metrics=sdk_metrics,
    )
