"""How costs look on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pointsman.ledger.costs import CostReport, CostRow, dollars, places_of, total_words
from pointsman.printable import one_line

_WIDE = 160


def print_costs(report: CostReport) -> None:
    """A row a group and one for all, then what the sums lack."""
    console = Console()
    if not console.is_terminal:
        # For a file or a pipe there is no margin to keep to.
        console = Console(width=_WIDE)
    if report.total.attempts:
        console.print(_table(report))
    console.print(_remarks(report), markup=False, highlight=False, soft_wrap=True)


def _table(report: CostReport) -> Table:
    rows = [*report.rows, report.total]
    places = places_of([amount for row in rows for amount in (row.reported_nano_usd, row.estimated_nano_usd)])
    table = Table()
    table.add_column(report.by.replace("_", " "), overflow="fold")
    for heading in ("attempts", "reported", "estimated", "unknown", "total"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in report.rows:
        table.add_row(*_cells(row, _name(row, report), places))
    table.add_section()
    table.add_row(*_cells(report.total, "all", places))
    return table


def _cells(row: CostRow, name: str, places: int) -> list[Text]:
    cells = (
        name,
        f"{row.attempts:,}",
        dollars(row.reported_nano_usd, places),
        dollars(row.estimated_nano_usd, places) if row.estimated_attempts else "",
        f"{row.unknown_attempts:,} of {row.attempts:,}" if row.unknown_attempts else "",
        total_words(row, places),
    )
    return [Text(one_line(cell)) for cell in cells]


def _name(row: CostRow, report: CostReport) -> str:
    return f"(no {report.by.replace('_', ' ')})" if row.name is None else row.name


def _remarks(report: CostReport) -> str:
    since, until = report.since or "the first", report.until or "now"
    period = f"of UTC days from {since} to {until}"
    total = report.total
    if not total.attempts:
        return f"no attempts {period}"
    lines = [f"every attempt {period}, failed ones and hedge losers included"]
    if total.estimated_attempts:
        lines.append("estimated: calls that were cut off or still run, or whose provider told no tokens")
    if total.unknown_attempts:
        lines.append("unknown: attempts without a price or a count of tokens; they are in no sum")
    return "\n".join(lines)
