"""What a sum over the ledger tells: money by how it is known, and the attempts whose cost nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from pointsman.ledger.entry import NANO
from pointsman.outcomes import UsageSource

Dimension = Literal["day", "provider", "model", "query_type", "task", "tenant", "purpose", "outcome"]


@dataclass(frozen=True)
class Spent:
    """Money by how it is known, in USD; `unknown` counts the attempts whose cost nobody knows."""

    reported_usd: float
    estimated_usd: float
    unknown: int

    @property
    def usd(self) -> float:
        """What is known and what is estimated, together."""
        return self.reported_usd + self.estimated_usd


@dataclass(frozen=True)
class Total:
    """The sums of one group of attempts with usage of one source."""

    group: tuple[date | str | None, ...]
    """A value for each dimension that was asked for."""
    usage_source: UsageSource
    attempts: int
    unknown: int
    """Attempts of unknown cost: they are in `attempts` and not in `cost_nano_usd`."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost_nano_usd: int

    @property
    def cost_usd(self) -> float:
        """The sum of the known costs in USD."""
        return self.cost_nano_usd / NANO
