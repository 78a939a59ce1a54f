"""How profiles look on a terminal: a row for each provider and type of question."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pointsman.catalogue.profile import POINTS_TO_JOIN, Profile, TypeFigures
from pointsman.cli.rendering import money, printable
from pointsman.intervals import share_interval
from pointsman.measuring.profile_report import ProfileReport
from pointsman.query_types import QueryType

_PIPED_WIDTH = 150


def print_report(report: ProfileReport) -> None:
    """The table, and who has answered too little to serve a type."""
    console = Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH)
    heading = f"Benchmark {report.benchmark[:12]}, {report.measured_at:%Y-%m-%d %H:%M} UTC\n"
    console.print(heading, markup=False, highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("provider", "served", "type", "answered", "right", "95 %", "p50", "p95", "tokens", "cost"):
        table.add_column(column, overflow="fold")
    for profile in report.profiles:
        for query_type, figures in profile.figures.items():
            table.add_row(*(escape(printable(cell)) for cell in _cells(profile, query_type, figures)))
    console.print(table)
    for key, types in report.lacking().items():
        told = f"{key} has answered fewer than {POINTS_TO_JOIN} questions of {', '.join(types)}"
        console.print(printable(told), markup=False, highlight=False, soft_wrap=True)
        for result in report.failing.get(key, ()):
            if not result.answered and result.query_type in types:
                line = f"  {result.id}  {'; '.join(result.reasons)}"
                console.print(printable(line), markup=False, highlight=False, soft_wrap=True)
    for provider in report.unrecorded:
        console.print(printable(f"the catalogue could not be told of {provider}: it is not running"), markup=False)


def _cells(profile: Profile, query_type: QueryType, figures: TypeFigures) -> tuple[str, ...]:
    low, high = share_interval(figures.passed, figures.answered)
    return (
        profile.provider,
        profile.model_served or profile.model,
        str(query_type),
        f"{figures.answered}/{figures.samples}",
        str(figures.passed),
        f"{100 * low:.0f} % to {100 * high:.0f} %",
        _milliseconds(figures.p50_ms),
        _milliseconds(figures.p95_ms),
        f"{_tokens(figures.mean_input_tokens)} in, {_tokens(figures.mean_output_tokens)} out",
        money(figures.cost_usd),
    )


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} ms"


def _tokens(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"
