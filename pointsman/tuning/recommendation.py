"""Which weight of cost to take: the cheapest that keeps the wanted share of the best single provider's quality.

The weight is chosen on the questions themselves; what to expect of it is told by choosing it on four fifths of them
and judging it on the fifth, and how sure it is by choosing it on bootstrap samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pointsman.configuration import Scoring
from pointsman.tuning.choices import Choice
from pointsman.tuning.curve import Beside
from pointsman.tuning.folds import Fold
from pointsman.tuning.judgement import Figure, interval
from pointsman.tuning.report import Recommendation

LEAST_QUESTIONS = 100
_ALIKE = 0.01
"""Weights whose costs differ by no more than this are one; the middle of them is the farthest from any other choice."""


@dataclass(frozen=True)
class Sweep:
    """Weights of cost, and what is chosen under each."""

    scoring: Scoring
    costs: Sequence[float]
    choices: Sequence[Choice]


def recommended(
    sweep: Sweep, beside: Beside, parts: Sequence[Fold], keep: float
) -> tuple[Recommendation | None, str | None]:
    """The weights, or a sentence why there are none."""
    count = len(sweep.choices[0])
    if count < LEAST_QUESTIONS:
        return None, f"{count} questions are too few to choose a weight by; {LEAST_QUESTIONS} at least are needed"
    place = _chosen([beside.on(choice, range(count)) for choice in sweep.choices], keep)
    if place is None:
        return None, f"no weight keeps {100 * keep:g} % of the best single provider's quality; ask for less by --keep"
    mixed, unkept = _out_of_fold(sweep, beside, parts, keep)
    if unkept:
        return None, f"on {unkept} of {len(parts)} parts of the questions no weight keeps {100 * keep:g} %; they differ"
    resampled = [beside.resampled(choice) for choice in sweep.choices]
    picked = [_chosen(figures, keep) for figures in zip(*resampled, strict=True)]
    weight = sweep.costs[place]
    found = Recommendation(
        weights=sweep.scoring.formula.model_copy(update={"cost": weight}),
        # Where a sample has no weight that does, the owner would take the one that asks for quality alone.
        cost_weight_interval=interval(sweep.costs[0 if one is None else one] for one in picked),
        max_cost_per_1k=sweep.scoring.max_cost_per_1k,
        max_latency_ms=sweep.scoring.max_latency_ms,
        keep=keep,
        point=beside.point("recommended", sweep.choices[place], weight),
        out_of_fold=beside.point("recommended, out of fold", mixed),
    )
    return found, None


def _chosen(figures: Sequence[Figure], keep: float) -> int | None:
    """The middle of the cheapest that keep enough."""
    enough = [place for place, (quality, _) in enumerate(figures) if quality >= keep]
    if not enough:
        return None
    least = min(figures[place][1] for place in enough)
    alike = [place for place in enough if figures[place][1] <= least * (1 + _ALIKE)]
    return alike[len(alike) // 2]


def _out_of_fold(sweep: Sweep, beside: Beside, parts: Sequence[Fold], keep: float) -> tuple[Choice, int]:
    """Each part by the weight that the others choose, and for how many parts there is none."""
    mixed, unkept = list(sweep.choices[0]), 0
    for part in parts:
        place = _chosen([beside.on(choice, part.learned) for choice in sweep.choices], keep)
        if place is None:
            unkept += 1
            continue
        for number in part.judged:
            mixed[number] = sweep.choices[place][number]
    return mixed, unkept
