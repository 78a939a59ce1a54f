"""How the catalogue looks on a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pointsman.admission import RETIRE_AFTER_DAYS, WARN_AFTER_DAYS
from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.events import CatalogueEvent
from pointsman.catalogue.profile import Profile, TypeFigures
from pointsman.intervals import share_interval
from pointsman.printable import one_line, printable

_WIDE = 160
_EVENTS_SHOWN = 20


def print_catalogue(document: CatalogueDocument, events: tuple[CatalogueEvent, ...], now: datetime) -> None:
    """A table each of profiles, evaluations, served models and upgrades, then the last events."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)
    tables = (_profiles(document, now), _evaluations(document), _served(document), _upgrades(document))
    shown = [table for table in tables if table.row_count]
    for table in shown:
        console.print(table)
    if not shown:
        console.print("nothing has been measured yet; begin with `pointsman profile run`", markup=False)
    for event in events[-_EVENTS_SHOWN:]:
        console.print(f"{_moment(event.at)}  {event.sentence()}", markup=False, highlight=False, soft_wrap=True)


def _profiles(document: CatalogueDocument, now: datetime) -> Table:
    table = _table(
        "Profiles", "provider, model", "measured", "type", "answers", "quality", "p50 / p95", "errors", "cost"
    )
    for profile in document.profiles.values():
        name, when = f"{profile.provider}\n{profile.model}", _age_words(profile, now)
        for query_type, figures in sorted(profile.figures.items()):
            _add(table, name, when, query_type, *_figures_cells(figures))
            name = when = ""
    return table


def _figures_cells(figures: TypeFigures) -> tuple[str, ...]:
    quality = (
        "-" if figures.quality is None else f"{figures.quality:.0%} ({_interval(figures.passed, figures.answered)})"
    )
    latency = (
        "-" if figures.p50_ms is None or figures.p95_ms is None else f"{figures.p50_ms:.0f} / {figures.p95_ms:.0f} ms"
    )
    cost = "unknown" if figures.cost_usd is None else f"{figures.cost_usd:.6f} USD"
    return f"{figures.answered} of {figures.samples}", quality, latency, f"{figures.error_rate:.0%}", cost


def _age_words(profile: Profile, now: datetime) -> str:
    age = max(0, (now - profile.measured_at).days)
    words = f"{profile.measured_at.astimezone(UTC).date()}, {age} d ago"
    if age >= RETIRE_AFTER_DAYS:
        return f"{words}, retired"
    return f"{words}, soon retired" if age >= WARN_AFTER_DAYS else words


def _evaluations(document: CatalogueDocument) -> Table:
    table = _table("Evaluations", "task", "provider, model", "evaluated", "passed", "needed", "verdict")
    for found in document.evaluations.values():
        _add(
            table,
            found.task,
            f"{found.provider}\n{found.model}",
            str(found.evaluated_at.astimezone(UTC).date()),
            f"{found.passed} of {found.cases} ({_interval(found.passed, found.cases)})",
            f"{found.threshold:.0%}",
            found.verdict,
        )
    return table


def _served(document: CatalogueDocument) -> Table:
    table = _table("Served models", "provider, model", "serves", "since", "before", "")
    for seen in document.served.values():
        _add(
            table,
            f"{seen.provider}\n{seen.model}",
            seen.served,
            str(seen.since.astimezone(UTC).date()),
            seen.before or "",
            "" if seen.accepted else "changed; not accepted yet",
        )
    return table


def _upgrades(document: CatalogueDocument) -> Table:
    table = _table("Upgrades", "provider", "from", "to", "stage", "share")
    for upgrade in document.upgrades.values():
        _add(table, upgrade.provider, upgrade.base, upgrade.model, upgrade.stage, f"{upgrade.share:.0%}")
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _add(table: Table, *cells: str) -> None:
    """A row of plain text: a vendor says what it serves, and must not write to the terminal."""
    table.add_row(*(Text(printable(cell)) for cell in cells))


def _interval(successes: int, n: int) -> str:
    low, high = share_interval(successes, n)
    return f"{low:.0%} to {high:.0%}"


def _moment(at: datetime) -> str:
    return one_line(at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ"))
