"""Why a question is of its type: what a model read adds up to its odds, and what the rules matched is told."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.explanation.feature_words import in_words
from pointsman.explanation.kind import classified, of_reading
from pointsman.explanation.sentences import kind_in_words
from pointsman.linear_model import LinearModel
from pointsman.messages import Question
from pointsman.model_classifier import ModelClassifier, Reading, classifier_by, shipped_model
from pointsman.query_types import QueryType
from pointsman.routing import classify
from pointsman.text_features import features
from tests.builders import configuration

MODEL = configuration(classification={"by": "model"})
RULES = configuration(classification={"by": "rules"})
texts = st.text(min_size=1, max_size=300).filter(lambda text: bool(text.strip()))


@given(texts)
@settings(deadline=None)
def test_the_type_is_the_one_that_a_worker_finds(text: str) -> None:
    question = Question(prompt=text)
    for settled in (MODEL, RULES):
        expected = classify(question, settled, classifier_by(settled.classification.by))
        assert classified(question, settled)[0] == expected


@given(texts)
@settings(deadline=None)
def test_the_signs_add_up_to_the_odds_of_the_type_over_the_next_one(text: str) -> None:
    kind = of_reading(ModelClassifier().read(text), shipped_model())
    signs = sum(sign.weight for sign in (*kind.signs_for, *kind.signs_against))
    assert kind.probability is not None
    assert kind.runner_up_probability is not None
    assert signs + kind.others == pytest.approx(math.log(kind.probability / kind.runner_up_probability), abs=1e-6)


@given(texts)
@settings(deadline=None)
def test_signs_come_by_their_weight_those_for_the_type_first(text: str) -> None:
    kind = of_reading(ModelClassifier().read(text), shipped_model())
    weights = [sign.weight for sign in kind.signs_for]
    assert weights == sorted(weights, reverse=True)
    assert all(weight > 0 for weight in weights)
    assert all(sign.weight < 0 for sign in kind.signs_against)


def test_the_same_word_in_several_places_is_one_sign() -> None:
    _, kind = classified(Question(prompt="Prove that the sum of two odd numbers is even"), MODEL)
    (prove,) = [sign for sign in kind.signs_for if sign.text == "prove"]
    assert prove.seen_as == ("word", "opening", "first word")
    assert prove.weight > 0.5


def test_a_question_that_nothing_speaks_for_falls_back_and_says_so() -> None:
    unsure = LinearModel({}, (0.2, 0.1, 0.0, 0.0, 0.0), scale=1.0, temperature=1.0)
    groups = features("hm")
    kind = of_reading(Reading(groups, unsure.probabilities(groups)), unsure)
    assert kind.fell_back
    assert kind_in_words(kind) == "nothing is likelier than 0.3: analysis, though simple_factual is the likeliest"


def test_the_rules_tell_what_matched_the_last_of_which_decides() -> None:
    classification, kind = classified(Question(prompt="Who can explain this? Please review it."), RULES)
    assert [(match.query_type, match.text) for match in kind.matches] == [
        (QueryType.SIMPLE_FACTUAL, "who"),
        (QueryType.COMPLEX_REASONING, "explain"),
        (QueryType.ANALYSIS, "review"),
    ]
    assert classification.query_type == QueryType.ANALYSIS


def test_where_no_rule_matches_it_is_said() -> None:
    _, kind = classified(Question(prompt="hm"), RULES)
    assert kind.fell_back
    assert kind_in_words(kind) == "no pattern of the rules matches: analysis at 0.3"


def test_a_task_fixes_the_type() -> None:
    settled = configuration(routes={"sum": {"chain": ["alpha", "beta"]}}, classification={"by": "model"})
    for by in (settled, configuration(routes={"sum": {"chain": ["alpha", "beta"]}})):
        _, kind = classified(Question(prompt="hm", task="sum"), by)
        assert (kind.by, kind.fell_back) == ("route", False)
        assert kind_in_words(kind) == "the route of the task sum fixes the type"


def test_who_would_be_asked_first_is_named_where_a_model_is_to_classify() -> None:
    settled = configuration(classification={"by": "llm", "provider": "alpha"})
    _, kind = classified(Question(prompt="Who was it?"), settled)
    assert "a worker asks alpha first, which was not done here" in kind_in_words(kind)


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        ("word:prove", ("prove", "word")),
        ("word:prove that", ("prove that", "pair of words")),
        ("opens:prove that it", ("prove that it", "opening")),
        ("closes:lines", ("lines", "ending")),
        ("word 2:that", ("that", "second word")),
        ("letters:ove ", ("ove ", "letters")),
        ("shape:characters 7", ("64 to 127 characters", "shape")),
        ("shape:words 0", ("no words", "shape")),
        ("shape:numbers 1", ("1 number", "shape")),
        ("shape:question marks 0", ("no question marks", "shape")),
        ("shape:question marks 1", ("1 question mark", "shape")),
        ("shape:options 4", ("4 or more options", "shape")),
        ("shape:after the colon 3", ("32 to 127 characters after the colon", "shape")),
        ("shape:before the colon 0", ("hardly any characters before the colon", "shape")),
        ("shape:ends with ?", ("ends with ?", "shape")),
        ("shape:fence", ("a fence of code", "shape")),
        ("shape:ends with another sign", ("ends with no sign of a sentence", "shape")),
    ],
)
def test_a_feature_is_told_in_words(feature: str, words: tuple[str, str]) -> None:
    assert in_words(feature) == words


@given(texts)
@settings(deadline=None)
def test_every_feature_of_any_text_can_be_told(text: str) -> None:
    for group in features(text):
        for feature in group:
            seen, seen_as = in_words(feature)
            assert seen
            assert seen_as
