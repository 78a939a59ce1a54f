"""The last five minutes of a key, counted by the second: what the failure rate is taken from."""

from __future__ import annotations

from bisect import bisect_left
from math import floor

from pydantic import BaseModel, ConfigDict

Row = tuple[int, int, int, int]
"""Buckets after the window's first, ok, fail, throttle."""


class Counts(BaseModel):
    """Outcomes by kind. Neutral ones are in none."""

    model_config = ConfigDict(frozen=True)

    ok: int = 0
    fail: int = 0
    throttle: int = 0

    @property
    def n(self) -> int:
        """What the failure rate is a share of: throttled calls are apart."""
        return self.ok + self.fail

    @property
    def all(self) -> int:
        """What the throttled share is a share of."""
        return self.ok + self.fail + self.throttle

    def plus(self, ok: int, fail: int, throttle: int) -> Counts:
        """With these counted too."""
        return Counts(ok=self.ok + ok, fail=self.fail + fail, throttle=self.throttle + throttle)


class Window(BaseModel):
    """A sparse ring of buckets with running totals: an outcome at t counts at now while floor(now) - floor(t) < size.

    With buckets of 5 s an outcome is forgotten after 295 to 300 s. Rows are in order, the first at offset 0, which
    keeps a full window under 6 KB of JSON.
    """

    model_config = ConfigDict(frozen=True)

    size: int = 300
    """Seconds."""
    bucket: int = 1
    """Seconds."""
    first: int = 0
    """Number of the first row's bucket, since the epoch."""
    rows: tuple[Row, ...] = ()
    totals: Counts = Counts()

    def fitting(self, size: int, bucket: int) -> Window:
        """This window, or an empty one where the settings have changed."""
        return self if (self.size, self.bucket) == (size, bucket) else Window(size=size, bucket=bucket)

    def cleared(self) -> Window:
        """An empty window of this shape."""
        return Window(size=self.size, bucket=self.bucket)

    def advanced(self, now: float) -> Window:
        """Without what is forgotten at `now`."""
        oldest = self._oldest(now)
        if not self.rows or self.first >= oldest:
            return self
        kept_from = bisect_left(self.rows, oldest - self.first, key=_offset)
        if kept_from == len(self.rows):
            return self.cleared()
        totals = self.totals
        for _, ok, fail, throttle in self.rows[:kept_from]:
            totals = totals.plus(-ok, -fail, -throttle)
        moved = self.rows[kept_from][0]
        rows = tuple((offset - moved, ok, fail, throttle) for offset, ok, fail, throttle in self.rows[kept_from:])
        return self.model_copy(update={"first": self.first + moved, "rows": rows, "totals": totals})

    def recorded(self, second: int, now: float, *, ok: int = 0, fail: int = 0, throttle: int = 0) -> Window:
        """With outcomes at `second` counted: one from the future counts as now, one that is forgotten not at all."""
        current = self.advanced(now)
        index = min(second, floor(now)) // self.bucket
        if index < self._oldest(now):
            return current
        totals = current.totals.plus(ok, fail, throttle)
        first, rows = _added(current.first, current.rows, index, Counts(ok=ok, fail=fail, throttle=throttle))
        return current.model_copy(update={"first": first, "rows": rows, "totals": totals})

    def rate(self, now: float) -> float:
        """Calls a second, over the part of the window that has any."""
        current = self.advanced(now)
        if not current.rows:
            return 0.0
        return current.totals.all / max(1, floor(now) + 1 - current.first * self.bucket)

    def _oldest(self, now: float) -> int:
        return floor(now) // self.bucket - self.size // self.bucket + 1


def _added(first: int, rows: tuple[Row, ...], index: int, counts: Counts) -> tuple[int, tuple[Row, ...]]:
    """The rows with these outcomes in the bucket of this number, and the first row's number."""
    added = (counts.ok, counts.fail, counts.throttle)
    if not rows:
        return index, ((0, *added),)
    offset = index - first
    if offset < 0:
        return index, ((0, *added), *((old - offset, ok, fail, throttle) for old, ok, fail, throttle in rows))
    at = bisect_left(rows, offset, key=_offset)
    if at < len(rows) and rows[at][0] == offset:
        _, ok, fail, throttle = rows[at]
        merged = (offset, ok + counts.ok, fail + counts.fail, throttle + counts.throttle)
        return first, (*rows[:at], merged, *rows[at + 1 :])
    return first, (*rows[:at], (offset, *added), *rows[at:])


def _offset(row: Row) -> int:
    return row[0]
