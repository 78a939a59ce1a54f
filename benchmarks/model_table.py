"""Outcomes of many models on the same questions: what each was right in, and what its answer cost."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

OUTCOMES, PRICES = "zeroeval_11models.jsonl", "META.json"
FOLDS, SEED = 5, 1
_CHARACTERS_PER_TOKEN = 4
"""The data's own rule of cost."""


@dataclass(frozen=True)
class Model:
    """A model and its price, in USD per million tokens."""

    name: str
    input: float
    output: float


@dataclass(frozen=True)
class Row:
    """A question; for each model in order whether it was right, its answer's characters, and what that cost in USD."""

    task: str
    prompt: str
    right: tuple[int, ...]
    characters: tuple[int, ...]
    usd: tuple[float, ...]


@dataclass(frozen=True)
class Fold:
    """Questions to be judged, and the others, from which strengths are estimated."""

    learned: list[Row]
    judged: list[int]
    """Their places among all rows."""

    def strength(self, model: int, rows: Sequence[Row] | None = None) -> float:
        """The share of the learned questions (or of `rows`) that the model was right in."""
        return mean(row.right[model] for row in (self.learned if rows is None else rows))


def read(folder: Path) -> tuple[list[Model], list[Row]]:
    """The models and the rows of a folder."""
    described = json.loads((folder / PRICES).read_text(encoding="utf-8"))[OUTCOMES]
    prices = described["usd_per_million_in_out"]
    models = [Model(name, *prices[name]) for name in described["order_of_m"]]
    return models, list(_rows(folder / OUTCOMES, models))


def folds(rows: Sequence[Row]) -> list[Fold]:
    """Five, the seed fixed; each question is judged once."""
    order = list(range(len(rows)))
    random.Random(SEED).shuffle(order)
    parts = [order[number::FOLDS] for number in range(FOLDS)]
    return [Fold([rows[number] for other in parts if other is not part for number in other], part) for part in parts]


def _rows(path: Path, models: Sequence[Model]) -> Iterator[Row]:
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            sizes = tuple(entry[1] for entry in row["m"])
            usd = tuple(_usd(model, len(row["prompt"]), size) for model, size in zip(models, sizes, strict=True))
            yield Row(row["task"], row["prompt"], tuple(entry[0] for entry in row["m"]), sizes, usd)


def _usd(model: Model, asked: int, answered: int) -> float:
    return (asked * model.input + answered * model.output) / _CHARACTERS_PER_TOKEN / 1_000_000
