"""The named policies: what each takes; in none does cost decide alone (the source document, MUST NOT 1)."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.configuration import Scoring
from pointsman.decision import Decision, Weights
from pointsman.messages import Question
from pointsman.policy import WEIGHTS, PolicyName, outweighed_by_cost
from tests.builders import configuration, decision, provider_table

NAMES: tuple[PolicyName, ...] = get_args(PolicyName)
ROUNDING = 0.0021

policies = st.sampled_from(NAMES)
hundredths = st.integers(0, 100).map(lambda found: found / 100)
members = st.fixed_dictionaries(
    {
        "strength": hundredths,
        "depth": st.integers(10, 50).map(lambda tenths: tenths / 10),
        "price": st.integers(0, 100),
        "latency": st.integers(1, 5000),
    }
)
tables = st.lists(members, min_size=2, max_size=5).map(lambda found: dict(zip("abcde", found, strict=False)))


def _made(
    policy: PolicyName, listed: dict[str, dict[str, Any]], question: Question | None = None, **scoring: Any
) -> Decision:
    providers = {
        name: provider_table(
            strengths={"analysis": one["strength"]},
            reasoning_depth=one["depth"],
            price={"input": one["price"], "output": one["price"]},
            latency={"p50_ms": one["latency"], "p95_ms": 10_000},
        )
        for name, one in listed.items()
    }
    return decision(question, configuration(providers, scoring={"policy": policy, **scoring}))


def _order(made: Decision) -> list[str]:
    return [one.provider for one in made.candidates]


def _one(strength: float, price: float, latency: int = 500, depth: float = 5.0) -> dict[str, Any]:
    return {"strength": strength, "depth": depth, "price": price, "latency": latency}


def test_balanced_is_the_default() -> None:
    assert Scoring().policy == "balanced"
    assert Scoring().formula == WEIGHTS["balanced"]


def test_source_has_the_documents_weights() -> None:
    assert Scoring(policy="source").formula == Weights(strength=1, depth=1, cost=0.3, latency=0.2)


def test_a_weight_that_the_owner_sets_stands_in_the_policys_place_alone() -> None:
    made = _made("source", {"a": _one(0.5, 1), "b": _one(0.5, 1)}, weights={"cost": 0.1})
    assert made.weights == Weights(strength=1, depth=1, cost=0.1, latency=0.2)
    assert made.policy == "source"


@given(policy=policies, listed=tables, by=hundredths)
def test_a_provider_that_gets_better_never_loses_a_place(
    policy: PolicyName, listed: dict[str, dict[str, Any]], by: float
) -> None:
    before = _order(_made(policy, listed)).index("a")
    better = {**listed["a"], "strength": min(1.0, listed["a"]["strength"] + by)}
    assert _order(_made(policy, {**listed, "a": better})).index("a") <= before


@given(policy=policies, listed=tables, by=st.integers(0, 100))
def test_a_provider_that_gets_cheaper_never_loses_a_place(
    policy: PolicyName, listed: dict[str, dict[str, Any]], by: int
) -> None:
    before = _order(_made(policy, listed)).index("a")
    cheaper = {**listed["a"], "price": max(0, listed["a"]["price"] - by)}
    assert _order(_made(policy, {**listed, "a": cheaper})).index("a") <= before


@given(policy=policies, listed=tables)
def test_of_two_that_cost_and_take_the_same_the_better_one_goes_first(
    policy: PolicyName, listed: dict[str, dict[str, Any]]
) -> None:
    alike = {name: {**one, "price": 20, "latency": 700, "depth": 5.0} for name, one in listed.items()}
    strengths = [alike[name]["strength"] for name in _order(_made(policy, alike))]
    assert strengths == sorted(strengths, reverse=True)


@given(policy=policies, listed=tables)
def test_a_price_outweighs_a_bounded_part_of_quality_and_never_all_of_it(
    policy: PolicyName, listed: dict[str, dict[str, Any]]
) -> None:
    alike = {name: {**one, "latency": 700} for name, one in listed.items()}
    made = _made(policy, alike)
    bound = outweighed_by_cost(policy, made.weights, Scoring().good_enough)
    assert bound < 1
    first = made.candidates[0].terms.fit
    assert first >= max(one.terms.fit for one in made.candidates) - bound - ROUNDING


@given(policy=policies, price=st.integers(1, 100), latencies=st.tuples(st.integers(1, 5000), st.integers(1, 5000)))
def test_the_cheapest_does_not_win_by_its_price_where_it_is_of_no_use(
    policy: PolicyName, price: int, latencies: tuple[int, int]
) -> None:
    useless, perfect = _one(0.0, 0, latencies[0]), _one(1.0, price, latencies[1])
    assert _order(_made(policy, {"useless": useless, "perfect": perfect})) == ["perfect", "useless"]


@given(policy=policies, listed=tables)
def test_who_else_is_a_candidate_changes_no_score(policy: PolicyName, listed: dict[str, dict[str, Any]]) -> None:
    alone = {one.provider: one.score for one in _made(policy, listed).candidates}
    dear = {one.provider: one.score for one in _made(policy, {**listed, "z": _one(1.0, 100, 4999)}).candidates}
    assert {name: dear[name] for name in alone} == alone


@pytest.mark.parametrize(
    ("policy", "first"),
    [("source", "cheap"), ("balanced", "cheap"), ("cheapest_good", "good"), ("best", "dear")],
)
def test_each_policy_takes_another_view_of_the_same_candidates(policy: PolicyName, first: str) -> None:
    listed = {"cheap": _one(0.8, 0.5), "good": _one(0.87, 40), "dear": _one(0.9, 80)}
    assert _order(_made(policy, listed))[0] == first


def test_cheapest_good_puts_what_is_not_good_enough_behind_by_its_quality() -> None:
    listed = {"bad": _one(0.1, 0), "fair": _one(0.5, 1), "good": _one(0.88, 30), "best": _one(0.9, 60)}
    assert _order(_made("cheapest_good", listed)) == ["good", "best", "fair", "bad"]


def test_good_enough_is_the_owners_to_set() -> None:
    listed = {"fair": _one(0.7, 1), "best": _one(0.9, 60)}
    assert _order(_made("cheapest_good", listed))[0] == "best"
    assert _order(_made("cheapest_good", listed, good_enough=0.75))[0] == "fair"


def test_best_takes_the_cheaper_of_equals() -> None:
    assert _order(_made("best", {"dear": _one(0.9, 60), "cheap": _one(0.9, 1)})) == ["cheap", "dear"]


def test_where_a_question_has_its_own_limit_cost_counts_by_its_share_of_that() -> None:
    listed = {"cheap": _one(0.8, 1), "dear": _one(0.95, 20)}
    generous, tight = (Question(prompt="hello", max_output_tokens=400, max_cost_usd=usd) for usd in (1.0, 0.012))
    assert _order(_made("balanced", listed, generous))[0] == "dear"
    assert _order(_made("balanced", listed, tight))[0] == "cheap"


def test_the_document_knows_no_limit_of_a_single_question() -> None:
    listed = {"cheap": _one(0.8, 1), "dear": _one(0.95, 20)}
    unlimited = Question(prompt="hello", max_output_tokens=400)
    limited = unlimited.model_copy(update={"max_cost_usd": 1.0})
    scores = [[one.score for one in _made("source", listed, asked).candidates] for asked in (unlimited, limited)]
    assert scores[0] == scores[1]
