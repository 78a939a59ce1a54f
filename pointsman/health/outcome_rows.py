"""Rows of outcomes that no report holds yet: one a second at best, and of more seconds where there are too many.

In a large fleet a process reports seldom, and a row for each key and second would be more than a report holds: what
waits would grow until it is older than the window that it counts for. So rows of a key that follow one another are
merged, as coarsely as needed and no more (docs/decisions/0026).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import islice

from pointsman.health.delta import COUNT_MAX, Delta

_Token = tuple[str, int, int]
_ROWS_KEPT = 8_192
_ROWS_LEFT = _ROWS_KEPT // 2
"""After room was made: so many fewer that this is seldom done."""


class OutcomeRows:
    """The rows of one process, oldest first. Each belongs to a key and the token (epoch, gen) of its calls."""

    def __init__(self, horizon_s: int) -> None:
        """Outcomes that are older than the newest by so many seconds count for no rule any more."""
        self._horizon_s = horizon_s
        self._rows: dict[int, Delta] = {}
        self._last: dict[_Token, int] = {}
        self._made = 0

    def __len__(self) -> int:
        """Rows that wait."""
        return len(self._rows)

    def add(self, seen: Delta) -> None:
        """Count the end of a call."""
        # Only a token's last row is added to: their order is what a run of failures is read from.
        row = self._last.get(_token(seen))
        held = self._rows.get(row) if row is not None else None
        if row is None or held is None or held.second != seen.second:
            row = self._last[_token(seen)] = self._made
            self._made += 1
            self._rows[row] = seen
        else:
            self._rows[row] = _merged(held, seen)
        if len(self._rows) > _ROWS_KEPT:
            self._make_room()

    def take(self, most: int) -> tuple[Delta, ...]:
        """At most so many rows, which are all that wait unless more tokens than that are among them."""
        self._coarsen(most)
        taken = tuple(self._rows.pop(row) for row in list(islice(self._rows, max(0, most))))
        self._last = {token: row for token, row in self._last.items() if row in self._rows}
        return taken

    def _make_room(self) -> None:
        self._coarsen(_ROWS_LEFT)
        while len(self._rows) > _ROWS_LEFT:
            # Thousands of tokens in one outage; what is lost only weakens the evidence.
            del self._rows[next(iter(self._rows))]

    def _coarsen(self, most: int) -> None:
        """Merge what lies in the same few seconds, so that no more than so many rows are left.

        One second less would not do. Where there are more tokens than that, all rows of each become one, or two.
        """
        if len(self._rows) <= most:
            return
        newest = max(delta.second for delta in self._rows.values())
        oldest = min(delta.second for delta in self._rows.values())
        begin = max(oldest, newest - self._horizon_s + 1)
        granules = range(1, newest - begin + 1)
        at = bisect_left(granules, -most, key=lambda granule: -_count(self._rows.values(), begin, granule))
        self._rows, self._last = _merged_by(self._rows, begin, at + 1)


def _token(delta: Delta) -> _Token:
    return delta.key, delta.epoch, delta.gen


def _merged(earlier: Delta, later: Delta) -> Delta:
    """Both as one row, at the second of its last failure or, without any, of its last outcome.

    So no failure is ever taken for older than it is, and the last one for as old as it is.
    """
    return earlier.model_copy(
        update={
            "second": later.second if later.fail or not earlier.fail else earlier.second,
            "ok": min(COUNT_MAX, earlier.ok + later.ok),
            "fail": min(COUNT_MAX, earlier.fail + later.fail),
            "throttle": min(COUNT_MAX, earlier.throttle + later.throttle),
            "segment": earlier.segment.combine(later.segment),
        }
    )


def _granule(second: int, begin: int, granule_s: int) -> int:
    """The number of the granule that a second lies in; all before `begin`, which count for nothing, lie in one."""
    return max(-1, (second - begin) // granule_s)


def _count(rows: Iterable[Delta], begin: int, granule_s: int) -> int:
    """How many rows would be left."""
    count, last = 0, dict[_Token, int]()
    for delta in rows:
        token, granule = _token(delta), _granule(delta.second, begin, granule_s)
        count += last.get(token) != granule
        last[token] = granule
    return count


def _merged_by(rows: dict[int, Delta], begin: int, granule_s: int) -> tuple[dict[int, Delta], dict[_Token, int]]:
    """Rows that follow one another in a granule as one, and the last row of each token."""
    merged, last, granules = dict[int, Delta](), dict[_Token, int](), dict[_Token, int]()
    for number, delta in rows.items():
        token, granule = _token(delta), _granule(delta.second, begin, granule_s)
        row = last.get(token)
        if row is not None and granules[token] == granule:
            merged[row] = _merged(merged[row], delta)
        else:
            merged[number], last[token], granules[token] = delta, number, granule
    return merged, last
