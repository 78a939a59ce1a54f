"""What a question may hold; each refusal is one sentence that names the field."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.cli.question import parse
from pointsman.errors import InvalidQuestion
from pointsman.messages import MAX_QUESTION_BYTES, Question


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


def test_f10_a_malformed_tool_argument_is_refused_before_any_provider() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{not json"}}
    with pytest.raises(InvalidQuestion, match="messages: message 0: the arguments of a tool call are not JSON"):
        parse({"messages": [{"role": "assistant", "tool_calls": [call]}]})


def test_a_question_of_the_largest_size_is_taken_and_one_byte_more_is_not() -> None:
    frame = len(Question(prompt="x").model_dump_json()) - 1
    assert parse({"prompt": "x" * (MAX_QUESTION_BYTES - frame)}).prompt is not None
    with pytest.raises(InvalidQuestion, match=r"the question is 1,500,001 bytes as JSON and at most 1,500,000 fit"):
        parse({"prompt": "x" * (MAX_QUESTION_BYTES - frame + 1)})


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
