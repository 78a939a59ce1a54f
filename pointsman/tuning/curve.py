"""Points of cost and quality: of the policies, of single providers, and of growing weights of cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from pointsman.configuration import Scoring
from pointsman.policy import OwnWeights
from pointsman.tuning.choices import Choice
from pointsman.tuning.judgement import Figure, Judge, interval
from pointsman.tuning.outcomes import Outcomes
from pointsman.tuning.report import Point

COST_WEIGHTS = (
    0.0,
    0.01,
    0.02,
    0.03,
    0.04,
    0.05,
    0.07,
    0.1,
    0.125,
    0.15,
    0.175,
    0.2,
    0.25,
    0.3,
    0.4,
    0.5,
    0.6,
    0.75,
    0.9,
)
"""Dense where cost counts little: there most curves turn."""


class Kept(NamedTuple):
    """What a choice keeps of the best single provider's quality and cost."""

    quality: float
    cost: float
    """Infinite where that one costs nothing and the choice does."""
    usd: float
    """Of a question: what choices are compared by, since shares tell nothing beside one that is free."""


class Beside:
    """Makes points of choices, all beside one single provider."""

    def __init__(self, outcomes: Outcomes, judge: Judge) -> None:
        """Find the best single provider; of equals the cheaper."""
        self._outcomes, self._judge = outcomes, judge
        self._everything = range(len(outcomes.asked))
        self.singles = [[number] * len(outcomes.asked) for number in range(len(outcomes.providers))]
        worth = [judge.on(choice, self._everything) for choice in self.singles]
        self.best = max(range(len(worth)), key=lambda number: (worth[number][0], -worth[number][1]))
        self._base = worth[self.best]
        self._resampled: dict[tuple[int, ...], list[Kept]] = {}
        self._base_resampled = judge.resampled(self.singles[self.best])

    def point(self, name: str, choice: Choice, cost_weight: float | None = None) -> Point:
        """What a choice is worth."""
        quality, usd = self._judge.on(choice, self._everything)
        kept = _kept((quality, usd), self._base)
        resampled = self.resampled(choice)
        often = Counter(choice).most_common()
        return Point(
            name=name,
            cost_weight=cost_weight,
            quality=quality,
            usd_per_1k=1000 * usd,
            quality_share=kept.quality,
            quality_interval=interval(one.quality for one in resampled),
            cost_share=kept.cost,
            cost_interval=interval(one.cost for one in resampled),
            latency_ms=self._latency(choice),
            shares={self._outcomes.providers[number]: count / len(choice) for number, count in often},
        )

    def resampled(self, choice: Choice) -> list[Kept]:
        """What it keeps on each bootstrap sample."""
        known = self._resampled.get(tuple(choice))
        if known is None:
            pairs = zip(self._judge.resampled(choice), self._base_resampled, strict=True)
            known = self._resampled[tuple(choice)] = [_kept(figure, base) for figure, base in pairs]
        return known

    def on(self, choice: Choice, numbers: Sequence[int]) -> Kept:
        """The same on these questions."""
        return _kept(self._judge.on(choice, numbers), self._judge.on(self.singles[self.best], numbers))

    def _latency(self, choice: Choice) -> float | None:
        if not (self._outcomes.timed and self._outcomes.complete):
            return None
        found = (one.outcomes[number] for one, number in zip(self._outcomes.asked, choice, strict=True))
        return fmean(outcome.latency_ms or 0.0 for outcome in found if outcome is not None)


def tight(dearest_per_1k: float, scoring: Scoring) -> float:
    """The limit that the curve counts cost by: just above the dearest provider's price, the owner's at most.

    At a far higher limit even the largest weight of cost would hardly tell providers apart. USD per 1,000 tokens.
    """
    if dearest_per_1k <= 0:
        return scoring.max_cost_per_1k
    step = 10.0 ** (math.floor(math.log10(dearest_per_1k)) - 1)
    rounded = float(f"{math.ceil(dearest_per_1k / step * (1 - 1e-9)) * step:.2g}")
    return min(scoring.max_cost_per_1k, rounded)


def sweeping(scoring: Scoring, max_cost_per_1k: float) -> tuple[Scoring, list[float]]:
    """The scoring that the curve is of, and the weights of cost that may stand in it: not on cost alone."""
    own = OwnWeights(**scoring.weights.model_dump(exclude={"cost"}))
    made = scoring.model_copy(update={"policy": "balanced", "weights": own, "max_cost_per_1k": max_cost_per_1k})
    return made, [weight for weight in COST_WEIGHTS if weight + made.formula.latency < 1]


def _kept(figure: Figure, base: Figure) -> Kept:
    (quality, usd), (best, least) = figure, base
    cost = usd / least if least else (math.inf if usd else 1.0)
    return Kept(quality / best if best else 1.0, cost, usd)
