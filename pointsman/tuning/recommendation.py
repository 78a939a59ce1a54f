"""Which weight of cost to take: the cheapest that keeps the wanted share of the best single provider's quality.

The weight is chosen on the questions themselves; what to expect of it is told by choosing it on four fifths of them
and judging it on the fifth, and how sure it is by choosing it on bootstrap samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pointsman.configuration import Scoring
from pointsman.tuning.choices import Choice
from pointsman.tuning.curve import Beside, Kept
from pointsman.tuning.folds import Fold
from pointsman.tuning.judgement import interval
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
    if all(choice == sweep.choices[0] for choice in sweep.choices):
        return None, "every weight of cost chooses alike here, so that nothing tells which one fits"
    alike = _alike([beside.on(choice, range(count)) for choice in sweep.choices], keep)
    if not alike:
        return None, f"no weight keeps {100 * keep:g} % of the best single provider's quality; ask for less by --keep"
    mixed, unkept = _out_of_fold(sweep, beside, parts, keep)
    if unkept:
        return None, f"on {unkept} of {len(parts)} parts of the questions no weight keeps {100 * keep:g} %; they differ"
    resampled = [beside.resampled(choice) for choice in sweep.choices]
    # Where a sample has no weight that does, the owner would take the one that asks for quality alone.
    picked = [_alike(kept, keep) or [0] for kept in zip(*resampled, strict=True)]
    place = _middle(alike)
    weight = sweep.costs[place]
    found = Recommendation(
        weights=sweep.scoring.formula.model_copy(update={"cost": weight}),
        cost_weight_interval=(
            interval(sweep.costs[places[0]] for places in picked)[0],
            interval(sweep.costs[places[-1]] for places in picked)[1],
        ),
        max_cost_per_1k=sweep.scoring.max_cost_per_1k,
        max_latency_ms=sweep.scoring.max_latency_ms,
        keep=keep,
        point=beside.point("recommended", sweep.choices[place], weight),
        out_of_fold=beside.point("recommended, out of fold", mixed),
    )
    return found, None


def _alike(kept: Sequence[Kept], keep: float) -> list[int]:
    """The cheapest that keep enough: none, or all that cost as little."""
    enough = [place for place, one in enumerate(kept) if one.quality >= keep]
    least = min((kept[place].usd for place in enough), default=0.0)
    return [place for place in enough if kept[place].usd <= least * (1 + _ALIKE)]


def _middle(alike: Sequence[int]) -> int:
    return alike[len(alike) // 2]


def _out_of_fold(sweep: Sweep, beside: Beside, parts: Sequence[Fold], keep: float) -> tuple[Choice, int]:
    """Each part by the weight that the others choose, and for how many parts there is none."""
    mixed, unkept = list(sweep.choices[0]), 0
    for part in parts:
        alike = _alike([beside.on(choice, part.learned) for choice in sweep.choices], keep)
        if not alike:
            unkept += 1
            continue
        for number in part.judged:
            mixed[number] = sweep.choices[_middle(alike)][number]
    return mixed, unkept
