"""Whether breakers moved by their rules, and are closed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from benchmarks.chaos.schedule import MEMBERS
from benchmarks.chaos.witness import Evidence
from pointsman.health.breaker import BreakerState
from pointsman.health.events import HealthEvent

_CLOSED, _OPEN, _HALF_OPEN = BreakerState.CLOSED, BreakerState.OPEN, BreakerState.HALF_OPEN
LEGAL = {(_CLOSED, _OPEN), (_OPEN, _HALF_OPEN), (_HALF_OPEN, _CLOSED), (_HALF_OPEN, _OPEN)}


def not_closed(evidence: Evidence) -> list[str]:
    """Breakers that are not closed though their providers have been well for a while."""
    states = {name: evidence.states.get(name) for name in MEMBERS}
    return [f"{name} is {state or 'unknown'}" for name, state in states.items() if state is not _CLOSED]


def illegal_moves(evidence: Evidence) -> list[str]:
    """Changes of state that no rule allows, or that are missing between two others."""
    by_key: dict[str, list[HealthEvent]] = defaultdict(list)
    found: list[str] = []
    for (key, gen), events in evidence.changes.items():
        if len(events) > 1:
            told = "; ".join(f"{event.source} -> {event.state} at {event.at:.3f}" for event in events)
            found.append(f"{key} has {len(events)} events of generation {gen}: {told}")
        by_key[key] += events
    for key, events in by_key.items():
        found += [f"{key}: {fault}" for fault in _faults(sorted(events, key=lambda event: event.gen or 0))]
    return found


def _faults(events: list[HealthEvent]) -> Iterator[str]:
    generations = [event.gen for event in events]
    if generations != list(range(2, len(events) + 2)):
        yield f"its generations are {generations}"
    if events and events[0].source is not _CLOSED:
        yield f"it began as {events[0].source}"
    for before, after in pairwise(events):
        if before.state != after.source:
            yield f"generation {after.gen} left {after.source} where {before.state} had been reached"
    for event in events:
        if event.source is None or event.state is None or (event.source, event.state) not in LEGAL:
            yield f"generation {event.gen} went from {event.source} to {event.state}"
