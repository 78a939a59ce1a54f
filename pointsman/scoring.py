"""How good a provider is for a question: the source document's formula with configurable weights (DESIGN ruling 2).

score = strength^a x min(1, depth / complexity)^b - w_cost x cost / max_cost - w_latency x latency / max_latency

Cost and latency count by the share that they take of what the question allows, never beside the other candidates: who
else stands in the chain does not change a score. `policy` has the weights and what else the order rests on.

Once live traffic has shown enough, its median latency stands in for the declared one, and the first product is taken
by the share of calls that succeed: half of a strong provider's answers are worth half of its strength.
"""

from __future__ import annotations

from typing import NamedTuple

from pointsman.classification import Classification
from pointsman.decision import Terms, Weights
from pointsman.policy import PolicyName
from pointsman.provider import Provider
from pointsman.standing import NOTHING_MEASURED, Live


class Merits(NamedTuple):
    """What a candidate brings before anything is weighed. Shares are of what the question allows."""

    strength: float
    match: float
    """min(1, depth / complexity)."""
    error_rate: float
    cost_share: float
    latency_ms: float
    max_latency_ms: float


class Weighed(NamedTuple):
    """The parts of a score, not rounded, and the score, rounded to 3 places as in the source document."""

    fit: float
    cost_penalty: float
    latency_penalty: float
    score: float


class Formula(NamedTuple):
    """`Weights` without their bounds, for those who try many."""

    strength: float
    depth: float
    cost: float
    latency: float


def formula_of(weights: Weights) -> Formula:
    """The weights of a configuration."""
    return Formula(weights.strength, weights.depth, weights.cost, weights.latency)


def weighed(merits: Merits, weights: Formula) -> Weighed:
    """The formula itself."""
    fit = merits.strength**weights.strength * merits.match**weights.depth * (1 - merits.error_rate)
    cost_penalty = weights.cost * merits.cost_share
    latency_penalty = weights.latency * merits.latency_ms / merits.max_latency_ms
    return Weighed(fit, cost_penalty, latency_penalty, round(fit - cost_penalty - latency_penalty, 3))


def share_of_price(cost_per_1k_usd: float | None, max_cost_per_1k_usd: float) -> float:
    """How much of the allowed price 1,000 tokens take; all where the price is unknown: unknown is not cheap."""
    return 1.0 if cost_per_1k_usd is None else cost_per_1k_usd / max_cost_per_1k_usd


def share_of_money(policy: PolicyName, estimate_usd: float | None, max_cost_usd: float | None) -> float | None:
    """How much of what the question may cost an answer takes; the document's formula knows no such limit."""
    if policy == "source" or max_cost_usd is None or estimate_usd is None:
        return None
    return min(1.0, estimate_usd / max_cost_usd)


def score(  # noqa: PLR0913 - the formula has this many inputs
    provider: Provider,
    classification: Classification,
    weights: Weights,
    *,
    cost_per_1k_usd: float | None,
    max_cost_per_1k_usd: float,
    max_latency_ms: float,
    cost_share: float | None = None,
    live: Live = NOTHING_MEASURED,
) -> tuple[float, Terms]:
    """The score, rounded to 3 places as in the source document, and the terms it is made of.

    A provider without a price pays the whole cost penalty: unknown is not cheap. `cost_share` is the answer's share of
    the question's own limit in USD; `None` goes by the price of 1,000 tokens.
    """
    merits = Merits(
        strength=provider.strength(classification.query_type),
        match=min(1.0, provider.reasoning_depth / classification.complexity),
        error_rate=live.error_rate or 0.0,
        cost_share=share_of_price(cost_per_1k_usd, max_cost_per_1k_usd) if cost_share is None else cost_share,
        latency_ms=live.p50_ms or provider.latency.p50_ms,
        max_latency_ms=max_latency_ms,
    )
    found = weighed(merits, formula_of(weights))
    terms = Terms(
        strength=merits.strength,
        reasoning_match=round(merits.match, 4),
        fit=round(found.fit, 4),
        cost_penalty=round(found.cost_penalty, 4),
        latency_penalty=round(found.latency_penalty, 4),
        cost_per_1k_usd=cost_per_1k_usd,
        latency_ms=merits.latency_ms,
        error_rate=merits.error_rate,
        measured=live.p50_ms is not None,
    )
    return found.score, terms
