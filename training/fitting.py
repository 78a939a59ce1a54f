"""Fits the logistic regression by stochastic gradient descent: plain Python, and the same result in every run."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from pointsman.linear_model import GROUP_WEIGHTS, TYPES, softmax
from pointsman.query_types import QueryType

SEED = 20261130
EPOCHS = 14
RATE = 0.8
"""The first step's length; the last one's is zero."""
L2 = 3e-5
NO_STEP_BELOW = 1e-3
"""A type whose probability is this near the truth is left alone: most are, most of the time."""
SEEN_AT_LEAST = 2
"""Features of a single example say nothing about another."""

_BIAS_RATE = 0.1

Groups = tuple[set[str], ...]


@dataclass(frozen=True)
class _Row:
    indices: list[int]
    values: list[float]
    label: int


@dataclass(frozen=True)
class Fit:
    """Weights by feature in the order of `TYPES`, and the bias."""

    weights: dict[str, list[float]]
    bias: list[float]

    def scores(self, groups: Groups) -> list[float]:
        """Logits of a question."""
        totals = list(self.bias)
        for group, group_weight in zip(groups, GROUP_WEIGHTS, strict=True):
            unit = group_weight / math.sqrt(max(len(group), 1))
            for feature in sorted(group):
                for at, weight in enumerate(self.weights.get(feature, ())):
                    totals[at] += unit * weight
        return totals


def fit(questions: Sequence[Groups], labels: Sequence[QueryType]) -> Fit:
    """Fit the questions' features to their types."""
    seen = Counter(feature for groups in questions for group in groups for feature in group)
    names = sorted(feature for feature, count in seen.items() if count >= SEEN_AT_LEAST)
    index = {feature: at for at, feature in enumerate(names)}
    rows = [_row(groups, label, index) for groups, label in zip(questions, labels, strict=True)]
    columns, bias = _descend(rows, len(names))
    return Fit(dict(zip(names, map(list, zip(*columns, strict=True)), strict=True)), bias)


def _row(groups: Groups, label: QueryType, index: dict[str, int]) -> _Row:
    indices: list[int] = []
    values: list[float] = []
    for group, group_weight in zip(groups, GROUP_WEIGHTS, strict=True):
        # Sorted: sets of strings have another order in every process, and sums of floats depend on it.
        known = sorted(index[feature] for feature in group if feature in index)
        indices += known
        values += [group_weight / math.sqrt(max(len(group), 1))] * len(known)
    return _Row(indices, values, TYPES.index(label))


def _descend(rows: list[_Row], size: int) -> tuple[list[list[float]], list[float]]:
    columns = [[0.0] * size for _ in TYPES]
    bias = [0.0] * len(TYPES)
    shrink = 1.0  # the weights are columns x shrink: L2 then costs one multiplication a step
    order = list(range(len(rows)))
    shuffled = random.Random(SEED)  # noqa: S311 - an order of examples, no secret
    steps, step = EPOCHS * len(rows), 0
    for _ in range(EPOCHS):
        shuffled.shuffle(order)
        for at in order:
            row = rows[at]
            rate = RATE * (1 - step / steps)
            step += 1
            scores = [
                shrink * sum(map(mul, map(column.__getitem__, row.indices), row.values)) + start
                for column, start in zip(columns, bias, strict=True)
            ]
            shrink *= 1 - rate * L2
            for kind, probability in enumerate(softmax(scores, 1.0)):
                error = probability - (kind == row.label)
                if abs(error) < NO_STEP_BELOW:
                    continue
                bias[kind] -= _BIAS_RATE * rate * error
                column, slope = columns[kind], rate * error / shrink
                for where, value in zip(row.indices, row.values, strict=True):
                    column[where] -= slope * value
    return [[weight * shrink for weight in column] for column in columns], bias
