"""`python -m benchmarks.soak`: whether processes end as they should and stay as small as they are, over many runs.

Runs `pointsman ask`, ends workers by SIGTERM, asks a worker thousands of questions. Prints a table and writes
`build/soak.json`. A figure that does not hold is a result, not an error: the status is 0.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from benchmarks.figures import Figure, print_table, write_json
from benchmarks.machine import in_words, machine
from benchmarks.soak import exits, memory
from benchmarks.soak.settings import write_settings
from benchmarks.stack import stack
from pointsman.errors import NoServer
from pointsman.leaving import leave

_RESULT = Path("build") / "soak.json"
_NO_SERVER = 3
_STOPPED = 130


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="Run Pointsman for long.")
    parser.add_argument("--asks", type=int, default=500, metavar="N", help="runs of `pointsman ask`; 500")
    parser.add_argument("--stops", type=int, default=500, metavar="N", help="workers that are told to stop; 500")
    parser.add_argument("--questions", type=int, default=20_000, metavar="N", help="questions to one worker; 20,000")
    parser.add_argument(
        "--minutes", type=float, default=120, metavar="M", help="after which no further worker is started; 120"
    )
    return parser.parse_args()


async def _figures(wanted: argparse.Namespace, began: float) -> tuple[list[Figure], list[str]]:
    def tell(what: str) -> None:
        print(f"[{time.monotonic() - began:7.1f} s] {what}", flush=True)

    complaints: list[str] = []
    figures: list[Figure] = []
    tell("starting the Temporal server")
    with tempfile.TemporaryDirectory(prefix="pointsman-soak-") as folder:
        async with stack(Path(folder)) as running:
            write_settings(running)
            if wanted.questions:
                figures += await memory.measure(running, wanted.questions, tell)
            if wanted.asks:
                figures += (found := await exits.commands(running, wanted.asks, tell)).figures()
                complaints += found.complaints
            if wanted.stops:
                until = began + 60 * wanted.minutes
                figures += (found := await exits.workers(running, wanted.stops, until, tell)).figures()
                complaints += found.complaints
    return figures, complaints


def _run(wanted: argparse.Namespace) -> int:
    began = time.monotonic()
    described = machine()
    try:
        figures, complaints = asyncio.run(_figures(wanted, began))
    except NoServer as fault:
        print(fault, file=sys.stderr)
        return _NO_SERVER
    except KeyboardInterrupt:
        return _STOPPED
    console = Console(width=None if sys.stdout.isatty() else 140)
    for line in complaints:
        console.print(line, markup=False, soft_wrap=True)
    print_table(console, in_words(described), figures)
    write_json(_RESULT, described, figures)
    print(f"Written to {_RESULT}.")
    return 0


def main() -> NoReturn:
    """Measure and leave with the right status."""
    # Also in a shell's background, which ignores Ctrl-C: what was started is ended first.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    leave(_run(_arguments()))


if __name__ == "__main__":
    main()
