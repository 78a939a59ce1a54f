"""How a benchmark of outside data is run by itself: `python -m benchmarks.NAME --data DIR`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Figure, print_table

Measure = Callable[[Path | None], tuple[list[Figure], list[Table], list[str]]]


def measured(title: str, *measures: Measure) -> list[Figure]:
    """Print what each finds in the folder that the command line names, and give the figures."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--data", type=Path, metavar="DIR", help="the folder of outside data to measure with")
    return run(title, parser.parse_args().data, measures)


def run(title: str, folder: Path | None, measures: Iterable[Measure]) -> list[Figure]:
    """Print what each finds in the folder, and in a last line whether what is wanted holds."""
    console = Console(width=120)
    figures: list[Figure] = []
    for measure in measures:
        found, tables, remarks = measure(folder)
        figures += found
        for shown in tables:
            console.print(shown)
        for remark in remarks:
            console.print(remark, markup=False)
    print_table(console, title, figures)
    return figures
