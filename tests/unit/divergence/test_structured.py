"""Documents, field by field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pointsman.divergence.comparison import MOST_DIFFERENCES
from pointsman.divergence.detector import compare
from pointsman.divergence.settings import DivergenceSettings
from pointsman.divergence.statement import Statement

SET = {"type": "object", "properties": {"ids": {"type": "array", "uniqueItems": True}}}
LONG = "the invoice was paid late because the bank had been closed for two days over the holidays in spring"
OTHER = "nobody at the customer knew that an invoice had come, so that it lay in a drawer until somebody asked"


def verdict(a: Any, b: Any, *, schema: dict[str, Any] | None = None, question: str | None = None) -> str:
    parsed = compare(Statement("", a), Statement(" ", b), schema=schema, question=question)
    written = compare(json.dumps(a), f"```json\n{json.dumps(b, indent=2)}\n```", schema=schema, question=question)
    assert parsed == written
    return parsed.verdict


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"total": 1.0}, {"total": 1}),
        ({"total": 0.1}, {"total": 0.10000001}),
        ({"total": "1,000"}, {"total": 1000}),
        ({"total": "$12.50"}, {"total": "12.5"}),
        ({"date": "2026-03-01"}, {"date": "1 March 2026"}),
        ({"at": "15:30"}, {"at": "3:30 pm"}),
        ({"name": "Ada  Lovelace"}, {"name": "ada lovelace."}),
        ({"paid": True}, {"paid": "yes"}),
        ({"note": None, "x": 1}, {"x": 1}),
        ({"items": [], "x": 1}, {"items": None, "x": 1}),
        ({"tags": ["red", "blue"]}, {"tags": ["Blue", "red"]}),
        ({"lines": [{"a": 1, "b": 2}]}, {"lines": [{"b": 2, "a": 1}]}),
        ({"total": 5, "reasoning": "two and three"}, {"total": 5, "reasoning": "1 + 4", "confidence": 0.3}),
        ({"why": LONG}, {"why": LONG.capitalize()}),
    ],
)
def test_they_agree(a: Any, b: Any) -> None:
    assert verdict(a, b) == "agree"


@pytest.mark.parametrize(
    ("a", "b", "path"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, "b"),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 3}]}}, "a.b[1].c"),
        ({"a": 1}, {"a": 1, "b": 2}, "b"),
        ({"date": "2026-03-01"}, {"date": "2 March 2026"}, "date"),
        ({"paid": True}, {"paid": False}, "paid"),
        ({"paid": True}, {"paid": 1}, "paid"),
        ({"point": [1, 2]}, {"point": [2, 1]}, "point[0]"),
        ({"tags": ["red", "blue"]}, {"tags": ["red"]}, "tags[1]"),
        ({"name": "Ada"}, {"name": {"first": "Ada"}}, "name"),
        ({"why": LONG}, {"why": LONG.replace("two", "four")}, "why"),
    ],
)
def test_they_disagree_and_the_path_is_told(a: Any, b: Any, path: str) -> None:
    assert verdict(a, b) == "disagree"
    found = compare(json.dumps(a), json.dumps(b))
    assert (found.detector, found.differences[0].what) == ("structured", path)


def test_a_list_that_the_schema_calls_a_set_has_no_order() -> None:
    assert verdict({"ids": [1, 2]}, {"ids": [2, 1]}, schema=SET) == "agree"
    assert verdict({"ids": [1, 2]}, {"ids": [2, 3]}, schema=SET) == "disagree"


def test_words_have_an_order_where_the_question_speaks_of_one() -> None:
    first, second = {"cities": ["Oslo", "Bergen"]}, {"cities": ["Bergen", "Oslo"]}
    assert verdict(first, second, question="Name two cities.") == "agree"
    assert verdict(first, second, question="Rank two cities by size.") == "disagree"


def test_free_text_in_a_field_may_leave_the_whole_open() -> None:
    assert verdict({"n": 1, "why": LONG}, {"n": 1, "why": OTHER}) == "cannot_tell"
    assert verdict({"n": 1, "why": LONG}, {"n": 2, "why": OTHER}) == "disagree"


def test_similarity_is_the_share_of_equal_leaves() -> None:
    assert compare('{"a": 1, "b": 2, "c": 3, "d": 4}', '{"a": 1, "b": 2, "c": 3, "d": 5}').similarity == 0.75


def test_tolerance_is_a_setting() -> None:
    near = '{"a": 100}', '{"a": 101}'
    assert compare(*near).verdict == "disagree"
    assert compare(*near, settings=DivergenceSettings(number_tolerance=0.02)).verdict == "agree"


def test_an_object_that_only_wraps_an_answer_is_read_as_that_answer() -> None:
    found = compare('{"reasoning": "x", "answer": "about 5 km"}', '{"answer": "5000 m"}', question="How far is it?")
    assert (found.verdict, found.detector) == ("agree", "number")


def test_a_list_in_a_wrapped_answer_is_a_document_like_any_other() -> None:
    assert verdict({"answer": ["red", "blue"], "reasoning": "x"}, ["blue", "red"]) == "agree"
    assert compare('{"answer": [1, 2]}', "[1, 2]", question="What does this program print?").verdict == "agree"


def test_only_so_many_differences_are_listed() -> None:
    found = compare(json.dumps(list(range(500))), json.dumps(list(range(1, 501))))
    assert (found.verdict, len(found.differences)) == ("disagree", MOST_DIFFERENCES)


def test_what_is_too_large_to_be_compared_whole_is_not_said_to_agree() -> None:
    large = [0] * 30_000
    assert verdict(large, [*large[:-1], 1]) == "cannot_tell"
