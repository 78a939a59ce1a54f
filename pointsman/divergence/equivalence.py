"""Answers that say the same, as one class each: what a majority vote counts.

Agreement is no equivalence: "50" agrees with "50 %", that with "0.5", and "50" does not agree with "0.5". So two
answers are in one class only if they agree with each other and with exactly the same others. Hence

- all members of a class agree with one another; "cannot tell" and "disagree" never share a class, not even by way of
  a third answer;
- an answer that agrees with two that do not agree stands alone, and its vote is in doubt, as it is for the reader;
- the classes do not depend on the order of the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from pointsman.divergence.comparison import Comparison
from pointsman.divergence.detector import compare
from pointsman.divergence.settings import DEFAULTS, DivergenceSettings
from pointsman.divergence.statement import Statement


@dataclass(frozen=True)
class Partition:
    """The classes of answers, by position, and how they were found."""

    classes: tuple[tuple[int, ...], ...]
    """Each in ascending order; the largest first, and among equals the one with the first answer."""
    comparisons: dict[tuple[int, int], Comparison]
    """Of each pair (i, j) with i < j."""


def partition_of(
    answers: Sequence[str | Statement],
    *,
    question: str | None = None,
    schema: dict[str, Any] | None = None,
    settings: DivergenceSettings = DEFAULTS,
) -> Partition:
    """Compare every answer with every other; an empty one counts as an answer."""
    comparisons = {
        (i, j): compare(answers[i], answers[j], question=question, schema=schema, settings=settings)
        for i, j in combinations(range(len(answers)), 2)
    }
    return Partition(classes_of(len(answers), comparisons), comparisons)


def classes_of(count: int, comparisons: dict[tuple[int, int], Comparison]) -> tuple[tuple[int, ...], ...]:
    """The classes that comparisons of all pairs leave; for those who have made the comparisons already."""
    neighbours = [
        frozenset(j for j in range(count) if i == j or comparisons[min(i, j), max(i, j)].verdict == "agree")
        for i in range(count)
    ]
    members: dict[frozenset[int], list[int]] = {}
    for i, around in enumerate(neighbours):
        members.setdefault(around, []).append(i)
    return tuple(sorted(map(tuple, members.values()), key=lambda one: (-len(one), one)))
