"""`TuningReport`: what `pointsman tune` found; `--json` prints it as it is."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import BaseModel, ConfigDict, PlainSerializer

from pointsman.decision import Weights
from pointsman.policy import PolicyName
from pointsman.query_types import QueryType
from pointsman.tuning.judgement import Interval


def _written(share: float) -> float | None:
    return share if math.isfinite(share) else None


CostShare = Annotated[float, PlainSerializer(_written, return_type=float | None, when_used="json")]
"""Infinite where the best single provider costs nothing and this does: JSON has no such number, and says null."""


class Point(BaseModel):
    """A way to choose a provider: what it brings and costs, also beside the best single provider."""

    model_config = ConfigDict(frozen=True)

    name: str
    cost_weight: float | None = None
    """`weights.cost`, for a point of the curve."""
    quality: float
    """Mean score, from 0 to 1."""
    usd_per_1k: float
    """USD per 1,000 questions."""
    quality_share: float
    """Of the best single provider's quality."""
    quality_interval: Interval
    """95 % of bootstrap samples of the questions, like every interval here."""
    cost_share: CostShare
    """Of the best single provider's cost."""
    cost_interval: tuple[CostShare, CostShare]
    latency_ms: float | None = None
    """Mean latency; `None` where it is not known of every answer."""
    shares: dict[str, float]
    """The share of questions that each provider answers."""


class ProviderFigures(BaseModel):
    """A provider on all of the questions that it was asked."""

    model_config = ConfigDict(frozen=True)

    name: str
    questions: int
    quality: float
    usd_per_1k: float
    p50_ms: float | None
    strengths: dict[QueryType, float]
    """Mean score by type of question."""
    counts: dict[QueryType, int]
    """On how many questions each of these rests."""


class Recommendation(BaseModel):
    """The weight of cost with which the policy "balanced" keeps the wanted quality at the least cost."""

    model_config = ConfigDict(frozen=True)

    policy: PolicyName = "balanced"
    weights: Weights
    cost_weight_interval: Interval
    """From the least to the largest weight that does as well, over bootstrap samples of the questions."""
    max_cost_per_1k: float
    """USD per 1,000 tokens of which the weights count shares."""
    max_latency_ms: float
    keep: float
    """The wanted share of the best single provider's quality."""
    point: Point
    """With this weight, which was chosen on the same questions."""
    out_of_fold: Point
    """Each fifth of the questions with the weight that was chosen on the others: what to expect."""


class TuningReport(BaseModel):
    """Everything that was found. Cost is in USD, latency in milliseconds."""

    model_config = ConfigDict(frozen=True)

    source: str
    questions: int
    providers: tuple[ProviderFigures, ...]
    best_single: Point
    singles: tuple[Point, ...]
    policies: tuple[Point, ...]
    curve: tuple[Point, ...]
    """By growing weight of cost, under the policy "balanced"."""
    curve_max_cost_per_1k: float
    oracle: Point | None
    """The cheapest of the best ones for each question; `None` where there are gaps."""
    recommendation: Recommendation | None
    not_recommended: str | None
    """Why nothing is."""
    notes: tuple[str, ...]
    """What is to be known of the data, and what was not measured."""

    @property
    def given_up(self) -> Point | None:
        """The weight that brings most, where it surely beats the best single provider and the recommended one does not.

        What is below the best single provider's quality was given up by asking for less (`keep`).
        """
        if self.recommendation is None:
            return None
        most = max(self.curve, key=lambda point: (point.quality, -point.usd_per_1k))
        reached = max(1.0, self.recommendation.point.quality_interval[1])
        return most if most.quality_interval[0] > reached else None
