"""The model's arithmetic and its file."""

from __future__ import annotations

import json
import math

import pytest

from pointsman.linear_model import GROUP_WEIGHTS, TYPES, LinearModel, compressed, from_json, softmax, to_json

EMPTY: tuple[set[str], ...] = (set(), set(), set(), set(), set())
CODE = TYPES.index(TYPES[3])


def _model(**changes: object) -> LinearModel:
    weights = {"word:compile": [0.0, 0.0, 0.0, 2.0, -1.0], "word:poem": [0.0, 0.0, 1.5, 0.0, 0.0]}
    return compressed(weights, [0.1, 0.2, 0.3, 0.4, 0.5], 1.0)


def test_a_question_of_unknown_features_is_judged_by_the_bias() -> None:
    assert _model().scores(({"word:unheard"}, set(), set(), set(), set())) == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_a_group_counts_by_its_weight_over_the_root_of_its_size() -> None:
    scores = _model().scores(({"word:compile", "word:a", "word:b", "word:c"}, set(), set(), set(), set()))
    assert scores[CODE] - 0.4 == pytest.approx(GROUP_WEIGHTS[0] * 2.0 / 2)


def test_probabilities_sum_to_one_for_the_largest_scores() -> None:
    assert sum(softmax([900.0, -900.0, 0.0], 0.5)) == pytest.approx(1.0)


def test_a_higher_temperature_makes_less_sure() -> None:
    assert max(softmax([1.0, 2.0], 2.0)) < max(softmax([1.0, 2.0], 1.0))


def test_a_weight_survives_as_a_byte_to_half_a_step() -> None:
    model = compressed({"word:a": [1.0, 0.333, -0.5, 0.0, 0.01]}, [0.0] * 5, 1.0)
    found = [weight * model.scale for weight in model.weights["word:a"]]
    assert found == pytest.approx([1.0, 0.333, -0.5, 0.0, 0.01], abs=model.scale / 2)


def test_a_feature_that_rounds_to_nothing_is_left_out() -> None:
    assert set(compressed({"word:a": [1.0] * 5, "word:b": [0.001] * 5}, [0.0] * 5, 1.0).weights) == {"word:a"}


def test_a_model_without_features_is_still_one() -> None:
    assert compressed({}, [0.0] * 5, 1.0).probabilities(EMPTY) == [0.2] * 5


def test_what_is_written_is_read() -> None:
    written = _model()
    read = from_json(to_json(written))
    assert read.weights == written.weights
    assert (read.bias, read.temperature) == (written.bias, written.temperature)
    assert math.isclose(read.scale, written.scale, rel_tol=1e-4)
    assert to_json(read) == to_json(written)


def test_a_file_for_other_types_is_refused() -> None:
    document = json.loads(to_json(_model()))
    document["types"].reverse()
    with pytest.raises(ValueError, match="train it again"):
        from_json(json.dumps(document))


def test_a_file_with_too_few_weights_is_refused() -> None:
    document = json.loads(to_json(_model()))
    document["features"] += "\nword:one more"
    with pytest.raises(ValueError, match=r"longer|shorter"):
        from_json(json.dumps(document))
