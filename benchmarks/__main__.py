"""`python -m benchmarks [--quick] [--only PART ...] [--doc FILE]`: what Pointsman costs, takes and bears, in one table.

Details come first, then the table: the figures that are promised, and below them all others. Writes `build/bench.json`,
or `build/bench-only.json` for parts. A figure that does not hold is a result, not an error: the status is 0.
`docs/benchmarks.md` explains how to read it.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import NoReturn

from benchmarks.command import Progress, console, end_with
from benchmarks.document import BEGIN, END, in_markdown, write
from benchmarks.extent import FULL, QUICK
from benchmarks.figures import Figure, print_table, write_json
from benchmarks.found import Found
from benchmarks.machine import in_words, machine, processor_time
from benchmarks.parts import PARTS, Plan, measure
from benchmarks.promised import arranged, missing

_RESULT, _PART_RESULT = Path("build") / "bench.json", Path("build") / "bench-only.json"
_LINES_SHOWN = 20
_WIDTH = 180


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Pointsman.")
    parser.add_argument("--quick", action="store_true", help="fewer questions: under five minutes, and less sure")
    parser.add_argument("--data", type=Path, metavar="DIR", help="labelled answers, to measure the detectors with")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}"
    )
    parser.add_argument("--doc", type=Path, metavar="FILE", help="write what is promised into this page too")
    wanted = parser.parse_args()
    if wanted.doc is not None:
        if wanted.quick or wanted.only is not PARTS:
            parser.error("--doc takes a whole run; leave out --quick and --only")
        if not wanted.doc.is_file() or END not in wanted.doc.read_text(encoding="utf-8").partition(BEGIN)[2]:
            parser.error(f"--doc {wanted.doc} is no file with the lines {BEGIN} and {END}; name one that has them")
    return wanted


def _run(wanted: argparse.Namespace) -> int:
    tell, used, described = Progress(), processor_time(), machine()
    title = in_words(described) + ("; quick: fewer questions, and less sure" if wanted.quick else "")
    plan = Plan(tuple(wanted.only), QUICK if wanted.quick else FULL, wanted.data, tell)
    whole = set(plan.parts) == set(PARTS)
    found = asyncio.run(measure(plan))
    if whole:
        found.figures.append(Figure("bench_s", "the whole benchmark", tell.seconds, "s", at_most=plan.extent.at_most_s))
    found.figures.append(Figure("bench_busy", "share of the machine's time in use", used.busy_since()))
    _print(title, found)
    if whole and (unmeasured := missing(found.figures)):
        print(f"Not measured: {', '.join(unmeasured)}.")
    result = _RESULT if whole else _PART_RESULT
    write_json(result, {**described, "quick": int(wanted.quick)}, [*found.figures, *found.noted])
    if wanted.doc is not None:
        write(wanted.doc, f"Machine: {title}.\n\n{in_markdown(arranged(found.figures)[0])}")
    print(f"Written to {result}. How to read it: docs/benchmarks.md")
    return 0


def _print(title: str, found: Found) -> None:
    shown = console(_WIDTH)
    for table in found.tables:
        shown.print(table)
    for line in found.remarks[:_LINES_SHOWN]:
        shown.print(line, markup=False, soft_wrap=True)
    print_table(shown, title, *arranged(found.figures))


def main() -> NoReturn:
    """Measure and leave with the right status."""
    wanted = _arguments()
    end_with(lambda: _run(wanted))


if __name__ == "__main__":
    main()
