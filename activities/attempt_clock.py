"""The times of one attempt: what is left of its question's deadline, how long its request runs, how long it waited."""

from __future__ import annotations

import time

from temporalio import activity

_MARGIN = 0.1
_MARGIN_MAX_S = 0.5


class AttemptClock:
    """Starts when the activity does.

    Up to that moment the server's clock counts, from there this process's monotonic one: the two need not agree.
    """

    def __init__(self) -> None:
        """Read when the attempt was scheduled and when the question's deadline is."""
        info = activity.info()
        self._started = self._sent = time.monotonic()
        self._queued_s = max(0.0, (info.started_time - info.current_attempt_scheduled_time).total_seconds())
        self._left_s = float("inf")
        if info.schedule_to_close_timeout is not None:
            passed = info.started_time - info.scheduled_time
            self._left_s = (info.schedule_to_close_timeout - passed).total_seconds()

    def send(self) -> None:
        """The request goes out now: latency counts from here."""
        self._sent = time.monotonic()

    @property
    def queued_s(self) -> float:
        """Seconds that the attempt waited for a worker."""
        return self._queued_s

    @property
    def latency_s(self) -> float:
        """Seconds since the request went out."""
        return time.monotonic() - self._sent

    @property
    def since_scheduled_s(self) -> float:
        """Seconds since the attempt was scheduled, as a hedge timer in the workflow counts (DESIGN ruling 5)."""
        return self._queued_s + time.monotonic() - self._started

    @property
    def usable_s(self) -> float:
        """Seconds in which the call must end: a little before the deadline, so that its end is still recorded."""
        margin_s = min(_MARGIN_MAX_S, _MARGIN * max(0.0, self._left_s))
        return self._left_s - margin_s - (time.monotonic() - self._started)
