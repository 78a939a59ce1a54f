"""How well a number tells which questions a strong model should answer: PGR, APGR and CPT, as RouteLLM measures them.

Questions are sent to the strong model by the router's score, the highest first, in ten quantile bins; PGR is the share
of the strong model's lead that is reached. A score that says nothing has an APGR of 0.50.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

BINS = 10
SAMPLES, SEED = 1_000, 7

Interval = tuple[float, float]
Point = tuple[float, float]
"""The share of questions that the strong model answers, and PGR."""


@dataclass(frozen=True)
class Outcome:
    """A question, and whether the weak and the strong model were right."""

    prompt: str
    weak: int
    strong: int

    @property
    def gain(self) -> int:
        """What asking the strong model brings: 1, 0 or -1."""
        return self.strong - self.weak


def curve(gains: Sequence[int], scores: Sequence[float]) -> list[Point]:
    """PGR over the share of strong calls, from (0, 0) to (1, 1). Equal scores go one way together."""
    total, count = sum(gains), len(gains)
    order = sorted(zip(scores, gains, strict=True))
    ordered = [score for score, _ in order]
    # The gain of all questions from each place on: what a threshold there brings.
    after = [0] * (count + 1)
    for place in range(count - 1, -1, -1):
        after[place] = after[place + 1] + order[place][1]
    places = {bisect_left(ordered, ordered[count * number // BINS]) for number in range(BINS)} | {0, count}
    return sorted(((count - place) / count, after[place] / total) for place in places)


def apgr(points: Sequence[Point]) -> float:
    """The area under the curve, by trapezoids."""
    return sum((right - left) * (low + high) / 2 for (left, low), (right, high) in pairwise(points))


def cpt(points: Sequence[Point], wanted: float) -> float:
    """The least share of strong calls with which PGR reaches `wanted`, between points by a straight line."""
    for (left, low), (right, high) in pairwise(points):
        if high >= wanted:
            return left if low >= wanted else left + (right - left) * (wanted - low) / (high - low)
    return 1.0


def apgr_interval(gains: Sequence[int], scores: Sequence[float]) -> Interval:
    """95 % of bootstrap samples of the questions."""
    return _interval([_sampled(gains, scores, chosen) for chosen in _samples(len(gains))])


def paired_interval(gains: Sequence[int], ours: Sequence[float], theirs: Sequence[float]) -> Interval:
    """95 % of bootstrap samples of ours - theirs, both on the same questions of each sample."""
    return _interval(
        [_sampled(gains, ours, chosen) - _sampled(gains, theirs, chosen) for chosen in _samples(len(gains))]
    )


def _sampled(gains: Sequence[int], scores: Sequence[float], chosen: Sequence[int]) -> float:
    return apgr(curve([gains[number] for number in chosen], [scores[number] for number in chosen]))


def _samples(count: int) -> list[list[int]]:
    chance = random.Random(SEED)
    return [chance.choices(range(count), k=count) for _ in range(SAMPLES)]


def _interval(values: list[float]) -> Interval:
    ordered = sorted(values)
    return ordered[int(0.025 * len(ordered))], ordered[int(0.975 * len(ordered)) - 1]
