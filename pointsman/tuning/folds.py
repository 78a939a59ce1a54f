"""Questions that are judged, and the others, from which is learned what a provider is worth."""

from __future__ import annotations

import random
from dataclasses import dataclass

FOLDS, SEED = 5, 1


@dataclass(frozen=True)
class Fold:
    """Places of questions among all."""

    learned: tuple[int, ...]
    judged: tuple[int, ...]


def folds(count: int) -> list[Fold]:
    """Five, the seed fixed; each question is judged once, and never learned from where it is judged."""
    order = list(range(count))
    random.Random(SEED).shuffle(order)  # noqa: S311 - no secret
    parts = [order[number::FOLDS] for number in range(FOLDS)]
    return [
        Fold(tuple(number for other in parts if other is not part for number in other), tuple(part)) for part in parts
    ]
