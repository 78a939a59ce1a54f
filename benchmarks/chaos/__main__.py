"""`python -m benchmarks.chaos [--seed N] [--minutes M | --questions N]`: break everything at once, then look.

Prints what speaks against each promise and writes `build/chaos.json`. The status is 1 where a promise was broken.
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

from benchmarks.chaos.run import run
from benchmarks.chaos.schedule import SHORT, Scale, schedule
from benchmarks.chaos.verdict import verdict
from benchmarks.figures import print_table, write_json
from benchmarks.machine import in_words, machine
from pointsman.errors import NoServer
from pointsman.leaving import leave

_RESULT = Path("build") / "chaos.json"
_NO_SERVER = 3
_STOPPED = 130
_SHOWN = 60


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description="Kill Pointsman, and count.")
    parser.add_argument("--seed", type=int, default=int(time.time()), metavar="N", help="by default another each time")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, default=3.0, metavar="M", help="how long faults go on; 3")
    length.add_argument("--questions", type=int, metavar="N", help="or about how many questions are asked")
    length.add_argument("--short", action="store_true", help="or as short as in the tests")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep logs, histories and ledger in this new folder")
    return parser.parse_args()


def _scale(wanted: argparse.Namespace) -> Scale:
    if wanted.short:
        return SHORT
    return Scale(60 * wanted.minutes) if wanted.questions is None else Scale.of_questions(wanted.questions)


def _run(wanted: argparse.Namespace) -> int:
    began = time.monotonic()

    def tell(what: str) -> None:
        print(f"[{time.monotonic() - began:6.1f} s] {what}", flush=True)

    described = machine()
    tell(f"seed {wanted.seed}")
    plan = schedule(wanted.seed, _scale(wanted))
    try:
        with tempfile.TemporaryDirectory(prefix="pointsman-chaos-") as temporary:
            folder = Path(temporary)
            if wanted.keep is not None:
                folder = wanted.keep
                folder.mkdir(parents=True)
            found = verdict(asyncio.run(run(plan, folder.resolve(), tell)))
    except NoServer as away:
        print(away, file=sys.stderr)
        return _NO_SERVER
    except KeyboardInterrupt:
        return _STOPPED
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(found.table())
    for line in found.sentences()[:_SHOWN]:
        console.print(line, markup=False, soft_wrap=True)
    print_table(console, in_words(described), found.figures)
    write_json(_RESULT, {**described, "seed": wanted.seed}, found.figures)
    print(f"Written to {_RESULT}. Again: make chaos SEED={wanted.seed}")
    return 0 if found.good else 1


def main() -> NoReturn:
    """Run and leave with the right status."""
    # Also in a shell's background, which ignores Ctrl-C: what was started is ended first.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    leave(_run(_arguments()))


if __name__ == "__main__":
    main()
