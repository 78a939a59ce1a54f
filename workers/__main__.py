"""`python -m workers`: serve questions, or run the embedded stack for development.

python -m workers                workers against TEMPORAL_ADDRESS, with the configuration in POINTSMAN_CONFIG
python -m workers dev            Temporal server with UI, workers and demo providers in one process
python -m workers demo           the same, ask the demo questions, end
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from typing import NoReturn

from temporalio.service import RPCError

from pointsman.connection import connect
from pointsman.errors import NoServer
from pointsman.leaving import leave
from pointsman.search_attributes import MissingSearchAttributes
from pointsman.sentences import ConfigurationError
from workers.service import serve, stop_on_signals
from workers.settings import Settings

_BAD_CONFIGURATION = 2
_NO_SERVER = 3


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m workers", description="Run Pointsman's workers.")
    parser.add_argument("--log-level", default="INFO", choices=["DEBUG", "INFO", "WARNING", "ERROR"])
    commands = parser.add_subparsers(dest="command")
    for name, text in (("dev", "run the embedded stack until Ctrl-C"), ("demo", "ask the demo questions and end")):
        command = commands.add_parser(name, help=text)
        command.add_argument("--degrade-after", type=int, metavar="N", help="rehearsal: a simulated provider degrades")
        command.add_argument("--fail-after", type=int, metavar="N", help="rehearsal: a simulated provider fails")
    return parser.parse_args()


async def _serve() -> None:
    settings = Settings.from_environment()
    stop = stop_on_signals()
    client = await connect()
    await serve(client, settings, stop, ready=lambda: print("Pointsman takes questions.", flush=True))


def _run(arguments: argparse.Namespace) -> int:
    try:
        if arguments.command is None:
            asyncio.run(_serve())
            return 0
        # The embedded stack needs packages that a production worker does not have.
        from workers.embedded import session  # noqa: PLC0415

        rehearsal = session.Rehearsal(arguments.degrade_after, arguments.fail_after)
        return asyncio.run(session.dev(rehearsal) if arguments.command == "dev" else session.demo(rehearsal))
    except ConfigurationError as fault:
        print(fault, file=sys.stderr)
        return _BAD_CONFIGURATION
    except (NoServer, MissingSearchAttributes) as fault:
        print(fault, file=sys.stderr)
        return _NO_SERVER
    except RPCError as fault:
        print(f"the Temporal server did not take the request ({fault.message[:200]})", file=sys.stderr)
        return _NO_SERVER


def main() -> NoReturn:
    """Run and leave with the right status."""
    arguments = _arguments()
    logging.basicConfig(level=arguments.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    leave(_run(arguments))


if __name__ == "__main__":
    main()
