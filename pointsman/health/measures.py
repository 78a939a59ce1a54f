"""How a provider does on one type of question: what routing learns from, merged over all processes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from pointsman.health.spend import MICRO
from pointsman.latency_histogram import MEMORY, LatencyHistogram


class Measures(BaseModel):
    """Sums that merge by addition. Latencies are those of successes: a fast error must not look fast."""

    model_config = ConfigDict(frozen=True)

    latencies: LatencyHistogram = LatencyHistogram()
    errors: int = Field(default=0, ge=0)
    """Calls that ended in a fault of the provider."""
    cost_micro_usd: int = Field(default=0, ge=0)
    priced: int = Field(default=0, ge=0)
    """Calls whose cost is known: those that the cost is the sum of."""
    output_tokens: int = Field(default=0, ge=0)
    answers: int = Field(default=0, ge=0)
    """Answers whose length is known: those that the output tokens are the sum of."""

    def merge(self, other: Measures) -> Measures:
        """The sum of both."""
        return Measures(
            latencies=self.latencies.merge(other.latencies),
            errors=self.errors + other.errors,
            cost_micro_usd=self.cost_micro_usd + other.cost_micro_usd,
            priced=self.priced + other.priced,
            output_tokens=self.output_tokens + other.output_tokens,
            answers=self.answers + other.answers,
        )

    def faded(self) -> Measures:
        """Halved where they hold more than a few hundred samples, so that they follow what happens now."""
        measures = self.model_copy(update={"latencies": self.latencies.faded()})
        if measures.latencies.n < self.latencies.n or measures.errors > MEMORY:
            # Successes and errors fade together, or the error rate would not be one of the same calls.
            measures = measures.model_copy(update={"errors": measures.errors // 2})
        if measures.priced > MEMORY:
            halved = {"priced": measures.priced // 2, "cost_micro_usd": measures.cost_micro_usd // 2}
            measures = measures.model_copy(update=halved)
        if measures.answers > MEMORY:
            halved = {"answers": measures.answers // 2, "output_tokens": measures.output_tokens // 2}
            measures = measures.model_copy(update=halved)
        return measures

    def figures(self) -> Figures:
        """What a decision reads."""
        calls = self.latencies.n + self.errors
        return Figures(
            n=self.latencies.n,
            median_ms=self.latencies.quantile(0.5),
            p95_ms=self.latencies.quantile(0.95),
            error_rate=self.errors / calls if calls else None,
            cost_usd=self.cost_micro_usd / MICRO / self.priced if self.priced else None,
            output_tokens=self.output_tokens / self.answers if self.answers else None,
        )


class Figures(BaseModel):
    """Measures in the form that a decision reads; `None` where nothing is known yet."""

    model_config = ConfigDict(frozen=True)

    n: int = 0
    """Successes that the latencies are of."""
    median_ms: float | None = None
    p95_ms: float | None = None
    error_rate: float | None = None
    cost_usd: float | None = None
    """Mean of a call."""
    output_tokens: float | None = None
    """Mean length of an answer."""
