"""Every choice is Pointsman's own decision, learned from other questions than the one that is judged."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from pointsman.configuration import Scoring
from pointsman.errors import InvalidOutcomes
from pointsman.policy import OwnWeights, PolicyName
from pointsman.tuning.choices import chosen_by, swept
from pointsman.tuning.folds import folds
from pointsman.tuning.learned import Lesson, priced
from tests.builders import provider
from tests.known_outcomes import CHEAP_USD, DEAR_USD, outcomes, rows

WEIGHTS = (0.0, 0.05, 0.3, 0.7)


def test_every_question_is_judged_once_by_those_that_are_not_judged_with_it() -> None:
    parts = folds(93)
    assert sorted(number for part in parts for number in part.judged) == list(range(93))
    assert all(not set(part.judged) & set(part.learned) for part in parts)


def test_a_sweep_chooses_what_a_decision_under_each_weight_does(tmp_path: Path) -> None:
    known, parts = outcomes(tmp_path, rows()), folds(120)
    scoring = Scoring(max_cost_per_1k=0.05)
    apart = [
        chosen_by(known, parts, scoring.model_copy(update={"weights": OwnWeights(cost=weight)})) for weight in WEIGHTS
    ]
    assert swept(known, parts, scoring, WEIGHTS) == apart
    assert len({tuple(choice) for choice in apart}) > 1


@pytest.mark.parametrize("policy", get_args(PolicyName))
def test_no_policy_sends_code_to_the_one_that_fails_at_it(policy: PolicyName, tmp_path: Path) -> None:
    known = outcomes(tmp_path, rows())
    choice = chosen_by(known, folds(120), Scoring(policy=policy))
    assert {choice[number] for number in range(0, 120, 3)} == {1}


def test_a_price_follows_from_what_answers_cost(tmp_path: Path) -> None:
    known = priced(outcomes(tmp_path, rows()))
    lesson = Lesson(known, known.asked)
    cheap, dear = lesson.price(0), lesson.price(1)
    assert cheap.input == cheap.output
    assert dear.input / cheap.input == pytest.approx(DEAR_USD / CHEAP_USD)


def test_the_owners_price_depth_and_context_hold(tmp_path: Path) -> None:
    known = priced(outcomes(tmp_path, rows()))
    own = provider(reasoning_depth=2.5, context_tokens=7000, price={"input": 3, "output": 4})
    made = Lesson(known, known.asked, {"dear": own}).configuration(Scoring(), textless=False).providers["provider-1"]
    assert (made.reasoning_depth, made.context_tokens, made.price) == (2.5, 7000, own.price)


def test_where_nobody_may_answer_the_sentence_says_why(tmp_path: Path) -> None:
    known = outcomes(tmp_path, rows(10, latency_ms=90_000))
    with pytest.raises(InvalidOutcomes, match=r"cheap: over_latency .* raise max_cost_per_1k or max_latency_ms"):
        chosen_by(known, folds(10), Scoring())
