"""What a router reaches that is trained on outcomes of the very set it is measured on: ridge regression on the gain.

Nothing that is trained here is kept or shipped. Plain Python: words and pairs of words by TF-IDF, beside them the parts
of the shipped complexity; solved by conjugate gradients.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul

from benchmarks.router_quality import Outcome
from pointsman.complexity import rated
from pointsman.model_classifier import ModelClassifier

FOLDS = 5
_PENALTY = 2.0
_ROUNDS = 12
_LEAST_SEEN = 2
_PARTS_WEIGH = 0.5
_WORD = re.compile(r"[^\W_]+")

Row = dict[str, float]
Vector = list[float]


@dataclass(frozen=True)
class Sparse:
    """A question's features by number: those that it has, and their values."""

    columns: list[int]
    values: Vector

    def times(self, vector: Vector) -> float:
        """The sum of value x vector over what it has."""
        return float(sum(map(mul, self.values, map(vector.__getitem__, self.columns))))


def rows(outcomes: Sequence[Outcome]) -> list[Sparse]:
    """Each question's features; nothing of its outcome is in them."""
    words = [_counted(one.prompt) for one in outcomes]
    seen = Counter(word for found in words for word in found)
    rarity = {word: math.log(len(words) / count) for word, count in seen.items() if count >= _LEAST_SEEN}
    named = [
        _scaled({word: (1 + math.log(count)) * rarity[word] for word, count in found.items() if word in rarity})
        | _parts(one.prompt)
        for one, found in zip(outcomes, words, strict=True)
    ]
    number = {name: place for place, name in enumerate(sorted({name for row in named for name in row}))}
    return [Sparse([number[name] for name in row], list(row.values())) for row in named]


def out_of_fold(features: Sequence[Sparse], gains: Sequence[float], seed: int) -> Vector:
    """For each question the gain that a model expects which saw four fifths of the others."""
    order = list(range(len(features)))
    random.Random(seed).shuffle(order)
    expected = [0.0] * len(order)
    width = 1 + max(column for row in features for column in row.columns)
    for fold in range(FOLDS):
        held_out = order[fold::FOLDS]
        learned = sorted(set(order) - set(held_out))
        mean = sum(gains[number] for number in learned) / len(learned)
        weights = ridge([features[number] for number in learned], [gains[number] - mean for number in learned], width)
        for number in held_out:
            expected[number] = features[number].times(weights)
    return expected


def ridge(features: Sequence[Sparse], targets: Sequence[float], width: int) -> Vector:
    """The weights w of `width` features that make |Xw - y|^2 + penalty |w|^2 least, by conjugate gradients."""
    weights, residual = [0.0] * width, _back(features, targets, width)
    direction, size = residual, sum(value * value for value in residual)
    for _ in range(_ROUNDS):
        if size == 0:
            break
        image = _back(features, [row.times(direction) for row in features], width)
        curved = [image_at + _PENALTY * value for image_at, value in zip(image, direction, strict=True)]
        step = size / sum(map(mul, direction, curved))
        weights = [weight + step * value for weight, value in zip(weights, direction, strict=True)]
        residual = [value - step * bent for value, bent in zip(residual, curved, strict=True)]
        last, size = size, sum(value * value for value in residual)
        direction = [value + size / last * before for value, before in zip(residual, direction, strict=True)]
    return weights


def _back(features: Sequence[Sparse], values: Sequence[float], width: int) -> Vector:
    total = [0.0] * width
    for row, value in zip(features, values, strict=True):
        for column, weight in zip(row.columns, row.values, strict=True):
            total[column] += weight * value
    return total


def _counted(text: str) -> Counter[str]:
    words = _WORD.findall(text.lower())
    return Counter([*words, *(f"{first} {second}" for first, second in pairwise(words))])


def _scaled(row: Row) -> Row:
    size = math.sqrt(sum(value * value for value in row.values())) or 1.0
    return {name: value / size for name, value in row.items()}


def _parts(text: str) -> Row:
    reasons = rated(text, ModelClassifier().classify(text).query_type).reasons
    return {f"part:{one.what}": _PARTS_WEIGH * one.points for one in reasons}
