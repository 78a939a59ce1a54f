"""`python -m benchmarks.scale [--doc FILE] [--no-server]`: what Pointsman asks of a Temporal cluster, by size.

Prints the figures in Markdown; with `--doc` they also take the place of those between the two marks in a file.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from benchmarks.document import write
from benchmarks.machine import in_words, machine
from benchmarks.scale import entity, money, pacing, questions, tables
from benchmarks.scale.live import Live, live
from benchmarks.scale.sizes import MOST_A_WORKER, RATES, WORKERS, rates_of
from pointsman.health.policy import KEYS_MAX
from pointsman.leaving import leave

_QUESTIONS = 300


def main() -> NoReturn:
    """Measure, print, and leave."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description="Measure what each size costs.")
    parser.add_argument("--doc", type=Path, metavar="FILE", help="write the figures into this file too")
    parser.add_argument("--no-server", action="store_true", help="leave out what is measured on a server")
    arguments = parser.parse_args()
    began = in_words(machine())
    found = None if arguments.no_server else _live()
    parts = [f"Machine: {began}.", *_parts(found)]
    text = "\n\n".join(parts)
    print(text)
    if arguments.doc is not None:
        write(arguments.doc, text)
    leave(0)


def _parts(found: Live | None) -> Iterator[str]:
    costs = questions.costs()
    yield "### One question"
    yield tables.of_questions(costs)
    yield "### Plain questions at three rates"
    yield tables.of_rates(costs[0], found)
    if found is not None:
        yield _in_words(found)
    _tell("simulating fleets")
    paces = [pacing.pace(workers) for workers in WORKERS]
    yield "### Health of a fleet: reports and snapshots"
    yield tables.of_paces(paces)
    yield "### Budgets of a fleet"
    yield tables.of_money(money.overshoot(workers, rates_of(workers)) for workers in WORKERS)
    _tell("timing the health entity")
    loads = [
        entity.load(rate, workers, providers)
        for rate in RATES
        for workers in WORKERS
        if rate in rates_of(workers)
        for providers in entity.PROVIDERS
    ]
    by_workers = {pace.workers: pace for pace in paces}
    yield "### The health entity: what it gets, gives and keeps"
    yield tables.of_sizes(loads, by_workers)
    yield "### The health entity: what it takes of a core"
    yield tables.of_cores(loads, by_workers)
    yield f"A process is given at most {MOST_A_WORKER} questions a second; fleets that would have more are left out."
    yield f"One entity keeps {KEYS_MAX} keys: of 500 providers it would refuse {entity.refused(500)}."


def _tell(what: str) -> None:
    print(f"{what} ...", file=sys.stderr, flush=True)


def _in_words(found: Live) -> str:
    return (
        f"In this run each of {found.questions} plain questions took {found.own_ms:.1f} ms of processor time in one "
        f"process that was client, worker and provider, and {found.server_ms:.1f} ms in the embedded server; one left "
        f"{found.events} events of {found.history_bytes:,} bytes and {found.actions} billable actions."
    )


def _live() -> Live:
    with tempfile.TemporaryDirectory(prefix="pointsman-scale-") as folder:
        _tell("asking on a server")
        return asyncio.run(live(Path(folder), _QUESTIONS))


if __name__ == "__main__":
    main()
