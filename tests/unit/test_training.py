"""The examples that the classifier is trained from, and the training itself on a handful."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pointsman.linear_model import TYPES, compressed, to_json
from pointsman.query_types import QueryType
from pointsman.text_features import features
from training import examples
from training.calibration import HeldOut, held_out, temperature
from training.examples import FOLDS, Example
from training.fitting import fit

EXAMPLES = examples.read()
MULTILINGUAL = Path(__file__).parents[1] / "data" / "classification_multilingual.jsonl"
FEW = [
    Example(text, query_type, "few", number % FOLDS)
    for number, (text, query_type) in enumerate(
        [
            ("write a poem on rain", QueryType.CREATIVE_GENERATION),
            ("sort this list in code", QueryType.CODE_TASK),
            ("write a poem on snow", QueryType.CREATIVE_GENERATION),
            ("sort that list in code", QueryType.CODE_TASK),
        ]
        * 3
    )
]
QUESTIONS = [features(example.text) for example in FEW]


def test_each_type_has_at_least_three_hundred_examples() -> None:
    counts = Counter(example.query_type for example in EXAMPLES)
    assert set(counts) == set(QueryType)
    assert min(counts.values()) >= 300


def test_no_example_is_written_twice() -> None:
    texts = [example.text.lower() for example in EXAMPLES]
    assert [text for text, count in Counter(texts).items() if count > 1] == []


def test_no_example_is_a_test_question() -> None:
    lines = MULTILINGUAL.read_text(encoding="utf-8").splitlines()
    tested = {json.loads(line)["text"].strip().lower() for line in lines}
    assert [example.text for example in EXAMPLES if example.text.lower() in tested] == []


def test_a_manner_of_asking_is_held_out_as_a_whole_and_a_language_in_parts() -> None:
    folds: dict[str, set[int]] = {}
    for example in EXAMPLES:
        folds.setdefault(example.batch, set()).add(example.fold)
    assert all(len(found) == (1 if batch.startswith("en-") else FOLDS) for batch, found in folds.items())
    assert {fold for found in folds.values() for fold in found} == set(range(FOLDS))


def test_training_learns_and_gives_the_same_file_again() -> None:
    files = [
        to_json(compressed(model.weights, model.bias, 1.0))
        for model in (fit(QUESTIONS, [example.query_type for example in FEW]) for _ in range(2))
    ]
    assert files[0] == files[1]
    model = fit(QUESTIONS, [example.query_type for example in FEW])
    scores = model.scores(features("a poem on fog"))
    assert TYPES[scores.index(max(scores))] == QueryType.CREATIVE_GENERATION


def test_the_byte_weights_judge_as_the_fitted_ones_do() -> None:
    model = fit(QUESTIONS, [example.query_type for example in FEW])
    small = compressed(model.weights, model.bias, 1.0)
    for question in QUESTIONS:
        assert small.scores(question) == pytest.approx(model.scores(question), abs=0.05)


def test_every_example_is_held_out_once() -> None:
    found = held_out(FEW, QUESTIONS)
    assert sorted(id(one.example) for one in found) == sorted(id(example) for example in FEW)


def test_the_temperature_is_low_for_the_modest_and_high_for_the_boastful() -> None:
    right, wrong = FEW[0], FEW[1]
    scores = [0.0, 0.0, 2.0, 0.0, 0.0]
    boastful = [HeldOut(right, scores), HeldOut(wrong, scores)]
    modest = [HeldOut(right, scores)] * 20 + [HeldOut(wrong, scores)]
    assert temperature(boastful) > 1.0 > temperature(modest)
