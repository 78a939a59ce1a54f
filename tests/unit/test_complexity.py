"""How much reasoning a question needs: bounds, parts that can be named, and that a type alone does not settle it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.classification import of_type
from pointsman.complexity import rated
from pointsman.messages import Question
from pointsman.query_types import COMPLEXITY, QueryType
from pointsman.routing import decide
from tests.builders import configuration, provider_table

query_types = st.sampled_from(list(QueryType))
BY_MODEL = {"by": "model"}


@given(text=st.text(max_size=3000), query_type=query_types)
def test_any_text_has_a_complexity_from_1_to_5(text: str, query_type: QueryType) -> None:
    assert 1.0 <= rated(text, query_type).value <= 5.0


@given(text=st.text(alphabet="if no 7 prove = , statement than each\n", max_size=400), query_type=query_types)
def test_the_reasons_add_up_to_the_complexity(text: str, query_type: QueryType) -> None:
    found = rated(text, query_type)
    assert found.value == pytest.approx(min(5.0, 1.0 + sum(one.points for one in found.reasons)), abs=0.006)


def test_the_weightiest_reason_stands_first() -> None:
    points = [one.points for one in rated("If x > 3, prove that x is not 2 and explain.", QueryType.ANALYSIS).reasons]
    assert len(points) > 4
    assert points == sorted(points, reverse=True)


def test_a_look_up_without_anything_to_it_is_near_1() -> None:
    assert rated("Who wrote Faust?", QueryType.SIMPLE_FACTUAL).value < 1.5


def test_questions_of_one_type_differ_by_their_text() -> None:
    easy = rated("Explain rain.", QueryType.COMPLEX_REASONING)
    hard = rated(
        "Prove that, if every tenth barrel leaks and no more than half of the rest may be sold, the ratio of leaking "
        "to sold barrels is never less than 2/9; then derive when it is exactly that, assuming each barrel costs twice "
        "as much as the one before.",
        QueryType.COMPLEX_REASONING,
    )
    assert hard.value > easy.value + 1.5


@pytest.mark.parametrize(
    ("plain", "harder", "what"),
    [
        ("Say what is seen.", "Say what is seen when it rains, and who sees it.", "clauses"),
        ("Say what is seen.", "Say what is seen unless given otherwise.", "conditions"),
        ("Say what is seen.", "Say what 12 sailors and 4 cooks saw.", "numbers"),
        ("Say what is seen.", "Say what is seen per hour by twice the number.", "relations of quantities"),
        ("Say what is seen.", "Say what isn't seen.", "negations"),
        ("Say what is seen.", "Say which statement is true.", "statements to judge"),
        ("Say what is seen.", "Say what x = y^2 + z is.", "signs of mathematics or code"),
        ("Say what is seen.", "Derive what is seen.", "operations"),
    ],
)
def test_a_part_is_named_where_the_text_has_it_and_adds_to_it(plain: str, harder: str, what: str) -> None:
    without, having = rated(plain, QueryType.ANALYSIS), rated(harder, QueryType.ANALYSIS)
    assert what not in {one.what for one in without.reasons}
    assert what in {one.what for one in having.reasons}
    assert having.value > without.value


def test_listed_options_do_not_make_a_question_longer() -> None:
    asked = "Which metal is liquid in a warm room?"
    options = "".join(f"\n{letter}. a metal of some kind that is told of at length here" for letter in "ABCD")
    lengths = [
        next(one.found for one in rated(text, QueryType.SIMPLE_FACTUAL).reasons if one.what == "length")
        for text in (asked, asked + options)
    ]
    assert lengths[0] == lengths[1]


def test_length_alone_makes_no_question_hard() -> None:
    assert rated("sea " * 20_000, QueryType.SIMPLE_FACTUAL).value <= 1.8


def test_a_rating_takes_far_less_than_a_millisecond() -> None:
    text = ("If x = 3, and 2x is not more than y; then compute it. " * 200)[:8000]
    took = []
    for _ in range(50):
        began = time.thread_time()
        rated(text, QueryType.ANALYSIS)
        took.append(time.thread_time() - began)
    assert sorted(took)[25] < 0.001


def test_a_decision_rates_the_text_and_gives_the_reasons() -> None:
    asked = Question(prompt="Prove that no square is twice another, if both are whole.")
    made = decide(asked, of_type(QueryType.COMPLEX_REASONING, 0.9), configuration(classification=BY_MODEL))
    expected = rated(asked.text, QueryType.COMPLEX_REASONING)
    assert (made.complexity, made.complexity_reasons) == (expected.value, expected.reasons)


@given(query_type=query_types)
def test_under_the_documents_rules_complexity_is_the_types_own(query_type: QueryType) -> None:
    made = decide(
        Question(prompt="Prove it, if you can."),
        of_type(query_type, 0.7),
        configuration(classification={"by": "rules"}),
    )
    assert (made.complexity, made.complexity_reasons) == (COMPLEXITY[query_type], ())


def test_a_harder_text_moves_the_choice_to_the_deeper_provider() -> None:
    providers = {
        "shallow": provider_table(reasoning_depth=2.0, price={"input": 1.0, "output": 1.0}),
        "deep": provider_table(reasoning_depth=5.0, price={"input": 20.0, "output": 20.0}),
    }
    settings = configuration(providers, classification=BY_MODEL)
    kind = of_type(QueryType.COMPLEX_REASONING, 0.9)
    easy = decide(Question(prompt="Say why."), kind, settings)
    hard = decide(
        Question(
            prompt="Prove, given that each of the 12 cases is either true or false and no 2 equal, that x^2 + y = 3 "
            "has exactly one solution; then derive it, explain each step, and compare it with the one for x < 0."
        ),
        kind,
        settings,
    )
    assert [made.candidates[0].provider for made in (easy, hard)] == ["shallow", "deep"]
