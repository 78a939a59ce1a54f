"""`TuningReport`: what `pointsman tune` found; `--json` prints it as it is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from pointsman.decision import Weights
from pointsman.policy import PolicyName
from pointsman.query_types import QueryType
from pointsman.tuning.judgement import Interval


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
    cost_share: float
    """Of the best single provider's cost; 1 where that costs nothing."""
    cost_interval: Interval
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
    """Of the weight that is chosen, over bootstrap samples of the questions."""
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
