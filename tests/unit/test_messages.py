"""What a question may hold; each refusal is one sentence that names the field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.cli.question import parse
from pointsman.errors import InvalidQuestion
from pointsman.messages import MAX_QUESTION_BYTES, Question, oversize


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"prompt": ""}, "prompt is empty; give the question's text"),
        ({"prompt": "  \n"}, "prompt is empty; give the question's text"),
        ({}, "prompt is missing; give prompt or messages"),
        (
            {"prompt": "a", "messages": [{"role": "user", "content": "b"}]},
            "prompt and messages are both given; give one of them",
        ),
        ({"messages": []}, "messages is empty; give at least one message"),
        ({"prompt": "a", "deadline_s": -1}, "deadline_s: input should be greater than 0 (it is -1)"),
        ({"prompt": "a", "max_cost_usd": -0.5}, "max_cost_usd: input should be greater than 0 (it is -0.5)"),
        ({"prompt": "a", "deadlin_s": 3}, "deadlin_s: unknown key; did you mean deadline_s?"),
        ({"prompt": "a", "stakes": "huge"}, "stakes: input should be 'normal' or 'high' (it is 'huge')"),
        ({"prompt": "a", "parameters": {"top_k": 3}}, "parameters.top_k: unknown key; did you mean top_p?"),
        (
            {"prompt": "a", "allow": []},
            "allow is empty, so that no provider may answer; name a provider or leave it out",
        ),
        ({"prompt": "a", "response_schema": {"type": "nothing"}}, "response_schema: not a JSON Schema (at type)"),
        (
            {"prompt": "a", "response_schema": {"$ref": "http://127.0.0.1/x"}},
            "response_schema: the reference 'http://127.0.0.1/x' leads nowhere",
        ),
        (
            {"prompt": "a\ud800"},
            "prompt is not valid Unicode (a lone surrogate); send text that can be encoded as UTF-8",
        ),
        (
            {"prompt": "a", "metadata": {"k": "\udfff"}},
            "metadata is not valid Unicode (a lone surrogate); send text that can be encoded as UTF-8",
        ),
        ({"messages": [{"role": "nobody", "content": "x"}]}, "messages: message 0: role is 'nobody'"),
        ({"messages": [{"role": "user"}]}, "messages: message 0: content is missing"),
        ({"prompt": "a", "priority": 9}, "priority: input should be less than or equal to 5 (it is 9)"),
    ],
)
def test_bad_input_is_one_sentence(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        parse(fields)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(("field", "limit"), [("tenant", 64), ("task", 255), ("allow", 64), ("deny", 64)], ids=str)
@pytest.mark.parametrize("letter", ["x", "\N{LATIN SMALL LETTER E WITH ACUTE}", "\N{DUCK}"])
def test_what_temporal_bounds_is_bounded_in_bytes(field: str, limit: int, letter: str) -> None:
    def given(text: str) -> dict[str, Any]:
        return {"prompt": "a", field: text if field in {"tenant", "task"} else [text]}

    fits = letter * (limit // len(letter.encode()))
    assert parse(given(fits)).prompt == "a"
    with pytest.raises(InvalidQuestion, match=rf"^{field}(\.0)?: is \d+ bytes as UTF-8 and at most {limit} fit"):
        parse(given(fits + letter))


def test_f10_a_malformed_tool_argument_is_refused_before_any_provider() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{not json"}}
    with pytest.raises(InvalidQuestion, match="messages: message 0: the arguments of a tool call are not JSON"):
        parse({"messages": [{"role": "assistant", "tool_calls": [call]}]})


def test_a_question_of_the_largest_size_is_taken_and_one_byte_more_is_not() -> None:
    frame = len(Question(prompt="x").model_dump_json()) - 1
    assert oversize(Question(prompt="x" * (MAX_QUESTION_BYTES - frame)), MAX_QUESTION_BYTES) is None
    one_more = oversize(Question(prompt="x" * (MAX_QUESTION_BYTES - frame + 1)), MAX_QUESTION_BYTES)
    assert one_more is not None
    assert one_more.startswith("the question is 1,500,001 bytes as JSON and at most 1,500,000 fit")


@pytest.mark.parametrize("text", ["žluťoučký", "日本語", "عربى", "🦆👩‍👩‍👧", "\x00\x07", "a\u200bb", "ﷺ"])
def test_unicode_of_every_kind_survives_the_wire(text: str) -> None:
    question = Question(prompt=text + "?")
    assert Question.model_validate_json(question.model_dump_json()) == question


def test_the_text_of_a_conversation_is_its_last_user_message() -> None:
    question = Question(
        messages=(
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": "yes?"},
            {"role": "user", "content": [{"type": "text", "text": "second"}, {"type": "image_url"}]},
            {"role": "assistant", "content": "hm"},
        )
    )
    assert question.text == "second\n"


def test_a_question_made_by_an_older_client_is_read_with_defaults() -> None:
    question = Question.model_validate_json('{"prompt": "hi"}')
    assert (question.deadline_s, question.on_exhausted, question.stakes) == (60.0, "fail", None)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ({"role": ["user"], "content": "x"}, "messages: message 0: role is ['user']; it is one of system, developer,"),
        ({"role": "user", "content": 5}, "messages: message 0: content is neither a text nor a list of parts"),
        ({"role": "assistant", "tool_calls": 5}, "messages: message 0: tool_calls is no list"),
        ({"role": "assistant", "tool_calls": ["x"]}, "messages: message 0: a tool call has no function"),
        ({"role": "assistant", "tool_calls": [{"function": "x"}]}, "messages: message 0: a tool call has no function"),
    ],
)
def test_f10_a_malformed_message_is_refused_before_any_provider(message: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        parse({"messages": [message]})
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize("arguments", ["{not json", "{" * 5000, "[" * 5000, {"a": 1}])
def test_f10_any_malformed_tool_argument_is_refused(arguments: Any) -> None:
    call = {"function": {"name": "f", "arguments": arguments}}
    with pytest.raises(InvalidQuestion, match="the arguments of a tool call are not JSON"):
        parse({"messages": [{"role": "assistant", "tool_calls": [call]}]})


def _nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [200, 300, 3000])
def test_what_is_nested_too_deeply_to_be_read_again_is_refused(levels: int) -> None:
    with pytest.raises(InvalidQuestion, match=r"^messages is nested too deeply; about 180 levels can be sent"):
        parse({"messages": [{"role": "user", "content": _nested(levels)}]})


def test_what_is_nested_within_reason_survives_the_wire() -> None:
    question = parse({"prompt": "a", "response_schema": {"const": _nested(170)}})
    assert Question.model_validate_json(question.model_dump_json()) == question


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"response_schema": {"const": "\ud800"}}, "response_schema"),
        ({"response_schema": {"\ud800": 1}}, "response_schema"),
        ({"metadata": {"\ud800": "x"}}, "metadata"),
        ({"system": "\ud800"}, "system"),
    ],
)
def test_a_lone_surrogate_anywhere_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidQuestion, match=rf"^{field} is not valid Unicode \(a lone surrogate\)"):
        parse({"prompt": "a", **fields})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_does_not_have_is_refused(number: float) -> None:
    with pytest.raises(InvalidQuestion, match=r"^response_schema cannot be sent as JSON"):
        parse({"prompt": "a", "response_schema": {"const": number}})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
message_like = st.dictionaries(
    st.sampled_from(["role", "content", "tool_calls", "function", "arguments"]),
    values | st.sampled_from(["user", "assistant"]),
)
question_like = st.dictionaries(
    st.sampled_from([*Question.model_fields, "promt"]),
    values | st.lists(message_like, max_size=2) | st.sampled_from(["hello"]),
    max_size=5,
)


@given(question_like)
def test_any_json_is_a_question_or_refused_in_sentences(fields: dict[str, Any]) -> None:
    try:
        question = parse(fields)
    except InvalidQuestion:
        return
    assert Question.model_validate_json(question.model_dump_json()) == question


@given(
    st.floats(max_value=0) | st.sampled_from([float("nan"), float("inf")]),
    st.sampled_from(["deadline_s", "max_cost_usd", "max_latency_ms"]),
)
def test_no_limit_is_negative_zero_or_without_end(limit: float, field: str) -> None:
    with pytest.raises(InvalidQuestion, match=f"^{field}: input should be "):
        parse({"prompt": "a", field: limit})
