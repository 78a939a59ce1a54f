"""`python -m benchmarks.soak`: whether processes end as they should and stay as small as they are, over many runs.

Runs `pointsman ask`, ends workers by SIGTERM, asks a worker thousands of questions. Prints a table and writes
`build/soak.json`. A figure that does not hold is a result, not an error: the status is 0.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from typing import NoReturn

from benchmarks.command import Progress, console, end_with
from benchmarks.figures import Figure, print_table, write_json
from benchmarks.machine import in_words, machine
from benchmarks.soak import exits, memory, stops
from benchmarks.soak.settings import write_settings
from benchmarks.stack import stack

_RESULT = Path("build") / "soak.json"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="Run Pointsman for long.")
    parser.add_argument("--asks", type=int, default=500, metavar="N", help="runs of `pointsman ask`; 500")
    parser.add_argument("--stops", type=int, default=500, metavar="N", help="workers that are told to stop; 500")
    parser.add_argument("--questions", type=int, default=20_000, metavar="N", help="questions to one worker; 20,000")
    parser.add_argument(
        "--minutes", type=float, default=120, metavar="M", help="after which no further worker is started; 120"
    )
    return parser.parse_args()


async def _figures(wanted: argparse.Namespace, tell: Progress) -> tuple[list[Figure], list[str]]:
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
                until = tell.began + 60 * wanted.minutes
                found, with_calls = await stops.workers(running, wanted.stops, until, tell)
                figures += [*found.figures(), with_calls]
                complaints += found.complaints
    return figures, complaints


def _run(wanted: argparse.Namespace) -> int:
    tell, described = Progress(), machine()
    figures, complaints = asyncio.run(_figures(wanted, tell))
    shown = console()
    for line in complaints:
        shown.print(line, markup=False, soft_wrap=True)
    print_table(shown, in_words(described), figures)
    write_json(_RESULT, described, figures)
    print(f"Written to {_RESULT}.")
    return 0


def main() -> NoReturn:
    """Measure and leave with the right status."""
    wanted = _arguments()
    end_with(lambda: _run(wanted))


if __name__ == "__main__":
    main()
