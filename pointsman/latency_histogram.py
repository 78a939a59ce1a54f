"""Latencies in integer log-buckets: they add up across processes and answer for any quantile within 2.5 %.

LatencyHistogram().add(810.0).quantile(0.5)      # about 810 ms
"""

from __future__ import annotations

import math

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

RATIO = 1.05
LOWEST_MS = 5.0
BUCKETS = 200
"""Bucket i holds latencies from 5 ms x 1.05^i; the last one, from 82 s on, holds all above too."""
MEMORY = 512
"""More samples than this are halved, so that a histogram follows the last few hundred."""


class LatencyHistogram(BaseModel):
    """Counts by bucket, without the empty ones before the first and after the last."""

    model_config = ConfigDict(frozen=True)

    first: int = Field(default=0, ge=0, lt=BUCKETS)
    counts: tuple[NonNegativeInt, ...] = Field(default=(), max_length=BUCKETS)

    @property
    def n(self) -> int:
        """Samples counted."""
        return sum(self.counts)

    def add(self, latency_ms: float, count: int = 1) -> LatencyHistogram:
        """With a latency counted."""
        return self.merge(LatencyHistogram(first=_bucket(latency_ms), counts=(count,)))

    def merge(self, other: LatencyHistogram) -> LatencyHistogram:
        """The sum of both, bucket by bucket."""
        if not self.counts or not other.counts:
            return self if self.counts else other
        first = min(self.first, other.first)
        end = max(self.first + len(self.counts), other.first + len(other.counts))
        counts = [0] * (end - first)
        for part in (self, other):
            for index, count in enumerate(part.counts, part.first - first):
                counts[index] += count
        return LatencyHistogram(first=first, counts=tuple(counts))

    def faded(self, memory: int = MEMORY) -> LatencyHistogram:
        """Halved until it holds no more than `memory` samples.

        Cumulative counts are halved, so that no quantile moves by more than one sample and a rare one can stay.
        """
        faded = self
        while faded.n > memory:
            faded = faded._halved()
        return faded

    def quantile(self, q: float) -> float | None:
        """The nearest-rank quantile in milliseconds, `None` without samples."""
        rank = max(1, math.ceil(q * self.n))
        seen = 0
        for index, count in enumerate(self.counts, self.first):
            seen += count
            if seen >= rank:
                return LOWEST_MS * math.pow(RATIO, index + 0.5)
        return None

    def _halved(self) -> LatencyHistogram:
        counts: list[int] = []
        seen = 0
        for count in self.counts:
            counts.append((seen + count) // 2 - seen // 2)
            seen += count
        empty = next((at for at, count in enumerate(counts) if count), len(counts))
        while counts and not counts[-1]:
            counts.pop()
        return LatencyHistogram(first=self.first + empty, counts=tuple(counts[empty:]))


def _bucket(latency_ms: float) -> int:
    if not latency_ms > LOWEST_MS:  # NaN too
        return 0
    if latency_ms == math.inf:
        return BUCKETS - 1
    return min(BUCKETS - 1, int(math.log(latency_ms / LOWEST_MS) / math.log(RATIO)))
