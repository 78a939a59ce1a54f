"""How a benchmark of outside data is run by itself: `python -m benchmarks.NAME --data DIR`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Figure, print_table

Measure = Callable[[Path | None], tuple[list[Figure], list[Table], list[str]]]


def measured(title: str, *measures: Measure) -> None:
    """Print what each finds in the folder that is named, and in a last line whether what is wanted holds."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--data", type=Path, metavar="DIR", help="the folder of outside data to measure with")
    folder: Path | None = parser.parse_args().data
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
