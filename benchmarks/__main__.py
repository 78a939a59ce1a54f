"""`python -m benchmarks [--quick] [--only PART ...] [--doc FILE]`: what Pointsman costs, takes and bears, in one table.

Details come first, then the table: the figures that are promised, and below them all others. Writes `build/bench.json`,
or `build/bench-only.json` for parts. A figure that does not hold is a result, not an error: the status is 0.
`docs/benchmarks.md` explains how to read it.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from benchmarks.document import BEGIN, END, in_markdown, write
from benchmarks.extent import FULL, QUICK
from benchmarks.figures import Figure, print_table, write_json
from benchmarks.found import Found
from benchmarks.machine import in_words, machine, processor_time
from benchmarks.parts import PARTS, Plan, measure
from benchmarks.promised import arranged, missing
from pointsman.errors import NoServer
from pointsman.leaving import leave

_RESULT, _PART_RESULT = Path("build") / "bench.json", Path("build") / "bench-only.json"
_NO_SERVER = 3
_STOPPED = 130
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
    began, used = time.monotonic(), processor_time()

    def tell(what: str) -> None:
        print(f"[{time.monotonic() - began:6.1f} s] {what}", flush=True)

    described = machine()
    title = in_words(described) + ("; quick: fewer questions, and less sure" if wanted.quick else "")
    plan = Plan(tuple(wanted.only), QUICK if wanted.quick else FULL, wanted.data, tell)
    whole = set(plan.parts) == set(PARTS)
    try:
        found = asyncio.run(measure(plan))
    except NoServer as fault:
        print(fault, file=sys.stderr)
        return _NO_SERVER
    except KeyboardInterrupt:
        return _STOPPED
    if whole:
        took = time.monotonic() - began
        found.figures.append(Figure("bench_s", "the whole benchmark", took, "s", at_most=plan.extent.at_most_s))
    found.figures.append(Figure("bench_busy", "share of the machine's time in use", used.busy_since()))
    _print(Console(width=None if sys.stdout.isatty() else _WIDTH), title, found)
    if whole and (unmeasured := missing(found.figures)):
        print(f"Not measured: {', '.join(unmeasured)}.")
    result = _RESULT if whole else _PART_RESULT
    write_json(result, {**described, "quick": int(wanted.quick)}, [*found.figures, *found.noted])
    if wanted.doc is not None:
        write(wanted.doc, f"Machine: {title}.\n\n{in_markdown(arranged(found.figures)[0])}")
    print(f"Written to {result}. How to read it: docs/benchmarks.md")
    return 0


def _print(console: Console, title: str, found: Found) -> None:
    for table in found.tables:
        console.print(table)
    for line in found.remarks[:_LINES_SHOWN]:
        console.print(line, markup=False, soft_wrap=True)
    print_table(console, title, *arranged(found.figures))


def main() -> NoReturn:
    """Measure and leave with the right status."""
    # Also in a shell's background, which ignores Ctrl-C: what was started is ended first.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    leave(_run(_arguments()))


if __name__ == "__main__":
    main()
