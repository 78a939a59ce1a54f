"""How long is the first provider waited for before a second one is asked too? The p95 of what it took lately.

    samples.record(kind, "success", latency_s=1.9, now=now)
    samples.delay(kind, now, attempt_timeout_s=30, static_delay_s=6)     # None = no hedge

A loser of a race counts at the age at which it was cancelled, though it would have taken longer: left out, the slowest
calls would be missing, the delay too short, and ever more questions hedged. Failures that came fast are no samples.
The samples are kept sorted, so that the quantile is exact and costs nothing to ask for. Source: resilience
specification, section 10; latencies count from scheduling (DESIGN ruling 5). State is per process.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from pointsman.provider import Amount

SampleKind = Literal["success", "timeout", "loser"]

_FEW = 20
_MANY = 100
_TOKEN_BUCKETS = (256, 1024, 4096)


class HedgingSettings(BaseModel):
    """The table `[hedging]`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    quantile: Annotated[float, Field(gt=0, lt=1)] = 0.95
    samples: Annotated[int, Field(ge=20, le=10_000)] = 512
    """How many of the latest samples of a class are looked at."""
    sample_age: Annotated[float, Field(gt=0, le=86_400)] = 600.0
    """Seconds after which a sample is forgotten."""
    delay_min: Amount = 0.25
    """Seconds; no hedge starts before."""
    delay_max: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Share of the attempt's timeout after which a hedge starts at the latest."""
    max_hedges: Annotated[int, Field(ge=0, le=1)] = 1


class CallClass(NamedTuple):
    """Calls that take about equally long."""

    provider: str
    model: str
    query_type: str
    tokens: int
    """A `tokens_bucket`."""


def tokens_bucket(max_output_tokens: int) -> int:
    """0 to 3 for answers of up to 256, 1,024, 4,096 and more tokens: latency grows with what a call may write."""
    return bisect_left(_TOKEN_BUCKETS, max_output_tokens)


def nearest_rank(ascending: Sequence[float], quantile: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    # The margin takes 0.55 * 100 = 55.00000000000001 for the 55 that it is.
    return ascending[max(0, math.ceil(quantile * len(ascending) - 1e-9) - 1)]


def estimate(ascending: Sequence[float], quantile: float) -> float | None:
    """The quantile in seconds, or `None` below 20 samples: a p95 of so few hedges up to every sixth question.

    Below 100 it is at least twice the median.
    """
    if len(ascending) < _FEW:
        return None
    value = nearest_rank(ascending, quantile)
    return value if len(ascending) >= _MANY else max(value, 2 * nearest_rank(ascending, 0.5))


class _Samples:
    """The latest samples of one class, in order of arrival and in order of size."""

    def __init__(self, settings: HedgingSettings) -> None:
        self._settings = settings
        self._arrived: deque[tuple[float, float, SampleKind]] = deque()
        self.ascending: list[float] = []
        self.successes: list[float] = []

    def add(self, kind: SampleKind, latency_s: float, now: float) -> None:
        self._arrived.append((now, latency_s, kind))
        insort(self.ascending, latency_s)
        if kind == "success":
            insort(self.successes, latency_s)
        if len(self._arrived) > self._settings.samples:
            self._drop()

    def forget(self, now: float) -> None:
        while self._arrived and now - self._arrived[0][0] > self._settings.sample_age:
            self._drop()

    def _drop(self) -> None:
        _, latency_s, kind = self._arrived.popleft()
        del self.ascending[bisect_left(self.ascending, latency_s)]
        if kind == "success":
            del self.successes[bisect_left(self.successes, latency_s)]


class LatencySamples:
    """What calls took lately, by class; not thread-safe."""

    def __init__(self, settings: HedgingSettings) -> None:
        """Start with no samples."""
        self._settings = settings
        self._classes: dict[CallClass, _Samples] = {}
        # The same samples once more over all providers, so that the pooled quantile needs no merge per question.
        self._pools: dict[tuple[str, int], _Samples] = {}

    def record(self, call: CallClass, kind: SampleKind, latency_s: float, now: float) -> None:
        """Add a sample.

        Args:
            call: The class of the call.
            kind: "success", "timeout" of an attempt, or the "loser" of a race, cancelled.
            latency_s: Seconds from its scheduling to its end.
            now: Monotonic seconds.
        """
        self._classes.setdefault(call, _Samples(self._settings)).add(kind, latency_s, now)
        self._pools.setdefault((call.query_type, call.tokens), _Samples(self._settings)).add(kind, latency_s, now)

    def delay(
        self, call: CallClass, now: float, *, attempt_timeout_s: float, static_delay_s: float | None
    ) -> float | None:
        """Seconds after which a second provider may be asked; `None`: no hedge, too little is known.

        Below 20 samples `static_delay_s` stands in (the provider's declared p95), else the quantile over all providers.
        """
        value = estimate(self._class(call, now).ascending, self._settings.quantile)
        if value is None:
            value = static_delay_s
        if value is None:
            value = estimate(self._pool(call, now).ascending, self._settings.quantile)
        if value is None:
            return None
        return max(self._settings.delay_min, min(value, self._settings.delay_max * attempt_timeout_s))

    def median(self, call: CallClass, now: float, *, at_least: int = 1) -> float | None:
        """Median seconds of a successful call, the figure to route by; `None` below `at_least` of them."""
        successes = self._class(call, now).successes
        return nearest_rank(successes, 0.5) if len(successes) >= max(1, at_least) else None

    def forget(self, provider: str, model: str) -> None:
        """Begin anew with a provider's model: another one answers under its name now."""
        for call in [call for call in self._classes if (call.provider, call.model) == (provider, model)]:
            del self._classes[call]

    def count(self, call: CallClass, now: float) -> int:
        """How many samples the class has."""
        return len(self._class(call, now).ascending)

    def _class(self, call: CallClass, now: float) -> _Samples:
        return self._current(self._classes.get(call), now)

    def _pool(self, call: CallClass, now: float) -> _Samples:
        return self._current(self._pools.get((call.query_type, call.tokens)), now)

    def _current(self, samples: _Samples | None, now: float) -> _Samples:
        if samples is None:
            return _Samples(self._settings)
        samples.forget(now)
        return samples
