"""The classifier that is shipped: what it takes questions for, and what it owes for any text."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.classification import RuleClassifier
from pointsman.linear_model import TYPES, LinearModel
from pointsman.model_classifier import MODEL_FILE, ModelClassifier, classifier_by, shipped_model
from pointsman.query_types import COMPLEXITY, QueryType
from pointsman.text_features import features

MULTILINGUAL = Path(__file__).parents[1] / "data" / "classification_multilingual.jsonl"
CLASSIFIER = ModelClassifier()
FILLER = "The harbour lay quiet and the boats were tied up for the winter. " * 200


@pytest.mark.parametrize(
    ("text", "query_type"),
    [
        ("Who founded the city of Carthage?", "simple_factual"),
        ("Is it true that oysters can change their sex?", "simple_factual"),
        ("Explain why a curve ball curves", "complex_reasoning"),
        ("Prove that the square of an even number is even.", "complex_reasoning"),
        ("Plan a six day tour of Sicily by bus", "complex_reasoning"),
        ("Compose a poem on the last tram of the night", "creative_generation"),
        ("Pretend you are a bored customs officer", "creative_generation"),
        ("def f(x): return x +\n\nwhy is this a SyntaxError?", "code_task"),
        ("Write a function that removes blank lines from a file", "code_task"),
        ("Summarize the letter below in two sentences.", "analysis"),
        ("Rank these teas by caffeine: mint, black, white, green", "analysis"),
        # What the source document's rules take for another type.
        ("What is wrong with my loop? for (;;) { i++; }", "code_task"),
        ("Write a summary of this report", "analysis"),
        ("Schreibe ein Gedicht über den Nebel", "creative_generation"),
        ("写一个冒泡排序的函数", "code_task"),
    ],
)
def test_a_plain_question_is_taken_for_what_it_is(text: str, query_type: str) -> None:
    assert CLASSIFIER.classify(text).query_type == query_type


@pytest.mark.parametrize("language", ["ar", "de", "es", "fr", "hi", "ja", "pt", "zh"])
def test_two_thirds_of_the_questions_in_a_language_are_taken_for_what_they_are(language: str) -> None:
    rows = [json.loads(line) for line in MULTILINGUAL.read_text(encoding="utf-8").splitlines()]
    asked = [row for row in rows if row["language"] == language]
    right = sum(CLASSIFIER.classify(row["text"]).query_type == row["label"] for row in asked)
    assert len(asked) == 50
    assert right >= 0.65 * len(asked)


def test_the_test_questions_cover_every_type_ten_times_in_every_language() -> None:
    rows = [json.loads(line) for line in MULTILINGUAL.read_text(encoding="utf-8").splitlines()]
    kinds = [(row["language"], row["label"]) for row in rows]
    assert {kind: kinds.count(kind) for kind in kinds} == dict.fromkeys(kinds, 10)
    assert len(set(kinds)) == 8 * len(QueryType)


def test_the_confidence_is_the_models_probability() -> None:
    text = "Explain why a curve ball curves"
    probabilities = shipped_model().probabilities(features(text))
    found = CLASSIFIER.classify(text)
    assert found.confidence == max(probabilities)
    assert (found.classifier, found.complexity) == ("model", COMPLEXITY[found.query_type])


def test_a_low_confidence_is_analysis_at_0_3() -> None:
    unsure = ModelClassifier(LinearModel({}, (0.4, 0.2, 0.0, 0.0, 0.0), scale=1.0, temperature=1.0))
    found = unsure.classify("hm")
    assert (found.query_type, found.confidence, found.classifier) == (QueryType.ANALYSIS, 0.3, "model")


def test_a_confidence_of_more_than_0_3_stands() -> None:
    sure = ModelClassifier(LinearModel({}, (0.8, 0.0, 0.0, 0.0, 0.0), scale=1.0, temperature=1.0))
    found = sure.classify("hm")
    assert found.query_type == QueryType.SIMPLE_FACTUAL
    assert found.confidence > 0.3


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_no_text_is_analysis_at_0_3(text: str) -> None:
    found = CLASSIFIER.classify(text)
    assert (found.query_type, found.confidence) == (QueryType.ANALYSIS, 0.3)


@given(st.text(st.characters(exclude_categories=()), max_size=200), st.integers(1, 60))
@settings(deadline=None)
def test_any_text_is_classified(text: str, times: int) -> None:
    found = CLASSIFIER.classify(text * times)
    assert found.query_type in TYPES
    assert 0.3 <= found.confidence <= 1.0


def test_what_is_wanted_of_a_long_text_is_read_before_and_after_it() -> None:
    wanted = "Summarize the following text in three bullet points."
    assert CLASSIFIER.classify(f"{wanted}\n\n{FILLER}").query_type == "analysis"
    assert CLASSIFIER.classify(f"{FILLER}\n\n{wanted}").query_type == "analysis"


def test_the_middle_of_a_long_text_changes_nothing_but_its_length() -> None:
    other = FILLER.replace("harbour", "compile")
    text, changed = (f"{FILLER[:2000]}{middle}{FILLER[:2000]}" for middle in (FILLER, other))
    assert CLASSIFIER.classify(text) == CLASSIFIER.classify(changed)


def test_the_same_text_is_the_same_in_another_process() -> None:
    text = "Compare the two offers and tell me which is cheaper over three years"
    program = (
        "import sys; from pointsman.model_classifier import ModelClassifier; "
        "print(ModelClassifier().classify(sys.argv[1]).model_dump_json())"
    )
    said = subprocess.run([sys.executable, "-c", program, text], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == CLASSIFIER.classify(text).model_dump_json()


def test_the_models_file_is_less_than_two_megabytes() -> None:
    assert len(files("pointsman").joinpath(MODEL_FILE).read_bytes()) < 2_000_000


def test_the_model_is_read_once_a_process() -> None:
    assert shipped_model() is shipped_model()


def test_a_configuration_names_its_classifier() -> None:
    assert isinstance(classifier_by("model"), ModelClassifier)
    assert isinstance(classifier_by("rules"), RuleClassifier)
    # The rules decide where the model that is asked does not answer.
    assert isinstance(classifier_by("llm"), RuleClassifier)
