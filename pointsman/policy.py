"""Named ways to weigh quality against cost and latency: `[scoring] policy`.

`source` is the source document's formula with its weights. `balanced` is the same formula with weights that hold on
outcomes of real models (docs/routing.md). `best` asks for quality alone. `cheapest_good` takes the cheapest of those
that are nearly as good as the best. In none of them does cost decide alone (the document, MUST NOT 1): a candidate wins
by its price over a better one only where that is better by less than `outweighed_by_cost`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from pointsman.decision import Candidate, Weight, Weights

PolicyName = Literal["source", "balanced", "cheapest_good", "best"]

_QUALITY_ALONE = Weights(depth=0.5, cost=0.0, latency=0.0)

WEIGHTS: dict[PolicyName, Weights] = {
    "source": Weights(),
    "balanced": Weights(depth=0.5, cost=0.5, latency=0.2),
    "cheapest_good": _QUALITY_ALONE,
    "best": _QUALITY_ALONE,
}
"""Each policy's own weights; `balanced` and its half-weighed depth are explained in docs/routing.md."""

WEIGHED: frozenset[PolicyName] = frozenset({"source", "balanced"})
"""The policies whose score takes off cost and latency."""


class OwnWeights(BaseModel):
    """Weights that the owner sets in place of the policy's; what is `None` stays the policy's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strength: Weight | None = None
    depth: Weight | None = None
    cost: Weight | None = None
    latency: Weight | None = None

    def over(self, policy: PolicyName) -> Weights:
        """The policy's weights with these in their place."""
        return WEIGHTS[policy].model_copy(update=self.model_dump(exclude_none=True))


Rank = tuple[float, ...]
"""Sorts candidates, the best first; equal ones are settled by calls in flight and by their place in the chain."""


class Worth(NamedTuple):
    """What a policy looks at: score and fit as rounded in the decision, and what an answer is expected to cost."""

    score: float
    fit: float
    usd: float | None


def ranks(candidates: list[Candidate], policy: PolicyName, good_enough: float) -> list[Rank]:
    """Each candidate's rank among these."""
    worths = [Worth(one.score, one.terms.fit, one.estimated_cost_usd) for one in candidates]
    return ranked(worths, policy, good_enough)


def ranked(worths: Sequence[Worth], policy: PolicyName, good_enough: float) -> list[Rank]:
    """Each one's rank among these. One without a price counts as the dearest.

    `good_enough` is the share of the best fit that `cheapest_good` asks for.
    """
    if policy in WEIGHED:
        return [(-one.score,) for one in worths]
    if policy == "best":
        return [(-one.score, _cost(one)) for one in worths]
    least = good_enough * max((one.fit for one in worths), default=0.0)
    return [_cheapest_good(one, least) for one in worths]


def outweighed_by_cost(policy: PolicyName, weights: Weights, good_enough: float) -> float:
    """By how much fit, of 1.0, a candidate may at most be worse than another and still go before it for its price."""
    if policy in WEIGHED:
        return weights.cost
    return 0.0 if policy == "best" else 1.0 - good_enough


def _cheapest_good(one: Worth, least: float) -> Rank:
    if one.fit < least:
        return (1.0, -one.fit, _cost(one))
    return (0.0, _cost(one), -one.fit)


def _cost(one: Worth) -> float:
    return float("inf") if one.usd is None else one.usd
