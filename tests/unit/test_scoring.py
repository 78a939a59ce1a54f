"""The source document's formula, compared with a second writing of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pointsman.classification import of_type
from pointsman.decision import Weights
from pointsman.query_types import COMPLEXITY, QueryType
from pointsman.scoring import score
from tests.builders import provider

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
