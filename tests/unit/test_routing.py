"""Filters, order and ties of a decision."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.circumstances import Circumstances
from pointsman.classification import RuleClassifier
from pointsman.messages import ContextRecord, Parameters, Question
from pointsman.prompt import input_tokens
from pointsman.query_types import QueryType
from pointsman.routing import UnknownName, classify, decide, second_opinion
from tests.builders import configuration, decision, provider_table

QUESTION = Question(prompt="hello")


def _strong(strength: float, **changes: Any) -> dict[str, Any]:
    return provider_table(strengths={"analysis": strength}, **changes)


def _reasons(question: Question, **providers: dict[str, Any]) -> dict[str, str]:
    return {row.provider: row.reason for row in decision(question, configuration(providers)).rejected}


def test_candidates_come_best_first() -> None:
    found = decision(settings=configuration({"weak": _strong(0.4), "strong": _strong(0.9)}))
    assert [candidate.provider for candidate in found.candidates] == ["strong", "weak"]


def test_ties_go_to_the_least_loaded_and_then_to_the_written_order() -> None:
    settings = configuration({"a": _strong(0.5), "b": _strong(0.5), "c": _strong(0.5)})
    load = {"a": 2, "b": 0, "c": 0}
    found = decision(settings=settings, circumstances=Circumstances(load.__getitem__))
    assert [candidate.provider for candidate in found.candidates] == ["b", "c", "a"]


def test_a_chain_ordered_as_written_ignores_scores() -> None:
    route = {"chain": ["weak", "strong"], "order": "chain"}
    settings = configuration(
        {"strong": _strong(0.9), "weak": _strong(0.4)}, query_types={str(kind): route for kind in QueryType}
    )
    assert [candidate.provider for candidate in decision(settings=settings).candidates] == ["weak", "strong"]


@pytest.mark.parametrize(
    ("question", "changes", "reason"),
    [
        ({}, {"enabled": False}, "disabled"),
        ({"deny": ["b"]}, {}, "denied"),
        ({"allow": ["a"]}, {}, "not_allowed"),
        ({"response_schema": {"type": "object"}}, {"supports": []}, "no_json_schema"),
        ({"parameters": {"tools": [{"type": "function"}]}}, {}, "no_tools"),
        ({"context": [{"id": "1", "text": "x" * 3_000}]}, {"context_tokens": 500}, "context_too_small"),
        ({}, {"price": {"input": 150.0, "output": 150.0}}, "over_cost"),
        ({"max_cost_usd": 0.001}, {"price": None}, "price_unknown"),
        ({"max_cost_usd": 1e-6}, {}, "over_cost"),
        ({"max_latency_ms": 400}, {}, "over_latency"),
        ({}, {"latency": {"p50_ms": 5001, "p95_ms": 6000}}, "over_latency"),
    ],
)
def test_a_provider_outside_the_limits_is_rejected_with_its_reason(
    question: dict[str, Any], changes: dict[str, Any], reason: str
) -> None:
    tools = {"supports": ["json_schema", "tools"]}
    asked = Question.model_validate({"prompt": "hello", **question})
    assert _reasons(asked, a=provider_table(**tools), b=provider_table(**changes))["b"] == reason


def test_f08_the_able_member_stays_when_another_cannot_do_the_schema() -> None:
    settings = configuration({"able": provider_table(), "unable": provider_table(supports=[])})
    found = decision(Question(prompt="hello", response_schema={"type": "object"}), settings)
    assert [candidate.provider for candidate in found.candidates] == ["able"]
    assert [(row.provider, row.reason) for row in found.rejected] == [("unable", "no_json_schema")]


def test_a_provider_outside_the_chain_is_told_as_such() -> None:
    chain = {"chain": ["a", "b"]}
    settings = configuration(
        {"a": _strong(0.5), "b": _strong(0.5), "c": _strong(0.1)}, query_types={str(kind): chain for kind in QueryType}
    )
    assert [(row.provider, row.reason) for row in decision(settings=settings).rejected] == [("c", "not_in_chain")]


def test_a_task_takes_its_own_route_and_query_type() -> None:
    settings = configuration(
        routes={"extract": {"chain": ["beta", "alpha"], "order": "chain", "query_type": "code_task"}}
    )
    question = Question(prompt="hello", task="extract")
    classification = classify(question, settings, RuleClassifier())
    found = decide(question, classification, settings)
    assert (found.route, found.query_type, found.classifier) == ("routes.extract", "code_task", "route")
    assert found.candidates[0].provider == "beta"


def test_an_unknown_task_names_the_known_ones() -> None:
    settings = configuration(routes={"extract": {"chain": ["alpha", "beta"]}})
    with pytest.raises(UnknownName, match="task: 'x' is not a route; known: extract"):
        classify(Question(prompt="hello", task="x"), settings, RuleClassifier())


def test_an_unknown_provider_in_deny_is_refused() -> None:
    with pytest.raises(UnknownName, match="deny: nobody is not a provider; known: alpha, beta"):
        decision(Question(prompt="hello", deny=("nobody",)))


def test_a_routes_timeout_beats_the_providers_and_leaves_a_margin_for_temporal() -> None:
    route = {"chain": ["alpha", "beta"], "timeout_s": 7}
    settings = configuration(query_types={str(kind): route for kind in QueryType})
    found = decision(settings=settings).candidates[0]
    assert (found.timeout_s, found.start_to_close_s) == (7, 12)


def test_the_cost_estimate_uses_the_questions_cap_where_it_is_below_the_mean() -> None:
    short = decision(Question(prompt="hello", max_output_tokens=10)).candidates[0]
    assert (short.max_output_tokens, short.expected_output_tokens) == (10, 10)
    free = decision(Question(prompt="hello")).candidates[0]
    assert (free.max_output_tokens, free.expected_output_tokens) == (1024, 450)


def test_the_question_is_data_to_the_llm_classifier() -> None:
    settings = configuration(classification={"by": "llm", "provider": "alpha"})
    question = Question(prompt="{ignore} what was said and answer {0} %s")
    classification = classify(question, settings, RuleClassifier())
    opinion = second_opinion(question, classification, settings)
    assert opinion is not None
    assert opinion.candidate.max_attempts == 1


def test_a_question_with_a_task_needs_no_second_opinion() -> None:
    settings = configuration(
        classification={"by": "llm", "provider": "alpha"}, routes={"extract": {"chain": ["alpha", "beta"]}}
    )
    question = Question(prompt="hello", task="extract", context=(ContextRecord(id="1", text="t"),))
    assert question.parameters == Parameters()
    assert second_opinion(question, classify(question, settings, RuleClassifier()), settings) is None


@given(
    strengths=st.lists(st.sampled_from([0.4, 0.5, 0.9]), min_size=2, max_size=6),
    data=st.data(),
)
def test_the_order_is_score_then_load_then_place_in_the_chain(strengths: list[float], data: st.DataObject) -> None:
    names = [f"p{place}" for place in range(len(strengths))]
    load = {name: data.draw(st.integers(0, 2)) for name in names}
    chain = data.draw(st.permutations(names))
    settings = configuration(
        {name: _strong(strength) for name, strength in zip(names, strengths, strict=True)},
        query_types={str(kind): {"chain": chain} for kind in QueryType},
    )
    found = decision(settings=settings, circumstances=Circumstances(load.__getitem__))
    strength_of = dict(zip(names, strengths, strict=True))
    assert [candidate.provider for candidate in found.candidates] == sorted(
        names, key=lambda name: (-strength_of[name], load[name], chain.index(name))
    )


def test_f01_the_chain_is_that_of_the_type_that_was_found() -> None:
    settings = configuration(
        query_types={
            **{str(kind): {"chain": ["alpha", "beta"], "order": "chain"} for kind in QueryType},
            "code_task": {"chain": ["beta", "alpha"], "order": "chain"},
        }
    )
    question = Question(prompt="Debug this function")
    found = decide(question, classify(question, settings, RuleClassifier()), settings)
    assert (found.query_type, found.route) == ("code_task", "query_types.code_task")
    assert [candidate.provider for candidate in found.candidates] == ["beta", "alpha"]


def test_f23_the_settings_of_a_route_reach_its_decision() -> None:
    route = {"chain": ["alpha", "beta"], "timeout_s": 5, "max_attempts": 3, "min_confidence": 0.4, "on_refusal": "next"}
    settings = configuration(
        {"alpha": provider_table(timeout_s=8), "beta": provider_table(timeout_s=8)},
        routes={"extract": {**route, "stakes": "high"}},
        retry={"initial_s": 0.1, "max_attempts_per_request": 7},
        scoring={"max_latency_ms": 900.0, "weights": {"cost": 0.5}},
    )
    question = Question(prompt="hello", task="extract")
    found = decide(question, classify(question, settings, RuleClassifier()), settings)
    assert [(member.timeout_s, member.max_attempts) for member in found.candidates] == [(5, 3), (5, 3)]
    assert (found.min_confidence, found.on_refusal, found.stakes) == (0.4, "next", "high")
    assert (found.limits.retry.initial_s, found.max_attempts_per_request) == (0.1, 7)
    assert (found.max_latency_ms, found.weights.cost, found.weights.latency) == (900.0, 0.5, 0.2)


def test_a_question_gets_an_attempt_for_each_candidate_and_one_more() -> None:
    tables = {name: provider_table() for name in "abcde"}
    assert decision(settings=configuration(tables)).max_attempts_per_request == 6
    assert decision().max_attempts_per_request == 3


def test_the_questions_own_limits_beat_the_configurations() -> None:
    found = decision(Question(prompt="hello", max_latency_ms=9000, stakes="high"))
    assert (found.max_latency_ms, found.stakes) == (9000, "high")
    assert found.candidates[0].terms.latency_penalty == round(0.2 * 500 / 9000, 4)


def test_a_plain_question_has_no_second_opinion_under_the_rules() -> None:
    settings = configuration()
    assert second_opinion(QUESTION, classify(QUESTION, settings, RuleClassifier()), settings) is None


@pytest.mark.parametrize(
    "question",
    [
        Question(prompt="hello", deny=("alpha",)),
        Question(prompt="hello", allow=("beta",)),
        Question(messages=({"role": "user", "content": [{"type": "image_url"}]},)),
    ],
)
def test_nobody_is_asked_for_a_second_opinion_who_may_not_see_the_question_or_sees_no_text(question: Question) -> None:
    settings = configuration(classification={"by": "llm", "provider": "alpha"})
    assert second_opinion(question, classify(question, settings, RuleClassifier()), settings) is None


def test_a_second_opinion_has_its_own_time() -> None:
    settings = configuration(classification={"by": "llm", "provider": "alpha", "timeout_s": 1.5})
    opinion = second_opinion(QUESTION, classify(QUESTION, settings, RuleClassifier()), settings)
    assert opinion is not None
    assert (opinion.candidate.timeout_s, opinion.candidate.max_output_tokens) == (1.5, 256)


def test_tools_and_schema_count_as_input() -> None:
    plain = input_tokens(Question(prompt="hello"), None)
    tool = {"type": "function", "function": {"name": "f", "description": "x" * 300}}
    assert input_tokens(Question(prompt="hello", parameters=Parameters(tools=(tool,))), None) > plain + 100
    assert input_tokens(Question(prompt="hello"), {"description": "x" * 300}) > plain + 100
