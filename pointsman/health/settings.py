"""What trips a breaker, how long it stays open, and how often health travels (resilience specification, section 2).

Durations are in seconds, shares between 0 and 1. "Strict" means more than, not as much as. These tables also travel as
JSON between processes of different versions: what is refused of a file alone stands in `pointsman.resilience_checks`.
"""

from __future__ import annotations

from math import ceil
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from pointsman.provider import Share

Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]

_MAX_BUCKETS = 300
_WORKERS_PER_SIGNAL = 20
_WORKERS_PER_QUERY = 50
_GONE_S = 30.0
_INTERVALS = 2

OPEN_S_WITHOUT_ALTERNATIVE = 30.0
"""The longest first opening of a key that some route has no alternative to (section 8, rule 5)."""


class BreakerSettings(BaseModel):
    """The table `[breaker]`: trip, open, probe and ramp."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    consecutive: Annotated[int, Field(ge=1, le=50)] = 3
    """Failures in a row that open."""
    consecutive_max_age: Seconds = 300.0
    """Older failures fall out of the row."""
    window: Annotated[int, Field(ge=1, le=1500)] = 300
    """How long an outcome counts for the rate."""
    bucket: Literal[1, 5] = 1
    """Outcomes are forgotten by whole buckets of so many seconds."""
    min_calls: Annotated[int, Field(ge=1)] = 20
    min_failures: Annotated[int, Field(ge=1)] = 3
    failure_rate: Share = 0.10
    """Strict: 2 failures of 20 calls do not open, 3 do."""
    count_429: Literal["throttle", "failure"] = "throttle"
    throttle_share: Share = 0.50
    """Strict: the share of throttled calls, among all counted ones, that opens."""
    min_distinct_workers: Annotated[int, Field(ge=2, le=8)] | None = None
    """A row of failures must come from so many processes, once as many report; `None` is off."""
    consecutive_by_volume: Annotated[float, Field(gt=0, lt=1)] | None = None
    """The accepted error rate, by which a busy key needs a longer row; `None` is off."""
    open_s: Seconds = 300.0
    open_jitter: Share = 0.10
    open_mult: Annotated[float, Field(ge=1, le=10)] = 1.0
    """Each further opening without a closing between lasts so many times longer."""
    open_max: Seconds = 1800.0
    """The longest opening, jitter aside."""
    success_to_close: Annotated[int, Field(ge=1, le=10)] = 2
    probe_interval: Seconds = 10.0
    """Wait after a probe that told nothing."""
    max_inconclusive: Annotated[int, Field(ge=1, le=10)] = 3
    probe_queue_wait: Seconds = 10.0
    """How long a probe waits for a worker."""
    ramp_s: Seconds = 60.0
    """From 10 % to all of the traffic after a closing."""
    ramp_min_rps: Annotated[float, Field(ge=0)] = 5.0
    """Strict: only a key that had more calls a second before it opened is ramped."""

    @property
    def horizon_s(self) -> int:
        """The age in seconds from which on an outcome counts for no rule."""
        return max(self.window, ceil(self.consecutive_max_age))

    @field_validator("bucket", mode="before")
    @classmethod
    def _a_number_of_seconds(cls, bucket: object) -> object:
        # A literal is compared, and to Python true equals 1.
        if isinstance(bucket, bool):
            raise ValueError("input should be 1 or 5")  # noqa: TRY004 - pydantic tells a ValueError as a fault
        return bucket

    @model_validator(mode="after")
    def _the_window_is_whole_buckets(self) -> Self:
        if self.window % self.bucket or self.window // self.bucket > _MAX_BUCKETS:
            raise ValueError(
                f"window: {self.window} s is not 1 to {_MAX_BUCKETS} buckets of {self.bucket} s; give a multiple of it"
            )
        return self


class HealthSettings(BaseModel):
    """The table `[health]`: how reports and snapshots travel, and what is done about calls that take too long."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    flush: Seconds = 1.0
    """The shortest time between two reports of a process."""
    early_flush_gap: Seconds = 0.2
    batch_max: Annotated[int, Field(ge=1, le=256)] = 256
    """Rows a report; outcomes of a key are told by so many seconds together as that needs."""
    snapshot_interval: Seconds = 1.0
    """The shortest time between two snapshots of a process."""
    fresh: Seconds = 2.0
    stale_after: Seconds = 15.0
    """An older snapshot is not used: the process's own breaker takes over."""
    overlay_max: Seconds = 5.0
    query_timeout: Seconds = 0.2
    overdue_factor: Annotated[float, Field(gt=1, le=100)] = 3.0
    """A call that runs so many times the median is overdue."""
    overdue_cooldown: Seconds = 30.0

    @model_validator(mode="after")
    def _a_snapshot_is_fresh_before_it_is_stale(self) -> Self:
        if self.stale_after < self.fresh:
            raise ValueError(
                f"stale_after: {self.stale_after:g} s is before fresh ({self.fresh:g} s); raise it, or lower fresh"
            )
        return self

    def flush_s(self, active_workers: int) -> float:
        """Seconds between reports, so that a fleet of any size sends about 20 signals a second."""
        return max(self.flush, active_workers / _WORKERS_PER_SIGNAL)

    def snapshot_s(self, active_workers: int) -> float:
        """Seconds between snapshots, so that a fleet of any size asks about 50 times a second."""
        return max(self.snapshot_interval, active_workers / _WORKERS_PER_QUERY)

    def stale_s(self, active_workers: int) -> float:
        """Seconds after which a snapshot is not used: of a large fleet two intervals, or there would be none mostly."""
        return max(self.stale_after, _INTERVALS * self.snapshot_s(active_workers))

    def gone_s(self, active_workers: int) -> float:
        """Seconds without a report after which a process is not counted: of a large fleet two intervals."""
        return max(_GONE_S, _INTERVALS * self.flush_s(active_workers))
