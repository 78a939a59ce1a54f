"""A probe: one tiny request by which a half-open key shows whether it is well again."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from pointsman.health.keys import model_of, provider_of


class ProbeOutcome(StrEnum):
    """What a probe told. Neither of the first two is a caller's, a credential's or a lost worker's fault."""

    SUCCESS = "success"
    """Any well-formed answer, one that was cut at its length and a refusal too."""
    FAILURE = "failure"
    """A fault of class failure."""
    INCONCLUSIVE = "inconclusive"
    """Everything else: 4xx, quota, throttling, a cancelled probe, a lost worker, no worker at all."""


class ProbeRequest(BaseModel):
    """The input of the activity `probe_provider`: which key, and the probe's number in its generation."""

    model_config = ConfigDict(frozen=True)

    key: str
    epoch: int
    gen: int
    n: int
    timeout_s: float
    """Total wall clock of the request."""

    @property
    def provider(self) -> str:
        """Whose task queue it goes to."""
        return provider_of(self.key)

    @property
    def model(self) -> str:
        """The model that is asked."""
        return model_of(self.key)


class ProbeResult(BaseModel):
    """What came of a probe."""

    model_config = ConfigDict(frozen=True)

    outcome: ProbeOutcome
    kind: str = ""
    """Why, where it is no success: the fault's kind, or "no_worker", "worker_lost", "cancelled"."""
    retry_after_s: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    throttled: bool = False
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """`None` where it is unknown."""
    latency_s: float | None = None
