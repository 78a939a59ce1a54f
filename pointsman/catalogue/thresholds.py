"""The table `[upgrade]`: how an upgrade is sampled, judged, promoted and rolled back."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pointsman.provider import Share, Usd


class UpgradeSettings(BaseModel):
    """Limits on how much worse than the base a new model may be; shares are of questions, ratios new over base."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample: Annotated[float, Field(gt=0, le=1)] = 0.05
    daily_cost_cap_usd: Usd = 1.0
    steps: Annotated[tuple[Annotated[float, Field(gt=0, le=100)], ...], Field(min_length=1)] = (10.0, 50.0, 100.0)
    """Percent of the questions, in the order in which `upgrade promote` goes."""
    min_shadows: Annotated[int, Field(ge=1)] = 30
    """Comparisons before the shadows say anything."""
    min_live: Annotated[int, Field(ge=1)] = 20
    """Live answers of the new model before they may roll it back."""
    max_schema_invalid_increase: Share = 0.02
    max_refusal_increase: Share = 0.03
    max_error_increase: Share = 0.03
    max_groundedness_drop: Share = 0.05
    min_agreement: Share = 0.8
    max_latency_ratio: Annotated[float, Field(gt=0, le=1000)] = 1.5
    """Of the p95; of the median while either model has fewer than 60 answers, of which no p95 can be told."""
    max_cost_ratio: Annotated[float, Field(gt=0, le=1000)] = 1.5
    watch_promoted_s: Annotated[float, Field(ge=0, le=90 * 86400)] = 7 * 86400.0
    """How long the new model may still be rolled back by its live answers once it has all questions."""
