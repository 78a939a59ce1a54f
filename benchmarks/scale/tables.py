"""The figures as tables in Markdown, as `docs/scale.md` holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.scale.entity import Load
from benchmarks.scale.live import Live
from benchmarks.scale.money import Overshoot
from benchmarks.scale.pacing import Pace
from benchmarks.scale.questions import KINDS, Cost
from benchmarks.scale.sizes import RATES, rates_of

_DAY_S = 86_400
_MUCH = 0.5
"""Of a core: from here on what Temporal's SDK adds to a task may fill the rest."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """One table."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def of_questions(costs: Iterable[Cost]) -> str:
    """What one question leaves."""
    head = ("question", "events", "bytes of history", "billable actions", "signals", "tasks")
    return table(
        head,
        (
            (
                f"`{cost.kind}`: {KINDS[cost.kind]}",
                cost.events,
                f"{cost.history_bytes:,}",
                cost.actions,
                cost.signals,
                cost.tasks,
            )
            for cost in costs
        ),
    )


def of_rates(plain: Cost, live: Live | None) -> str:
    """What plain questions ask of a cluster at each rate."""
    head = ["plain questions a second", *(f"{rate:,}" for rate in RATES)]
    rows = [
        ("events a second", *(f"{rate * plain.events:,}" for rate in RATES)),
        ("tasks a second", *(f"{rate * plain.tasks:,}" for rate in RATES)),
        ("billable actions a second", *(f"{rate * plain.actions:,}" for rate in RATES)),
        ("history, MB a second", *(f"{rate * plain.history_bytes / 1e6:,.1f}" for rate in RATES)),
        ("history kept for a day, GB", *(f"{rate * plain.history_bytes * _DAY_S / 1e9:,.0f}" for rate in RATES)),
    ]
    if live is not None:
        rows += [
            ("cores for client, worker and provider", *(f"{rate * live.own_ms / 1000:,.1f}" for rate in RATES)),
            ("cores for the embedded server", *(f"{rate * live.server_ms / 1000:,.1f}" for rate in RATES)),
        ]
    return table(head, rows)


def of_paces(paces: Iterable[Pace]) -> str:
    """How often a fleet's processes report and ask."""
    head = (
        "workers",
        "counted",
        "signals/s",
        "queries/s",
        "snapshot age p50",
        "p99",
        "without a usable one",
        "forgotten",
    )
    return table(
        head,
        (
            (
                f"{pace.workers:,}",
                f"{pace.told_workers:,}",
                f"{pace.signals_per_s:.1f}",
                f"{pace.queries_per_s:.1f}",
                f"{pace.age_p50_s:.1f} s",
                f"{pace.age_p99_s:.1f} s",
                f"{pace.stale_share:.1%}",
                f"{pace.unknown_share:.1%}",
            )
            for pace in paces
        ),
    )


def of_sizes(loads: Iterable[Load], paces: dict[int, Pace]) -> str:
    """What the entity gets, gives and keeps: figures that hang on no machine."""
    head = ("questions/s", "workers", "providers", "rows", "report", "reports", "snapshot", "state", "new run every")
    return table(head, (size_row(load, paces[load.workers]) for load in loads))


def size_row(load: Load, pace: Pace) -> Sequence[object]:
    """One of them."""
    return (
        f"{load.questions_per_s:,}",
        f"{load.workers:,}",
        load.providers,
        f"{load.rows:.0f}",
        f"{load.report_bytes / 1000:.1f} kB",
        f"{pace.signals_per_s * load.report_bytes / 1000:.0f} kB/s",
        f"{load.snapshot_bytes / 1000:.1f} kB",
        f"{load.state_bytes / 1000:,.0f} kB",
        f"{load.run_s(pace.signals_per_s):,.1f} s",
    )


def of_cores(loads: Sequence[Load], paces: dict[int, Pace]) -> str:
    """What the entity takes of a core, by the number of providers."""
    providers = sorted({load.providers for load in loads})
    found = {(load.questions_per_s, load.workers, load.providers): load for load in loads}
    fleets = dict.fromkeys((load.questions_per_s, load.workers) for load in loads)
    return table(
        ("questions/s", "workers", *(f"{number} providers" for number in providers)),
        (
            (
                f"{rate:,}",
                f"{workers:,}",
                *(_core(found[rate, workers, number], paces[workers]) for number in providers),
            )
            for rate, workers in fleets
        ),
    )


def of_money(found: Iterable[Overshoot]) -> str:
    """By how much budgets are overshot."""
    head = ("workers", "spent of a day's cap", *(f"calls per question, {rate:,}/s" for rate in RATES))
    return table(
        head,
        (
            (
                f"{one.workers:,}",
                f"{one.cap_share:.1%}",
                *(f"{one.calls_per_question[rate]:.3f}" if rate in rates_of(one.workers) else "" for rate in RATES),
            )
            for one in found
        ),
    )


def _core(load: Load, pace: Pace) -> str:
    share = load.core_share(pace.signals_per_s, pace.queries_per_s)
    told = f"{share:.1%} ({load.report_ms:.1f} + {load.snapshot_ms:.1f} ms)"
    if share < _MUCH:
        return told
    return f"**{told}**" if share < 1 else f"**{told}, falls behind**"
