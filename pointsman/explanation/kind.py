"""Why a question was taken for its type: the signs in its text that spoke for it, and for the next likely type."""

from __future__ import annotations

from heapq import nlargest, nsmallest

from pydantic import BaseModel, ConfigDict

from pointsman.classification import UNKNOWN_CONFIDENCE, Classification, rule_matches
from pointsman.configuration import Configuration
from pointsman.explanation.feature_words import PLACES, in_words
from pointsman.linear_model import TYPES, LinearModel
from pointsman.messages import Question
from pointsman.model_classifier import ModelClassifier, Reading, classifier_by, shipped_model
from pointsman.query_types import QueryType
from pointsman.routing import classify

_SHOWN_FOR, _SHOWN_AGAINST = 5, 3
_LOOKED_AT = 32
"""Features, half of them for and half against the type, from which the signs that are shown are made."""


class Sign(BaseModel):
    """Something seen in the text, as a word, an opening, letters, a shape, and how much it tells."""

    model_config = ConfigDict(frozen=True)

    text: str
    seen_as: tuple[str, ...]
    weight: float
    """What it adds to the logarithm of the odds of the type over the next one; below 0 it speaks for that."""


class Match(BaseModel):
    """A pattern of the source document that matched: its type, and the words from its first to its last one."""

    model_config = ConfigDict(frozen=True)

    query_type: QueryType
    text: str


class KindReasons(BaseModel):
    """What a type rests on. Which fields are filled depends on who decided: `by`."""

    model_config = ConfigDict(frozen=True)

    by: str
    task: str | None = None
    """The task whose route fixes the type."""
    likeliest: QueryType | None = None
    """The likeliest type by the model; the decision's own unless `fell_back`."""
    probability: float | None = None
    runner_up: QueryType | None = None
    runner_up_probability: float | None = None
    fell_back: bool = False
    """Whether nothing was surer than 0.3, so that the question counts as analysis."""
    signs_for: tuple[Sign, ...] = ()
    signs_against: tuple[Sign, ...] = ()
    others: float = 0.0
    """What all other signs, and how usual the types are, add together."""
    matches: tuple[Match, ...] = ()
    """The rules' matches in the order of the patterns: the last one decides."""
    asks_first: str | None = None
    """The provider that a worker asks first, where one is to classify; nobody was asked here."""


class _Noting:
    """The trained classifier, which keeps what it read for the explanation."""

    def __init__(self) -> None:
        self.reading: Reading | None = None
        self._model = ModelClassifier()

    def classify(self, text: str) -> Classification:
        if not text.strip():
            return self._model.classify(text)
        self.reading = self._model.read(text)
        return self.reading.classification


def classified(question: Question, configuration: Configuration) -> tuple[Classification, KindReasons]:
    """The question's type as a worker finds it without asking anybody, and why.

    Raises:
        UnknownName: the task is not a route.
    """
    settings = configuration.classification
    if settings.by == "model":
        noting = _Noting()
        found = classify(question, configuration, noting)
        if noting.reading is not None:
            return found, of_reading(noting.reading, shipped_model())
        return found, KindReasons(by=found.classifier, task=question.task, fell_back=question.task is None)
    found = classify(question, configuration, classifier_by(settings.by))
    if question.task is not None:
        return found, KindReasons(by="route", task=question.task)
    matches = tuple(Match(query_type=kind, text=text) for kind, text in rule_matches(question.text))
    asked = settings.provider if settings.by == "llm" else None
    return found, KindReasons(by="rules", matches=matches, fell_back=not matches, asks_first=asked)


def of_reading(reading: Reading, model: LinearModel) -> KindReasons:
    """The signs that weigh most for the likeliest type, and for the next one, of all that the model read."""
    first, second = sorted(range(len(TYPES)), key=lambda at: -reading.probabilities[at])[:2]
    contributions = model.contributions(reading.groups, first, second)
    signs = _signs(contributions)
    pro = [_sign(*sign) for sign in signs[:_SHOWN_FOR] if sign[0] > 0]
    con = [_sign(*sign) for sign in signs[: -_SHOWN_AGAINST - 1 : -1] if sign[0] < 0]
    everything = model.prior(first, second) + sum(contributions.values())
    return KindReasons(
        by="model",
        likeliest=TYPES[first],
        probability=reading.probabilities[first],
        runner_up=TYPES[second],
        runner_up_probability=reading.probabilities[second],
        fell_back=reading.probabilities[first] < UNKNOWN_CONFIDENCE,
        signs_for=tuple(pro),
        signs_against=tuple(con),
        others=round(everything - sum(sign.weight for sign in (*pro, *con)), 6),
    )


def _signs(contributions: dict[str, float]) -> list[tuple[float, list[str]]]:
    """The weightiest ones, those for the type first. The same words seen in several places are one sign."""
    half = _LOOKED_AT // 2
    weighed_features = [(weight, feature) for feature, weight in contributions.items()]
    weighty = [feature for _, feature in (*nlargest(half, weighed_features), *nsmallest(half, weighed_features))]
    alike = dict.fromkeys([_alike(feature) for feature in weighty])
    found = [[one for one in features if one in contributions] for features in alike]
    weighed = [(round(sum([contributions[one] for one in features]), 3), features) for features in found]
    return sorted(weighed, key=lambda sign: -sign[0])


def _alike(feature: str) -> tuple[str, ...]:
    kind, _, seen = feature.partition(":")
    return (feature,) if kind == "shape" else tuple([f"{place}:{seen}" for place in PLACES])


def _sign(weight: float, features: list[str]) -> Sign:
    words = [in_words(feature) for feature in features]
    return Sign(text=words[0][0], seen_as=tuple([seen_as for _, seen_as in words]), weight=weight)
