"""How good a provider is for a question: the source document's formula with configurable weights (DESIGN ruling 2).

score = strength^a x min(1, depth / complexity)^b - w_cost x cost / max_cost - w_latency x latency / max_latency

Cost and latency count by the share that they take of what the question allows, never beside the other candidates: who
else stands in the chain does not change a score. `policy` has the weights and what else the order rests on.

Once live traffic has shown enough, its median latency stands in for the declared one, and the first product is taken
by the share of calls that succeed: half of a strong provider's answers are worth half of its strength.
"""

from __future__ import annotations

from pointsman.classification import Classification
from pointsman.decision import Terms, Weights
from pointsman.provider import Provider
from pointsman.standing import NOTHING_MEASURED, Live


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
    strength = provider.strength(classification.query_type)
    match = min(1.0, provider.reasoning_depth / classification.complexity)
    error_rate = live.error_rate or 0.0
    latency_ms = live.p50_ms or provider.latency.p50_ms
    fit = strength**weights.strength * match**weights.depth * (1 - error_rate)
    if cost_share is None:
        cost_share = 1.0 if cost_per_1k_usd is None else cost_per_1k_usd / max_cost_per_1k_usd
    cost_penalty = weights.cost * cost_share
    latency_penalty = weights.latency * latency_ms / max_latency_ms
    terms = Terms(
        strength=strength,
        reasoning_match=round(match, 4),
        fit=round(fit, 4),
        cost_penalty=round(cost_penalty, 4),
        latency_penalty=round(latency_penalty, 4),
        cost_per_1k_usd=cost_per_1k_usd,
        latency_ms=latency_ms,
        error_rate=error_rate,
        measured=live.p50_ms is not None,
    )
    return round(fit - cost_penalty - latency_penalty, 3), terms
