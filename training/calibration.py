"""Held-out predictions by cross-validation, and the temperature under which their confidence means what it says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pointsman.linear_model import TYPES, softmax
from training.examples import FOLDS, Example
from training.fitting import Groups, fit

_LOWEST, _HIGHEST = 0.2, 5.0
_HALVINGS = 40
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class HeldOut:
    """What a model that never saw the example's fold says of it."""

    example: Example
    scores: list[float]


def held_out(examples: Sequence[Example], questions: Sequence[Groups]) -> list[HeldOut]:
    """Each example's logits from the model of the other folds."""
    found: list[HeldOut] = []
    for fold in range(FOLDS):
        others = [at for at, example in enumerate(examples) if example.fold != fold]
        model = fit([questions[at] for at in others], [examples[at].query_type for at in others])
        found += [
            HeldOut(example, model.scores(groups))
            for example, groups in zip(examples, questions, strict=True)
            if example.fold == fold
        ]
    return found


def temperature(predictions: Sequence[HeldOut]) -> float:
    """The temperature of the least cross-entropy, by golden section: the loss has one valley."""
    low, high = _LOWEST, _HIGHEST
    for _ in range(_HALVINGS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if _loss(predictions, left) < _loss(predictions, right):
            high = right
        else:
            low = left
    return (low + high) / 2


def _loss(predictions: Sequence[HeldOut], at_temperature: float) -> float:
    return -sum(
        math.log(max(softmax(one.scores, at_temperature)[TYPES.index(one.example.query_type)], 1e-12))
        for one in predictions
    )
