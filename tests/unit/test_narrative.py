"""A question's way in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from pointsman.decision import Decision
from pointsman.messages import Question
from pointsman.narrative import headline, of_answer, of_decision
from pointsman.testing import scripted_answer
from tests.builders import attempt, configuration, decision, provider_table

SUMMARY_BYTES = 400


def _decision() -> Decision:
    first = provider_table(strengths={"analysis": 0.9})
    other = provider_table(strengths={"analysis": 0.1}, latency={"p50_ms": 9000, "p95_ms": 9000})
    return decision(settings=configuration({"alpha": first, "beta": other}))


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (Question(prompt="  First line\nsecond line"), "First line"),
        (Question(prompt="What is it?", task="extract"), "extract: What is it?"),
        (Question(prompt="a" * 100), "a" * 100),
        (Question(prompt="a" * 101), "a" * 100 + "…"),
        (Question(prompt="bell\x07 and null\x00"), "bell  and null "),
        (Question(messages=({"role": "user", "content": [{"type": "image_url"}]},)), "(no text)"),
    ],
)
def test_the_headline_is_the_first_line_cut_short(question: Question, line: str) -> None:
    assert headline(question) == line


@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.sampled_from(["\x01" * 200, "🦆" * 200]),
    task=st.none() | st.just("t" * 90),
)
def test_the_headline_fits_what_temporal_keeps_as_a_summary(text: str, task: str | None) -> None:
    question = Question(messages=({"role": "user", "content": text},), task=task)
    assert len(to_json(headline(question))) <= SUMMARY_BYTES


def test_a_decision_tells_its_order_and_who_is_out() -> None:
    assert of_decision(_decision()).splitlines() == [
        "**analysis** (rules, confidence 0.70), chain `query_types.analysis`",
        "",
        "1. alpha (openai/model-2026-01-01): score 0.831 = fit 0.900 - cost 0.049 - latency 0.020",
        "- not beta: over_latency, 9000 ms, 5000 ms allowed",
    ]


def test_a_decision_without_candidates_says_so() -> None:
    assert "No provider may answer." in of_decision(_decision().model_copy(update={"candidates": ()}))


def test_an_answer_tells_every_attempt_and_quotes_nothing() -> None:
    answer = scripted_answer(
        "a private answer",
        provider="beta",
        route_reason="fallback:failure",
        latency_ms=1234.4,
        decision=_decision(),
        attempts=(
            attempt("alpha", outcome="failed", kind="http_503", latency_ms=10.0),
            attempt("beta", latency_ms=500.0),
        ),
    )
    told = of_answer(answer)
    assert told.splitlines()[:4] == [
        "**beta** answered (fallback:failure) in 1234 ms for 0.000100 USD",
        "",
        "- alpha, attempt 1: failed (http_503), 10 ms",
        "- beta, attempt 1: answered, 500 ms",
    ]
    assert "private" not in told


def test_f25_an_unknown_cost_is_called_unknown() -> None:
    assert "for unknown cost" in of_answer(scripted_answer("x", cost_usd=None, cost_known=False))
