"""How routers and policies are measured: known curves, made-up outcomes, and nothing where there is no data."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import get_args

import pytest

from benchmarks import model_table, routing_complexity, routing_scoring
from benchmarks.figures import Figure, verdict
from benchmarks.router_quality import Outcome, apgr, apgr_interval, cpt, curve, paired_interval
from benchmarks.trained_router import Sparse, out_of_fold, ridge, rows
from pointsman.configuration import Scoring
from pointsman.policy import PolicyName
from pointsman.tuning.choices import chosen_by
from pointsman.tuning.folds import folds
from pointsman.tuning.model_table import TYPES

# Of 100 questions the strong model gains 20, which a perfect score puts first.
GAINS = [1] * 20 + [0] * 80
PERFECT = [float(100 - number) for number in range(100)]


def test_a_perfect_router_needs_the_strong_model_only_where_it_gains() -> None:
    points = curve(GAINS, PERFECT)
    assert apgr(points) == pytest.approx(0.9)
    assert [cpt(points, wanted) for wanted in (0.5, 0.8)] == pytest.approx([0.1, 0.16])


def test_the_worst_router_is_the_perfect_one_turned_round() -> None:
    assert apgr(curve(GAINS, [-score for score in PERFECT])) == pytest.approx(0.1)


def test_a_router_that_says_nothing_is_worth_a_half() -> None:
    assert apgr(curve(GAINS, [1.0] * 100)) == 0.5
    chance = random.Random(1)
    assert apgr(curve([1, 0] * 2000, [chance.random() for _ in range(4000)])) == pytest.approx(0.5, abs=0.03)


def test_questions_with_equal_scores_go_one_way_together() -> None:
    shares = [share for share, _ in curve(GAINS, [1.0] * 50 + [0.0] * 50)]
    assert shares == [0.0, 0.5, 1.0]


def test_a_router_beside_itself_differs_by_nothing() -> None:
    assert paired_interval(GAINS, PERFECT, PERFECT) == (0.0, 0.0)


def test_an_interval_holds_the_figure() -> None:
    low, high = apgr_interval(GAINS, PERFECT)
    assert low <= 0.9 <= high


def test_ridge_finds_the_weights_that_made_the_targets() -> None:
    features = [Sparse([0], [1.0]), Sparse([1], [1.0]), Sparse([0, 1], [1.0, 1.0])] * 200
    found = ridge(features, [2.0, -1.0, 1.0] * 200, 2)
    assert found == pytest.approx([2.0, -1.0], abs=0.02)


def test_what_is_learned_from_words_ranks_questions_that_were_not_seen() -> None:
    outcomes = [Outcome(f"{'hard' if number % 2 else 'easy'} question {number}", 0, number % 2) for number in range(60)]
    gains = [one.gain for one in outcomes]
    assert apgr(curve(gains, out_of_fold(rows(outcomes), gains, seed=0))) > 0.7


def test_without_data_routing_is_not_measured(tmp_path: Path) -> None:
    assert "not measured" in routing_complexity.measure(None)[2][0]
    assert "not measured" in routing_complexity.measure(tmp_path)[2][0]
    assert "not measured" in routing_scoring.measure(tmp_path)[2][0]


MODELS = {"small": [0.1, 0.1], "large": [5.0, 15.0]}


def _table(folder: Path) -> Path:
    """Both are good at "gsm"; only the dear one is good at "crux"."""
    described = {model_table.OUTCOMES: {"order_of_m": list(MODELS), "usd_per_million_in_out": MODELS}}
    (folder / model_table.PRICES).write_text(json.dumps(described), encoding="utf-8")
    chance = random.Random(3)
    with (folder / model_table.OUTCOMES).open("w", encoding="utf-8") as lines:
        for number in range(90):
            task = list(TYPES)[number % 3]
            small = int(chance.random() < (0.2 if task == "crux" else 0.9))
            entries = [[small, 400, ""], [int(chance.random() < 0.92), 400, ""]]
            lines.write(json.dumps({"task": task, "id": number, "prompt": f"What is {number}?", "m": entries}) + "\n")
    return folder


def test_cost_is_by_the_datas_rule(tmp_path: Path) -> None:
    found = model_table.read(_table(tmp_path))
    assert found.providers == ("small", "large")
    outcome = found.asked[0].outcomes[1]
    assert outcome is not None
    assert outcome.cost_usd == pytest.approx((len("What is 0?") * 5 + 400 * 15) / 4e6)


@pytest.mark.parametrize("policy", get_args(PolicyName))
def test_every_policy_takes_the_able_model_where_only_one_is_able(policy: PolicyName, tmp_path: Path) -> None:
    found = model_table.read(_table(tmp_path))
    choice = chosen_by(found, folds(len(found.asked)), Scoring(policy=policy))
    assert {choice[number] for number, one in enumerate(found.asked) if one.query_type == TYPES["crux"]} == {1}


def test_balanced_takes_the_cheap_model_where_it_is_nearly_as_good(tmp_path: Path) -> None:
    found = model_table.read(_table(tmp_path))
    choice = chosen_by(found, folds(len(found.asked)), Scoring(policy="balanced"))
    assert {choice[number] for number, one in enumerate(found.asked) if one.query_type == TYPES["gsm"]} == {0}


def test_the_tables_of_a_folder_are_made(tmp_path: Path) -> None:
    figures, tables, remarks = routing_scoring.measure(_table(tmp_path))
    assert (len(tables), remarks) == (3, [])
    assert {figure.key for figure in figures} >= {"balanced_quality", "balanced_cost", "source_quality"}


def test_what_was_not_measured_is_not_said_to_hold() -> None:
    free, kept = Figure("a", "free", 1.0), Figure("b", "kept", 1.0, at_most=2.0)
    missed = Figure("c", "missed", 1.0, at_least=2.0)
    assert verdict([]) == verdict([free]) == "Nothing of what is wanted was measured."
    assert verdict([free, kept]) == "Of what was measured, everything that is wanted holds."
    assert verdict([kept, missed]) == "Does not hold: missed."
