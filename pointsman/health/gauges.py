"""How a process stands at the moment of a report. The next report replaces it; nothing of it is ever added up."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pointsman.health.delta import Count

_NAMES_MAX = 100

Amounts = Annotated[dict[Annotated[str, Field(min_length=1, max_length=64)], Count], Field(max_length=_NAMES_MAX)]
"""By provider; one that stands at zero is absent."""
Tokens = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


class BudgetGauge(BaseModel):
    """The budget for retries and hedges of one process, or of several taken together."""

    model_config = ConfigDict(frozen=True)

    level: Tokens = 0.0
    """Tokens in the bucket."""
    capacity: Tokens = 0.0
    hedges_granted: int = Field(default=0, ge=0)
    """Since the process started, as the others."""
    hedges_denied: int = Field(default=0, ge=0)
    retries_granted: int = Field(default=0, ge=0)
    retries_denied: int = Field(default=0, ge=0)
    fallbacks_granted: int = Field(default=0, ge=0)
    """The charged ones: a question's first is free as a rule."""
    fallbacks_denied: int = Field(default=0, ge=0)

    def plus(self, other: BudgetGauge) -> BudgetGauge:
        """Both taken together."""
        return BudgetGauge.model_validate({name: value + getattr(other, name) for name, value in self})


class Gauges(BaseModel):
    """What a process has under way and what it has left."""

    model_config = ConfigDict(frozen=True)

    in_flight: Amounts = {}
    """Calls under way."""
    calls_left: Amounts = {}
    """Router calls of this process that a flagged provider still sits out."""
    budget: BudgetGauge = BudgetGauge()
