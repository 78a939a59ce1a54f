"""How the health of providers looks on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pointsman.health.breaker import BreakerState
from pointsman.health.events import HealthLog
from pointsman.health.overview import HealthOverview, KeyOverview, TenantOverview
from pointsman.health.snapshot import DAILY_COST_CAP
from pointsman.printable import one_line

_WIDE = 160
_ROOMY = 120
_TENANTS_SHOWN = 20
_PROVIDER = "provider"
_HEADINGS = (
    *(_PROVIDER, "state", "for", "window", "last failure"),
    *("cooldown", "p50 / p95", "today", "in flight", "last probe"),
)
_BY_WORTH = (
    *(_PROVIDER, "state", "cooldown", "last failure", "window"),
    *("in flight", "today", "p50 / p95", "for", "last probe"),
)
"""The same by what somebody wants to know first."""
_ALWAYS = 2
_MARGIN = 3
"""Characters between the texts of two columns."""
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_WORDS = {
    BreakerState.CLOSED: "closed",
    BreakerState.OPEN: "open",
    BreakerState.HALF_OPEN: "half open",
    BreakerState.FORCED_OPEN: "forced open",
    BreakerState.DISABLED: "always admitted",
}


def overview_console() -> Console:
    """The terminal; for a file or a pipe there is no margin to keep to."""
    console = Console()
    return console if console.is_terminal else Console(width=_WIDE)


def overview_blocks(told: HealthOverview, now: float, width: int) -> tuple[Table, Text]:
    """A row a key, then what the processes have left together; `now` is in seconds since the epoch."""
    # A slow clock here must not make the entity's present a future.
    at = max(now, told.issued_at)
    tenants = [tenant_words(tenant, at) for tenant in told.tenants[:_TENANTS_SHOWN]]
    return _table(told, at, width), Text("\n".join([_processes(told, at), *tenants]))


def print_overview(told: HealthOverview, now: float, console: Console | None = None) -> None:
    """Print both blocks."""
    console = console or overview_console()
    table, processes = overview_blocks(told, now, console.width)
    console.print(table)
    console.print(processes, soft_wrap=True)


def event_lines(log: HealthLog) -> str:
    """An event a line, oldest first."""
    lines = [f"{moment(event.at)}  {event.sentence()}" for event in log.events]
    return "\n".join(lines) or "nothing has happened yet"


def moment(at: float) -> str:
    """A time such as "2026-12-01 14:02:11Z"."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def span(seconds: float) -> str:
    """A duration for people, such as "12 s" or "2 h 5 min"."""
    whole = max(0, round(seconds))
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min"
    if whole < _DAY:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
    return f"{whole // _DAY} d {whole % _DAY // _HOUR} h"


def state_words(key: KeyOverview, now: float) -> str:
    """The state, and what it is waiting for."""
    words = _WORDS[key.state]
    if key.state is BreakerState.OPEN and key.open_until is not None:
        again = f" {key.k} times in a row" if key.k > 1 else ""
        return f"{words}{again}, {span(key.open_until - now)} left"
    if key.state is BreakerState.HALF_OPEN:
        return f"{words}, {'probing' if key.probing else _next_probe(key, now)}"
    return f"{words}, ramp at {key.ramp_share:.0%}" if key.ramp_share < 1 else words


def window_words(key: KeyOverview) -> str:
    """Successes, failures and throttled calls; of a key that is not closed, those that it was closed with last."""
    counts = key.window if key.state is BreakerState.CLOSED else key.window_before or key.window
    return f"{counts.ok} / {counts.fail} / {counts.throttle}"


def cooldown_words(key: KeyOverview, now: float) -> str:
    """Everything for which the key is passed over for a while."""
    words = [f"{one.reason} {span(one.until - now)} left" for one in key.cooldowns if one.until > now]
    if key.calls_left:
        calls = "1 call" if key.calls_left == 1 else f"{key.calls_left} calls"
        where = f" in {key.flagged_in} processes" if key.flagged_in > 1 else ""
        words.append(f"flagged, {calls} left{where}")
    if key.capped_until is not None and key.capped_until > now:
        words.append(f"{DAILY_COST_CAP.replace('_', ' ')} {span(key.capped_until - now)} left")
    return "; ".join(words)


def tenant_words(tenant: TenantOverview, now: float) -> str:
    """What a tenant with a cap has spent today, and until when nothing more is."""
    cap = "" if tenant.cap_usd is None else f" of ${tenant.cap_usd:g}"
    capped = tenant.capped_until is not None and tenant.capped_until > now
    left = f", used up, {span((tenant.capped_until or now) - now)} left" if capped else ""
    return one_line(f"tenant {tenant.tenant}: ${tenant.spent_today_usd:.4f}{cap} today{left}")


def _table(told: HealthOverview, now: float, width: int) -> Table:
    names = Counter(key.provider for key in told.keys)
    rows = [_row(key, now, alone=names[key.provider] == 1) for key in told.keys]
    window_s = told.keys[0].window_s if told.keys else 0
    titles = dict(zip(_HEADINGS, _HEADINGS, strict=True)) | {"window": f"ok / failed / throttled ({span(window_s)})"}
    columns = {heading: (titles[heading], *(row[heading] for row in rows)) for heading in _BY_WORTH}
    # A narrow terminal is for what there is to say.
    said = {heading: cells for heading, cells in columns.items() if width >= _ROOMY or not rows or any(cells[1:])}
    widths = _widths(said, width)
    shown = [heading for heading in _HEADINGS if heading in widths]
    table = Table()
    for heading in shown:
        table.add_column(titles[heading], overflow="fold", width=widths[heading])
    for row in rows:
        table.add_row(*(Text(one_line(row[heading])) for heading in shown))
    return table


def _widths(columns: dict[str, tuple[str, ...]], width: int) -> dict[str, int]:
    """Widths of those columns, the most worthy first, that stand beside each other with no word cut; two at least."""
    widths, left = dict[str, int](), width - 1
    for heading, cells in columns.items():
        # A provider's name and what is said of it stand in one line.
        least = _longest(cells) if heading == _PROVIDER else _longest(word for cell in cells for word in cell.split())
        if left < least + _MARGIN and len(widths) >= _ALWAYS:
            break
        widths[heading] = least
        left -= least + _MARGIN
    # What is said of providers comes into one line before a heading does.
    for wanted in ({heading: _longest(columns[heading][first:]) for heading in widths} for first in (1, 0)):
        for heading, characters in wanted.items():
            more = max(0, min(characters - widths[heading], left))
            widths[heading] += more
            left -= more
    return widths


def _longest(texts: Iterable[str]) -> int:
    return max((cell_len(one_line(text)) for text in texts), default=0)


def _row(key: KeyOverview, now: float, *, alone: bool) -> dict[str, str]:
    """The cells of a key, by heading."""
    failure, probe = key.last_failure, key.last_probe
    cells = (
        (key.provider if alone else key.key) + ("" if key.configured else " (not configured)"),
        state_words(key, now),
        "" if key.since is None else span(now - key.since),
        window_words(key),
        "" if failure is None else f"{failure.kind or 'unknown'} {span(now - failure.at)} ago",
        cooldown_words(key, now),
        _latency(key),
        _money(key),
        str(key.in_flight),
        ""
        if probe is None
        else f"{probe.outcome}{f' ({probe.kind})' if probe.kind else ''} {span(now - probe.at)} ago",
    )
    return dict(zip(_HEADINGS, cells, strict=True))


def _processes(told: HealthOverview, now: float) -> str:
    budget, workers = told.budget, told.active_workers
    who = "1 process reports" if workers == 1 else f"{workers} processes report"
    listed = f", {len(told.processes)} of them counted here" if len(told.processes) < workers else ""
    scale = "" if told.budget_scale >= 1 else f", hedges cut to {told.budget_scale:.0%} for the fleet's health"
    return (
        f"{who}{listed}; retry budget {budget.level:.1f} of {budget.capacity:g} tokens{scale}\n"
        f"hedges {budget.hedges_granted} granted, {budget.hedges_denied} denied; "
        f"retries {budget.retries_granted} granted, {budget.retries_denied} denied; "
        f"charged fallbacks {budget.fallbacks_granted} granted, {budget.fallbacks_denied} denied\n"
        f"as of {moment(told.issued_at)}, {span(now - told.issued_at)} ago"
    )


def _latency(key: KeyOverview) -> str:
    if key.median_ms is None or key.p95_ms is None:
        return ""
    return f"{key.median_ms:.0f} / {key.p95_ms:.0f} ms"


def _money(key: KeyOverview) -> str:
    cap = "" if key.cap_usd is None else f" of ${key.cap_usd:g}"
    return f"${key.spent_today_usd:.4f}{cap}"


def _next_probe(key: KeyOverview, now: float) -> str:
    return "probe due" if key.next_probe_at is None else f"next probe in {span(key.next_probe_at - now)}"
