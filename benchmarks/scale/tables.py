"""The figures as tables in Markdown, as `docs/scale.md` holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.scale.entity import Load
from benchmarks.scale.live import Live
from benchmarks.scale.money import Overshoot
from benchmarks.scale.pacing import Pace
from benchmarks.scale.questions import KINDS, Cost
from pointsman.health.state import EVENT_LIMIT

RATES = (10, 1_000, 100_000)
_DAY_S = 86_400
_EVENTS_A_SIGNAL = 4
"""At most: the signal itself, and the three of a workflow task that takes no other signal along."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """One table."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def of_questions(costs: Iterable[Cost]) -> str:
    """What one question leaves."""
    head = ("question", "events", "bytes of history", "billable actions", "tasks")
    return table(
        head,
        (
            (f"`{cost.kind}`: {KINDS[cost.kind]}", cost.events, f"{cost.history_bytes:,}", cost.actions, cost.tasks)
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


def of_loads(loads: Iterable[Load], paces: dict[int, Pace]) -> str:
    """What the entity does for them."""
    head = ("workers, providers", "report", "", "snapshot", "", "state", "of a core", "new run every", "history")
    return table(head, _load_rows(loads, paces))


def of_money(found: Iterable[Overshoot]) -> str:
    """By how much budgets are overshot."""
    head = ("workers", "spent of a day's cap", "calls per question when every first call fails")
    return table(head, ((f"{one.workers:,}", f"{one.cap_share:.1%}", f"{one.calls_per_question:.3f}") for one in found))


def _load_rows(loads: Iterable[Load], paces: dict[int, Pace]) -> Iterator[Sequence[object]]:
    for load in loads:
        pace = paces[load.workers]
        events_per_s = pace.signals_per_s * _EVENTS_A_SIGNAL
        yield (
            f"{load.workers:,}, {load.providers}",
            f"{load.report_bytes / 1000:.1f} kB",
            f"{load.report_ms:.2f} ms",
            f"{load.snapshot_bytes / 1000:.1f} kB",
            f"{load.snapshot_ms:.2f} ms",
            f"{load.state_bytes / 1000:,.0f} kB",
            f"{load.core_share(pace.signals_per_s, pace.queries_per_s):.1%}",
            f"{EVENT_LIMIT / events_per_s:,.0f} s",
            f"{pace.signals_per_s * load.report_bytes / 1000:.0f} kB/s",
        )
