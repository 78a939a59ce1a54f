"""The trained classifier behind the port, and which classifier a configuration asks for.

>>> ModelClassifier().classify("Prove that the root of three is irrational").query_type
<QueryType.COMPLEX_REASONING: 'complex_reasoning'>

`make train-classifier` writes the model's file from `training/examples/`; docs/decisions/0019 says why it is as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import assert_never

from pointsman.classification import (
    UNKNOWN_CONFIDENCE,
    Classification,
    Classifier,
    ClassifierName,
    RuleClassifier,
    of_type,
)
from pointsman.linear_model import TYPES, LinearModel, from_json
from pointsman.query_types import QueryType
from pointsman.text_features import features

MODEL_FILE = "classification_model.json"


@cache
def shipped_model() -> LinearModel:
    """The model of this version, read once a process."""
    return from_json(files("pointsman").joinpath(MODEL_FILE).read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Reading:
    """What the model reads of a text, and what it makes of that, in the order of `TYPES`."""

    groups: tuple[set[str], ...]
    probabilities: list[float]

    @property
    def classification(self) -> Classification:
        """The likeliest type with its calibrated probability; below 0.3 analysis at 0.3."""
        confidence = max(self.probabilities)
        if confidence < UNKNOWN_CONFIDENCE:
            return of_type(QueryType.ANALYSIS, UNKNOWN_CONFIDENCE, "model")
        return of_type(TYPES[self.probabilities.index(confidence)], confidence, "model")


class ModelClassifier:
    """A linear model over the text; without network, under 2 ms for a text of any length."""

    def __init__(self, model: LinearModel | None = None) -> None:
        """Use `model`, by default the one that is shipped."""
        self._model = shipped_model() if model is None else model

    def classify(self, text: str) -> Classification:
        """The likeliest type with its calibrated probability; below 0.3 (or of no text) analysis at 0.3."""
        if not text.strip():
            return of_type(QueryType.ANALYSIS, UNKNOWN_CONFIDENCE, "model")
        return self.read(text).classification

    def read(self, text: str) -> Reading:
        """What the classification of a text rests on."""
        groups = features(text)
        return Reading(groups, self._model.probabilities(groups))


def classifier_by(name: ClassifierName) -> Classifier:
    """The classifier inside the worker. Where an LLM is asked, the rules decide if it does not answer."""
    match name:
        case "model":
            return ModelClassifier()
        case "rules" | "llm":
            return RuleClassifier()
        case _:
            assert_never(name)
