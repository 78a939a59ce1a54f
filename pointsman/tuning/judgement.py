"""What a choice of providers brought and cost on questions, and on bootstrap samples of them.

`Paired` judges where every provider was asked every question. Where there are gaps, `ByType` takes a provider's mean
on the type of question for what it would have brought.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from statistics import fmean
from typing import Any, Protocol

from pointsman.query_types import QueryType
from pointsman.tuning.choices import Choice
from pointsman.tuning.outcomes import Asked, Outcome, Outcomes

SAMPLES, SEED = 1_000, 7

Figure = tuple[float, float]
"""Mean score, and mean cost in USD, of a question."""
Interval = tuple[float, float]


class Judge(Protocol):
    """Tells what a choice is worth."""

    def on(self, choice: Choice, numbers: Sequence[int]) -> Figure:
        """On these questions."""
        ...

    def resampled(self, choice: Choice) -> list[Figure]:
        """On each bootstrap sample of all questions: the same ones for every choice."""
        ...


def judge_of(outcomes: Outcomes) -> Judge:
    """The one that fits the outcomes."""
    return Paired(outcomes.asked) if outcomes.complete else ByType(outcomes)


def interval(values: Iterable[float]) -> Interval:
    """95 % of bootstrap values."""
    ordered = sorted(values)
    return ordered[int(0.025 * len(ordered))], ordered[max(0, int(0.975 * len(ordered)) - 1)]


def oracle(asked: Sequence[Asked]) -> Choice:
    """The cheapest of the best ones for each question; only where there are no gaps."""
    return [
        min(range(len(one.outcomes)), key=lambda number, one=one: _rank(one.outcomes[number]))  # type: ignore[misc]
        for one in asked
    ]


class Paired:
    """Every outcome is known."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        """Judge by these questions."""
        self._known = [tuple(outcome for outcome in one.outcomes if outcome is not None) for one in asked]
        self._pick = _samples(len(asked))

    def on(self, choice: Choice, numbers: Sequence[int]) -> Figure:
        """On these questions."""
        found = [self._known[number][choice[number]] for number in numbers]
        return fmean(one.score for one in found), fmean(one.cost_usd for one in found)

    def resampled(self, choice: Choice) -> list[Figure]:
        """On each bootstrap sample."""
        found = [known[number] for known, number in zip(self._known, choice, strict=True)]
        scores, costs = [one.score for one in found], [one.cost_usd for one in found]
        count = len(found)
        return [(sum(pick(scores)) / count, sum(pick(costs)) / count) for pick in self._pick]


class ByType:
    """A provider's outcome is taken for its mean on the type of question; on all where it was never asked that type.

    The means are taken anew on every sample, so that the intervals hold how unsure they are.
    """

    def __init__(self, outcomes: Outcomes) -> None:
        """Judge by these outcomes."""
        self._asked = outcomes.asked
        self._providers = len(outcomes.providers)
        self._types = [_TYPES[one.query_type or QueryType.ANALYSIS] for one in outcomes.asked]
        everything = range(len(outcomes.asked))
        self._means = self._cells(everything)
        self._pick = _samples(len(outcomes.asked))
        self._sampled = [self._cells(pick(everything)) for pick in self._pick]

    def on(self, choice: Choice, numbers: Sequence[int]) -> Figure:
        """On these questions, by the means of all."""
        places = [self._place(number, choice[number]) for number in numbers]
        return _weighed(places, self._means)

    def resampled(self, choice: Choice) -> list[Figure]:
        """On each bootstrap sample, by its own means."""
        places = [self._place(number, chosen) for number, chosen in enumerate(choice)]
        return [_weighed(pick(places), cells) for pick, cells in zip(self._pick, self._sampled, strict=True)]

    def _place(self, number: int, provider: int) -> int:
        return self._types[number] * self._providers + provider

    def _cells(self, numbers: Iterable[int]) -> list[Figure]:
        """The means of each type and provider, in order of `_place`."""
        size = len(_TYPES) * self._providers
        counts, scores, costs = [0] * size, [0.0] * size, [0.0] * size
        for number in numbers:
            for provider, outcome in enumerate(self._asked[number].outcomes):
                if outcome is not None:
                    place = self._place(number, provider)
                    counts[place] += 1
                    scores[place] += outcome.score
                    costs[place] += outcome.cost_usd
        return [self._mean(place, counts, scores, costs) for place in range(size)]

    def _mean(self, place: int, counts: list[int], scores: list[float], costs: list[float]) -> Figure:
        if counts[place]:
            return scores[place] / counts[place], costs[place] / counts[place]
        column = slice(place % self._providers, None, self._providers)
        count = sum(counts[column])
        return (sum(scores[column]) / count, sum(costs[column]) / count) if count else (0.0, 0.0)


_TYPES = {query_type: number for number, query_type in enumerate(QueryType)}


def _weighed(places: Sequence[int], cells: Sequence[Figure]) -> Figure:
    counted = Counter(places).items()
    count = len(places)
    return (
        sum(cells[place][0] * times for place, times in counted) / count,
        sum(cells[place][1] * times for place, times in counted) / count,
    )


def _samples(count: int) -> list[Callable[[Sequence[Any]], tuple[Any, ...]]]:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    return [itemgetter(*chance.choices(range(count), k=count)) for _ in range(SAMPLES)]


def _rank(outcome: Outcome | None) -> Figure:
    return (0.0, 0.0) if outcome is None else (-outcome.score, outcome.cost_usd)
