"""Changes of breakers' states as snapshots show them: a process looks once a second, and a breaker may be faster."""

from __future__ import annotations

from pointsman.health.breaker import BreakerState
from pointsman.health.snapshot import KeyHealth, Snapshot


class BreakerMoves:
    """Compares each snapshot with the one before it."""

    def __init__(self) -> None:
        """Nothing has been seen yet; what the first snapshot shows is no change."""
        self._seen: Snapshot | None = None

    def since(self, snapshot: Snapshot | None) -> list[tuple[str, BreakerState]]:
        """The keys that have changed, and into which state, in order."""
        before, self._seen = self._seen, snapshot or self._seen
        if before is None or snapshot is None or before.epoch != snapshot.epoch:
            return []
        return [
            (key, state)
            for key, now in snapshot.keys.items()
            for state in _passed(before.keys.get(key, KeyHealth()), now)
        ]


def _passed(before: KeyHealth, now: KeyHealth) -> tuple[BreakerState, ...]:
    """The states that a key came into; of those between two looks an opening is told, and what else is not known."""
    changes = now.gen - before.gen
    if changes <= 0:
        return ()
    opened_between = changes > 1 and BreakerState.OPEN not in (before.state, now.state)
    return (BreakerState.OPEN, now.state) if opened_between else (now.state,)
