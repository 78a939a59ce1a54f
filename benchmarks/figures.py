"""What was measured, what is wanted of it, and how both are shown and written down."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from rich.console import Console
from rich.table import Table

_WHOLE_FROM = 1000


@dataclass(frozen=True)
class Neighbour:
    """What a figure is read beside: what another way to the same thing came to, or of how many it was counted."""

    key: str
    what: str
    value: float
    unit: str = ""

    @property
    def sentence(self) -> str:
        """As the table shows it."""
        return f"{self.what} {_amount(self.value, self.unit)}"


@dataclass(frozen=True)
class Figure:
    """One measured value; a limit of `None` on both sides means that nothing is demanded of it."""

    key: str
    what: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None
    beside: tuple[Neighbour, ...] = ()

    @property
    def amount(self) -> str:
        """The value with its unit."""
        return _amount(self.value, self.unit)

    @property
    def wanted(self) -> str:
        """The limit in words."""
        if self.at_most is not None:
            return f"<= {self.at_most:g} {self.unit}".strip()
        return "" if self.at_least is None else f">= {self.at_least:g} {self.unit}".strip()

    @property
    def holds(self) -> bool | None:
        """Whether the value keeps within its limit; `None` where it has none."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return None if self.at_least is None else self.value >= self.at_least


def percentile(samples: Iterable[float], percent: int) -> float:
    """The value that `percent` of a hundred samples do not exceed."""
    return quantiles(samples, n=100, method="inclusive")[percent - 1]


def print_table(console: Console, title: str, *groups: list[Figure]) -> None:
    """All figures, a line between two groups of them, and in a last line whether those that are wanted hold."""
    figures = [figure for group in groups for figure in group]
    compared = any(figure.beside for figure in figures)
    table = Table("what", "value", "wanted", "holds", title=title, title_justify="left")
    table.columns[1].justify = "right"
    if compared:
        table.add_column("beside it")
    words = {True: "yes", False: "[bold red]NO[/bold red]", None: ""}
    for group in groups:
        for figure in group:
            beside = ["; ".join(other.sentence for other in figure.beside)] if compared else []
            table.add_row(figure.what, figure.amount, figure.wanted, words[figure.holds], *beside)
        table.add_section()
    console.print(table)
    console.print(verdict(figures))


def verdict(figures: Iterable[Figure]) -> str:
    """Whether what is wanted holds, in a sentence; what was not measured is no part of it."""
    wanted = [figure for figure in figures if figure.holds is not None]
    missed = [figure.what.strip() for figure in wanted if not figure.holds]
    if missed:
        return f"Does not hold: {'; '.join(missed)}."
    return (
        "Of what was measured, everything that is wanted holds."
        if wanted
        else "Nothing of what is wanted was measured."
    )


def write_json(path: Path, machine: dict[str, str | int], figures: list[Figure]) -> None:
    """One flat object: the machine, then each value under its key, and behind it what stands beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = dict(machine) | {figure.key: round(figure.value, 4) for figure in figures}
    document |= {other.key: round(other.value, 4) for figure in figures for other in figure.beside}
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _amount(value: float, unit: str) -> str:
    # Four digits tell enough; from a thousand on they are whole ones, and no power of ten.
    number = f"{value:,.0f}" if abs(value) >= _WHOLE_FROM else f"{value:.4g}"
    return f"{number} {unit}".strip()
