"""`python -m benchmarks.chaos [--seed N] [--minutes M | --questions N]`: break everything at once, then look.

Prints what speaks against each promise and writes `build/chaos.json`. The status is 1 where a promise was broken.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import NoReturn

from benchmarks.chaos.run import run
from benchmarks.chaos.schedule import SHORT, Scale, schedule
from benchmarks.chaos.verdict import verdict
from benchmarks.command import Progress, console, end_with
from benchmarks.figures import print_table, write_json
from benchmarks.machine import in_words, machine

_RESULT = Path("build") / "chaos.json"
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
    tell, described = Progress(), machine()
    tell(f"seed {wanted.seed}")
    plan = schedule(wanted.seed, _scale(wanted))
    with tempfile.TemporaryDirectory(prefix="pointsman-chaos-") as temporary:
        folder = Path(temporary)
        if wanted.keep is not None:
            folder = wanted.keep
            folder.mkdir(parents=True)
        found = verdict(asyncio.run(run(plan, folder.resolve(), tell)))
    shown = console()
    shown.print(found.table())
    for line in found.sentences()[:_SHOWN]:
        shown.print(line, markup=False, soft_wrap=True)
    print_table(shown, in_words(described), found.figures)
    write_json(_RESULT, {**described, "seed": wanted.seed}, found.figures)
    print(f"Written to {_RESULT}. Again: make chaos SEED={wanted.seed}")
    return 0 if found.good else 1


def main() -> NoReturn:
    """Run and leave with the right status."""
    wanted = _arguments()
    end_with(lambda: _run(wanted))


if __name__ == "__main__":
    main()
