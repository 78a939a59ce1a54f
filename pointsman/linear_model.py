"""A multinomial logistic regression over `pointsman.text_features`, read from a file of small whole numbers.

A feature's weights, one for each query type, are signed bytes times `scale`; a group of features counts by its weight
in `GROUP_WEIGHTS` over the root of its size, so that a long question is weighed like a short one. The sums divided by
`temperature` (fitted on held-out examples) go through softmax and are the probabilities.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pointsman.query_types import QueryType

TYPES = tuple(QueryType)
GROUP_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 0.6)
"""How much words, opening, closing, letters and shape count. Shape less: lengths are habits of those who wrote."""

Weights = tuple[int, ...]
_LARGEST = 127


@dataclass(frozen=True)
class LinearModel:
    """What training found: each known feature's weights in the order of `TYPES`."""

    weights: Mapping[str, Weights]
    bias: tuple[float, ...]
    scale: float
    temperature: float

    def scores(self, groups: tuple[set[str], ...]) -> list[float]:
        """Each type's logit at temperature 1, in the order of `TYPES`. Unknown features count only for the size."""
        totals = list(self.bias)
        known = self.weights
        for group, group_weight in zip(groups, GROUP_WEIGHTS, strict=True):
            found = [row for feature in group if (row := known.get(feature)) is not None]
            if found:
                unit = self.scale * group_weight / math.sqrt(len(group))
                for at, column in enumerate(zip(*found, strict=True)):
                    totals[at] += unit * sum(column)
        return totals

    def contributions(self, groups: tuple[set[str], ...], towards: int, against: int) -> dict[str, float]:
        """What each known feature adds to the logarithm of the odds of one type over another, by their places."""
        known, found = self.weights, dict[str, float]()
        for group, group_weight in zip(groups, GROUP_WEIGHTS, strict=True):
            unit = self.scale * group_weight / math.sqrt(len(group) or 1) / self.temperature
            for feature in group:
                row = known.get(feature)
                if row is not None:
                    found[feature] = unit * (row[towards] - row[against])
        return found

    def prior(self, towards: int, against: int) -> float:
        """The same of what no feature tells: how usual the types are."""
        return (self.bias[towards] - self.bias[against]) / self.temperature

    def probabilities(self, groups: tuple[set[str], ...]) -> list[float]:
        """Each type's probability, in the order of `TYPES`."""
        return softmax(self.scores(groups), self.temperature)


def softmax(scores: list[float], temperature: float) -> list[float]:
    """Probabilities of logits; a higher temperature makes them more alike."""
    highest = max(scores)
    powers = [math.exp((score - highest) / temperature) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def compressed(weights: Mapping[str, list[float]], bias: list[float], temperature: float) -> LinearModel:
    """A model with weights as signed bytes; features that no longer weigh anything are left out."""
    scale = max((abs(weight) for row in weights.values() for weight in row), default=0.0) / _LARGEST or 1.0
    rounded = {feature: tuple(round(weight / scale) for weight in row) for feature, row in sorted(weights.items())}
    return LinearModel(
        weights={feature: row for feature, row in rounded.items() if any(row)},
        bias=tuple(bias),
        scale=scale,
        temperature=temperature,
    )


def to_json(model: LinearModel) -> str:
    """The file's text; the same model gives the same bytes."""
    numbers = b"".join(weight.to_bytes(1, "big", signed=True) for row in model.weights.values() for weight in row)
    document = {
        "types": [str(query_type) for query_type in TYPES],
        "bias": [round(value, 6) for value in model.bias],
        "scale": round(model.scale, 8),
        "temperature": round(model.temperature, 4),
        "features": "\n".join(model.weights),
        "weights": base64.b64encode(numbers).decode("ascii"),
    }
    return json.dumps(document, ensure_ascii=False, indent=0) + "\n"


def from_json(text: str) -> LinearModel:
    """Read `to_json`'s text.

    Raises:
        ValueError: for another order of types or a count of weights that does not fit the features.

    """
    document: dict[str, Any] = json.loads(text)
    if document["types"] != [str(query_type) for query_type in TYPES]:
        raise ValueError(f"The model was trained for the types {document['types']}; train it again.")
    names: list[str] = document["features"].split("\n")
    numbers = memoryview(base64.b64decode(document["weights"])).cast("b").tolist()
    rows = zip(*(iter(numbers),) * len(TYPES), strict=True)
    return LinearModel(
        weights=dict(zip(names, rows, strict=True)),
        bias=tuple(document["bias"]),
        scale=document["scale"],
        temperature=document["temperature"],
    )
