"""`python -m benchmarks [--quick]`: what Pointsman costs, what its processes take, and how it bears failures.

Prints tables and writes `build/bench.json`. A figure that does not hold is a result, not an error: the status is 0.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from rich.console import Console
from rich.table import Table

from benchmarks import classification, decision, divergence, plain_question, processes, shadowing, waiting_reviews
from benchmarks.chaos.run import run as chaos
from benchmarks.chaos.schedule import SHORT, Scale, schedule
from benchmarks.chaos.verdict import FOR_THE_TABLE, Verdict, verdict
from benchmarks.figures import Figure, print_table, write_json
from benchmarks.machine import in_words, machine
from benchmarks.resilience import suite
from benchmarks.rounds import Size
from benchmarks.stack import stack
from pointsman.errors import NoServer
from pointsman.leaving import leave

_QUICK, _FULL = Size(rounds=5, one_by_one=10, together=32), Size(rounds=12, one_by_one=20, together=64)
_SHADOWED_QUICK, _SHADOWED = Size(rounds=2, one_by_one=15, together=0), Size(rounds=6, one_by_one=30, together=0)
_BLOCKS, _DECISIONS = 7, 500
_WAITING, _WAITING_QUICK = 1000, 100
_CHAOS_SEED, _CHAOS_S = 20261130, 60.0
_RESULT = Path("build") / "bench.json"
_NO_SERVER = 3
_STOPPED = 130
_LINES_SHOWN = 20


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Pointsman.")
    parser.add_argument("--quick", action="store_true", help="fewer questions: under five minutes, and less sure")
    parser.add_argument("--data", type=Path, metavar="DIR", help="labelled answers, to measure the detectors with")
    return parser.parse_args()


async def _figures(*, quick: bool, tell: Callable[[str], None]) -> tuple[list[Figure], suite.Found, Verdict]:
    tell("deciding with 50 providers")
    decided = decision.measure(_BLOCKS, _DECISIONS)
    tell("starting the console command")
    started = processes.start_up()
    tell("starting the Temporal server")
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as folder:
        async with stack(Path(folder)) as running:
            asked = await plain_question.measure(running, _QUICK if quick else _FULL, tell)
            shadowed = await shadowing.measure(running, _SHADOWED_QUICK if quick else _SHADOWED, tell)
            tell("starting a worker process")
            memory = await processes.worker_memory(running)
            waiting = await waiting_reviews.measure(running, _WAITING_QUICK if quick else _WAITING, tell)
            found = await suite.measure(running, suite.QUICK if quick else suite.FULL, tell)
    tell("chaos")
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as folder:
        plan = schedule(_CHAOS_SEED, SHORT if quick else Scale(_CHAOS_S))
        killed = verdict(await chaos(plan, Path(folder).resolve(), tell))  # noqa: ASYNC240 - a look at the local disk
    lasting = killed.figures[:FOR_THE_TABLE]
    return [*asked, *shadowed, *decided, *started, *memory, *waiting, *found.wanted, *lasting], found, killed


def _run(*, quick: bool, data: Path | None) -> int:
    began = time.monotonic()
    console = Console(width=None if sys.stdout.isatty() else 140)

    def tell(what: str) -> None:
        print(f"[{time.monotonic() - began:6.1f} s] {what}", flush=True)

    described = machine()
    title = in_words(described)
    try:
        tell("comparing answers")
        compared, tables, remarks = divergence.measure(data)
        tell("classifying questions")
        classified = classification.measure(data)
        figures, found, killed = asyncio.run(_figures(quick=quick, tell=tell))
    except NoServer as fault:
        print(fault, file=sys.stderr)
        return _NO_SERVER
    except KeyboardInterrupt:
        return _STOPPED
    took = Figure("bench_s", "the whole benchmark", time.monotonic() - began, "s", at_most=300 if quick else 1800)
    figures = [*figures, *compared, *classified[0], took]
    _print(
        console,
        title,
        figures,
        [*found.tables, *tables, *classified[1], killed.table()],
        [*remarks, *classified[2], *found.complaints, *killed.sentences()],
    )
    write_json(_RESULT, {**described, "quick": int(quick)}, [*figures, *found.noted, *killed.figures[FOR_THE_TABLE:]])
    print(f"Written to {_RESULT}.")
    return 0


def _print(console: Console, title: str, figures: list[Figure], tables: list[Table], complaints: list[str]) -> None:
    for table in tables:
        console.print(table)
    for line in complaints[:_LINES_SHOWN]:
        console.print(line, markup=False, soft_wrap=True)
    print_table(console, title, figures)


def main() -> NoReturn:
    """Measure and leave with the right status."""
    # Also in a shell's background, which ignores Ctrl-C: what was started is ended first.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    arguments = _arguments()
    leave(_run(quick=arguments.quick, data=arguments.data))


if __name__ == "__main__":
    main()
