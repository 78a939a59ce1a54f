"""The source document's formula, compared with a second writing of it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from pointsman.classification import of_type
from pointsman.decision import Weights
from pointsman.query_types import COMPLEXITY, QueryType
from pointsman.scoring import score
from tests.builders import configuration, decision, provider, provider_table

shares = st.floats(0, 1)


def _document_score(strength: float, depth: float, complexity: float, cost: float, latency_ms: float) -> float:
    match = depth / complexity if depth < complexity else 1.0
    return round(strength * match - cost / 0.10 * 0.3 - latency_ms / 5000 * 0.2, 3)


@given(
    strength=shares,
    depth=st.floats(1, 5),
    query_type=st.sampled_from(list(QueryType)),
    cost=st.floats(0, 0.1),
    latency_ms=st.floats(1, 5000),
)
def test_the_default_weights_reproduce_the_document(
    strength: float, depth: float, query_type: QueryType, cost: float, latency_ms: float
) -> None:
    found, _ = score(
        provider(
            reasoning_depth=depth,
            strengths={query_type: strength},
            latency={"p50_ms": latency_ms, "p95_ms": 10_000},
        ),
        of_type(query_type, 0.7),
        Weights(),
        cost_per_1k_usd=cost,
        max_cost_per_1k_usd=0.10,
        max_latency_ms=5000,
    )
    expected = _document_score(strength, depth, COMPLEXITY[query_type], cost, latency_ms)
    assert abs(found - expected) <= 0.001


def test_the_terms_add_up_to_the_score() -> None:
    found, terms = score(
        provider(strengths={"analysis": 0.8}, reasoning_depth=2.8),
        of_type(QueryType.ANALYSIS, 0.7),
        Weights(),
        cost_per_1k_usd=0.01,
        max_cost_per_1k_usd=0.10,
        max_latency_ms=5000,
    )
    assert (terms.strength, terms.reasoning_match, terms.fit) == (0.8, 0.8, 0.64)
    assert (terms.cost_penalty, terms.latency_penalty) == (0.03, 0.02)
    assert found == 0.59


def test_a_provider_without_a_price_pays_the_whole_cost_penalty() -> None:
    found, terms = score(
        provider(price=None, strengths={"analysis": 1.0}),
        of_type(QueryType.ANALYSIS, 0.7),
        Weights(latency=0),
        cost_per_1k_usd=None,
        max_cost_per_1k_usd=0.10,
        max_latency_ms=5000,
    )
    assert (terms.cost_penalty, found) == (0.3, 0.7)


def test_weights_change_the_parts_they_name() -> None:
    found, _ = score(
        provider(strengths={"analysis": 0.5}),
        of_type(QueryType.ANALYSIS, 0.7),
        Weights(strength=2, cost=1, latency=0),
        cost_per_1k_usd=0.01,
        max_cost_per_1k_usd=0.10,
        max_latency_ms=5000,
    )
    assert found == 0.15


profiles = st.fixed_dictionaries(
    {
        "depth": st.integers(10, 50).map(lambda tenths: tenths / 10),
        "strength": st.integers(0, 20).map(lambda twentieths: twentieths / 20) | st.none(),
        "cost": st.integers(0, 150).map(lambda thousandths: thousandths / 1000),
        "latency": st.integers(1, 7000),
    }
)


def _document_ranking(query_type: str, listed: dict[str, dict[str, Any]]) -> list[tuple[str, float]]:
    """`route_query` of the source document with its default limits, written again."""
    complexity = {"simple_factual": 1, "code_task": 3, "analysis": 3.5, "creative_generation": 2}.get(query_type, 5)
    ranking = [
        (
            name,
            _document_score(
                0.5 if profile["strength"] is None else profile["strength"],
                profile["depth"],
                complexity,
                profile["cost"],
                profile["latency"],
            ),
        )
        for name, profile in listed.items()
        if profile["cost"] <= 0.10 and profile["latency"] <= 5000
    ]
    return sorted(ranking, key=lambda entry: -entry[1])


def _declared(query_type: str, profile: dict[str, Any]) -> dict[str, Any]:
    # One price for input and output makes the price of 1,000 tokens the same for every question.
    return provider_table(
        reasoning_depth=profile["depth"],
        strengths={} if profile["strength"] is None else {query_type: profile["strength"]},
        price={"input": profile["cost"] * 1000, "output": profile["cost"] * 1000},
        latency={"p50_ms": profile["latency"], "p95_ms": 10_000},
    )


@given(
    query_type=st.sampled_from(list(QueryType)),
    listed=st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e"]), profiles, min_size=2),
)
def test_filters_scores_and_order_are_those_of_the_documents_router(
    query_type: QueryType, listed: dict[str, dict[str, Any]]
) -> None:
    assume(all(abs(profile["cost"] - 0.1) > 1e-9 for profile in listed.values()))
    tables = {name: _declared(str(query_type), profile) for name, profile in listed.items()}
    document = configuration(tables, scoring={"policy": "source"}, classification={"by": "rules"})
    found = {one.provider: one.score for one in decision(None, document, query_type=query_type).candidates}
    expected = dict(_document_ranking(query_type, listed))
    assert found == pytest.approx(expected, abs=0.001)
    assert list(found.values()) == sorted(found.values(), reverse=True)


@given(
    strength=shares,
    depth=st.floats(1, 5),
    weights=st.fixed_dictionaries({name: st.floats(0, 100) for name in ("strength", "depth", "cost", "latency")}),
)
def test_any_weights_that_are_allowed_give_a_finite_score(
    strength: float, depth: float, weights: dict[str, float]
) -> None:
    found, terms = score(
        provider(strengths={"analysis": strength}, reasoning_depth=depth),
        of_type(QueryType.ANALYSIS, 0.7),
        Weights(**weights),
        cost_per_1k_usd=0.1,
        max_cost_per_1k_usd=0.1,
        max_latency_ms=500,
    )
    assert math.isfinite(found)
    assert 0 <= terms.fit <= 1


@pytest.mark.parametrize("weight", [-0.1, float("nan"), float("inf")])
def test_a_weight_is_a_number_from_0_up(weight: float) -> None:
    with pytest.raises(ValidationError):
        Weights(strength=weight)
