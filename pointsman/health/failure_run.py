"""Failures in a row, told in segments that can be joined.

Only a success breaks a run; neutral and throttled outcomes neither break nor extend it. Only a failure at the first
attempt of a call extends it, so that one question counts once.
"""

from __future__ import annotations

from math import ceil, floor, log

from pydantic import BaseModel, ConfigDict, Field

_FALSE_TRIPS_PER_HOUR = 1e-4
_LONGEST_RUN = 64
_WORKERS_KEPT = 8


class Segment(BaseModel):
    """Outcomes of one key in order, as far as a run of failures is concerned. The empty segment is the neutral one."""

    model_config = ConfigDict(frozen=True)

    broken: bool = False
    """Whether a success is among them."""
    leading: int = Field(default=0, ge=0)
    """Failures before the first success."""
    trailing: int = Field(default=0, ge=0)
    """Failures after the last success."""
    longest: int = Field(default=0, ge=0)
    """Failures in a row, at most."""

    def combine(self, later: Segment) -> Segment:
        """This segment, then the later one. Associative."""
        return Segment(
            broken=self.broken or later.broken,
            leading=self.leading if self.broken else self.leading + later.leading,
            trailing=later.trailing if later.broken else self.trailing + later.trailing,
            longest=max(self.longest, later.longest, self.trailing + later.leading),
        )


NOTHING = Segment()
SUCCESS = Segment(broken=True)
FAILURE = Segment(leading=1, trailing=1, longest=1)


class FailureRun(BaseModel):
    """The run of failures that a key stands at: the seconds of its last ones, in the order of their arrival."""

    model_config = ConfigDict(frozen=True)

    seconds: tuple[int, ...] = ()
    workers: tuple[tuple[str, int], ...] = ()
    """Processes that saw a failure of this run, each with the second of its last one."""

    def after(
        self, segment: Segment, second: int, now: float, *, worker: str = "", max_age: float
    ) -> tuple[FailureRun, FailureRun]:
        """The run as it stands after a segment whose failures all lie in one second, and at its longest on the way.

        Failures of `max_age` seconds and more are out of both.
        """
        at = min(second, floor(now))
        current = self.fresh(now, max_age)
        if floor(now) - at >= max_age:
            return (FailureRun() if segment.broken else current), current
        peak = current.extended(segment.leading, at, worker)
        if not segment.broken:
            return peak, peak
        inner = FailureRun().extended(segment.longest, at, worker)
        longest = peak if len(peak.seconds) >= len(inner.seconds) else inner
        return FailureRun().extended(segment.trailing, at, worker), longest

    def extended(self, failures: int, second: int, worker: str) -> FailureRun:
        """With so many more failures."""
        if not failures:
            return self
        seconds = (*self.seconds, *(second,) * min(failures, _LONGEST_RUN))[-_LONGEST_RUN:]
        others = tuple(seen for seen in self.workers if seen[0] != worker)
        return FailureRun(seconds=seconds, workers=(*others, (worker, second))[-_WORKERS_KEPT:])

    def fresh(self, now: float, max_age: float) -> FailureRun:
        """Without the failures that are too old."""
        if all(floor(now) - second < max_age for second in self.seconds):
            return self
        return FailureRun(
            seconds=tuple(second for second in self.seconds if floor(now) - second < max_age),
            workers=tuple(seen for seen in self.workers if floor(now) - seen[1] < max_age),
        )


def run_needed(consecutive: int, accepted_error_rate: float | None, calls_per_second: float) -> int:
    """How many failures in a row open a key with this traffic, so that chance alone opens it once in 10,000 hours."""
    calls_per_hour = calls_per_second * 3600
    if accepted_error_rate is None or calls_per_hour <= _FALSE_TRIPS_PER_HOUR:
        return consecutive
    by_volume = ceil(log(_FALSE_TRIPS_PER_HOUR / calls_per_hour) / log(accepted_error_rate))
    return min(_LONGEST_RUN, max(consecutive, by_volume))
