"""The limit of a provider that allows few calls a minute, kept inside each process that calls it.

    slot = limiter.reserve(now)         # then wait slot.wait_s, then call
    limiter.give_back(slot)             # the call was not made after all

A task queue's own limit delays the first call after a quiet time by seconds when it is low, so it serves from 300 calls
a minute upwards (DESIGN section 2). Here a process may start its share of the limit, limit / processes, evenly spaced,
with 2 s worth of calls at once after a quiet time, and always at least one: `most_per_minute` is the exact bound.
The algorithm is the generic cell rate algorithm. Times are monotonic seconds; state is per process.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FROM_QUEUE_PER_MINUTE = 300
"""From this limit upwards the provider's task queue keeps it."""

_MINUTE_S = 60.0
_BURST_S = 2.0


@dataclass(frozen=True, eq=False)
class Slot:
    """The moment at which one call may start."""

    at: float
    wait_s: float
    """Seconds from asking until then; 0 = now."""


@dataclass(eq=False)
class _Reservation:
    slot: Slot
    paid_before: float
    """What the limiter's books said before it."""
    free: bool = False


class RateLimiter:
    """Spaces the calls of one process to one provider; not thread-safe."""

    def __init__(self, limit_per_minute: float, processes: int = 1) -> None:
        """`processes` share the limit; it may be set anew as they come and go.

        While processes disagree on their number, together they may exceed the limit.
        """
        self._limit_per_minute = limit_per_minute
        self.processes = processes
        # The time up to which the calls granted so far use up the share: the "theoretical arrival time" of the cell.
        self._paid_until = -math.inf
        self._reservations: list[_Reservation] = []

    def reserve(self, now: float) -> Slot:
        """Take the next moment at which a call may start: a slot that was given back, or a new one."""
        while self._reservations and self._reservations[0].slot.at < now:
            del self._reservations[0]
        for reservation in self._reservations:
            if reservation.free:
                reservation.free = False
                reservation.slot = Slot(reservation.slot.at, reservation.slot.at - now)
                return reservation.slot
        space = _space_s(self._limit_per_minute, self.processes)
        at = max(now, self._paid_until - _tolerance_s(space))
        slot = Slot(at, at - now)
        self._reservations.append(_Reservation(slot, self._paid_until))
        self._paid_until = max(self._paid_until, now) + space
        return slot

    def has_spare(self, now: float) -> bool:
        """Whether after one call at once another one could still start at once: what nobody waits for may be spared."""
        slots = [self.reserve(now), self.reserve(now)]
        spare = all(slot.wait_s <= 0 for slot in slots)
        for slot in reversed(slots):
            self.give_back(slot)
        return spare

    def give_back(self, slot: Slot) -> None:
        """Return a slot whose call was not made; the next `reserve` may have it while its time has not passed."""
        for reservation in self._reservations:
            if reservation.slot is slot:
                reservation.free = True
        while self._reservations and self._reservations[-1].free:
            self._paid_until = self._reservations.pop().paid_before


def most_per_minute(limit_per_minute: float, processes: int) -> int:
    """The most calls that all processes together start in any 60 s.

    Each starts at most ceil(max(s, 31/30 s - 1)) for its share s = limit / processes. Together that is at most limit +
    2 s worth of calls, save where a process's 2 s are worth less than one call and its share is no whole number: then
    it is below limit + processes. A share of half a call a minute shows why: whoever was quiet starts at once.
    """
    space = _space_s(limit_per_minute, processes)
    # The margin keeps a share that is a whole number from being rounded up by the division.
    return processes * math.ceil((_MINUTE_S + _tolerance_s(space)) / space - 1e-9)


def _space_s(limit_per_minute: float, processes: int) -> float:
    return _MINUTE_S * max(1, processes) / limit_per_minute


def _tolerance_s(space_s: float) -> float:
    return max(0.0, _BURST_S - space_s)
