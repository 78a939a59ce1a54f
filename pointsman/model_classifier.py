"""The trained classifier behind the port, and which classifier a configuration asks for.

>>> ModelClassifier().classify("Prove that the root of three is irrational").query_type
<QueryType.COMPLEX_REASONING: 'complex_reasoning'>

`make train-classifier` writes the model's file from `training/examples/`; docs/decisions/0019 says why it is as it is.
"""

from __future__ import annotations

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


class ModelClassifier:
    """A linear model over the text; without network, under 2 ms for a text of any length."""

    def __init__(self, model: LinearModel | None = None) -> None:
        """Use `model`, by default the one that is shipped."""
        self._model = shipped_model() if model is None else model

    def classify(self, text: str) -> Classification:
        """The likeliest type with its calibrated probability; below 0.3 (or of no text) analysis at 0.3."""
        if not text.strip():
            return of_type(QueryType.ANALYSIS, UNKNOWN_CONFIDENCE, "model")
        probabilities = self._model.probabilities(features(text))
        confidence = max(probabilities)
        if confidence < UNKNOWN_CONFIDENCE:
            return of_type(QueryType.ANALYSIS, UNKNOWN_CONFIDENCE, "model")
        return of_type(TYPES[probabilities.index(confidence)], confidence, "model")


def classifier_by(name: ClassifierName) -> Classifier:
    """The classifier inside the worker. Where an LLM is asked, the rules decide if it does not answer."""
    match name:
        case "model":
            return ModelClassifier()
        case "rules" | "llm":
            return RuleClassifier()
        case _:
            assert_never(name)
