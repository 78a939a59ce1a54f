"""What is read from a reply, and what is no answer although its status is 200."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.acceptance import MAX_ANSWER_BYTES, accept
from pointsman.faults import ProviderFault
from pointsman.messages import Question
from pointsman.outcomes import ToolCall as CalledTool
from pointsman.outcomes import Usage
from tests.wire.asking import PROMPT, ask, each_dialect
from workers.embedded.scripted.script import Raw, Reply, Tokens, ToolCall
from workers.embedded.scripted.server import ScriptedProviders

QUESTION = Question(prompt=PROMPT)
TEXT = "Zürich \N{EM DASH} 東京\n\n```\nx < y && z\n```\n\N{GRINNING FACE}"


async def rejected(providers: ScriptedProviders, dialect: str, reply: Reply, **question: Any) -> tuple[str, str]:
    """Class and kind of the fault by which a reply is no answer."""
    response = await ask(providers, dialect, reply)
    with pytest.raises(ProviderFault) as caught:
        accept(response, QUESTION.model_copy(update=question), question.get("response_schema"))
    return caught.value.fault.error_class, caught.value.fault.kind


@each_dialect
async def test_text_and_served_model(providers: ScriptedProviders, dialect: str) -> None:
    response = await ask(providers, dialect, Reply(TEXT, model="served-2026-11-30"))

    assert response.content == TEXT
    assert response.model_served == "served-2026-11-30"
    assert response.finish_reason == "stop"
    assert not response.refused
    assert response.latency_s > 0
    assert accept(response, QUESTION, None).text == TEXT


@each_dialect
async def test_usage(providers: ScriptedProviders, dialect: str) -> None:
    response = await ask(providers, dialect, Reply(usage=Tokens(input=40, output=12, cached=8, reasoning=2)))

    # Ollama reports no cached tokens; neither it nor Anthropic tells reasoning tokens from others.
    assert response.usage == Usage(
        input_tokens=40,
        output_tokens=12,
        cached_tokens=0 if dialect == "ollama" else 8,
        reasoning_tokens=2 if dialect in {"openai", "gemini"} else 0,
        source="reported",
    )


async def test_reasoning_that_is_counted_apart_from_the_answer_is_billed(providers: ScriptedProviders) -> None:
    body = (
        b'{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "message": '
        b'{"role": "assistant", "content": "ok"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 10, '
        b'"completion_tokens": 5, "total_tokens": 40, "completion_tokens_details": {"reasoning_tokens": 25}}}'
    )

    response = await ask(providers, "openai", Raw(body))

    assert (response.usage.input_tokens, response.usage.output_tokens) == (10, 30)


@each_dialect
async def test_an_answer_that_tells_no_usage_is_an_answer_of_unknown_usage(
    providers: ScriptedProviders, dialect: str
) -> None:
    response = await ask(providers, dialect, Reply(usage=None))

    assert (response.content, response.finish_reason) == ("ok", "stop")
    assert response.usage == Usage()
    assert response.usage.source == "unknown"


@each_dialect
async def test_a_filtered_reply_is_billed_with_its_cached_tokens(providers: ScriptedProviders, dialect: str) -> None:
    tokens = Tokens(input=40, output=12, cached=8)
    response = await ask(providers, dialect, Reply("", finish="content_filter", usage=tokens))
    usage = response.usage
    assert (usage.input_tokens, usage.output_tokens, usage.source) == (40, 12, "reported")
    assert usage.cached_tokens == (0 if dialect == "ollama" else 8)


@each_dialect
async def test_a_reply_without_a_terminal_marker_is_truncated(providers: ScriptedProviders, dialect: str) -> None:
    assert await rejected(providers, dialect, Reply("half an ans", finish=None)) == ("failure", "truncated")


@pytest.mark.parametrize("finish", ["brand_new", "model_context_window_exceeded", "MALFORMED_FUNCTION_CALL", "error"])
@each_dialect
async def test_f06_an_unknown_stop_reason_is_a_failure(providers: ScriptedProviders, dialect: str, finish: str) -> None:
    for text in ("", "some text"):
        assert await rejected(providers, dialect, Reply(text, finish=finish)) == ("failure", "stop_reason")


@each_dialect
async def test_a_long_answer_that_is_cut_is_still_an_answer(providers: ScriptedProviders, dialect: str) -> None:
    response = await ask(providers, dialect, Reply("cut sho", finish="length"))

    assert response.finish_reason == "length"
    assert accept(response, QUESTION, None).text == "cut sho"


@each_dialect
async def test_output_tokens_used_up_before_any_text(providers: ScriptedProviders, dialect: str) -> None:
    empty = Reply(content_is_null=True, finish="length")

    assert await rejected(providers, dialect, empty) == ("quality", "length")
    assert await rejected(providers, dialect, empty, max_output_tokens=9) == ("client", "max_output_tokens")


@each_dialect
async def test_json_cut_under_a_schema_is_no_answer(providers: ScriptedProviders, dialect: str) -> None:
    cut = Reply('{"answer": "it is', finish="length")

    assert await rejected(providers, dialect, cut, response_schema={"type": "object"}) == ("quality", "length")


@pytest.mark.parametrize("text", ["", "half a sent"], ids=["empty", "with text"])
@each_dialect
async def test_a_filtered_answer_is_a_refusal(providers: ScriptedProviders, dialect: str, text: str) -> None:
    response = await ask(providers, dialect, Reply(text, "content_filter", content_is_null=not text))

    assert response.finish_reason == "content_filter"
    assert accept(response, QUESTION, None).refused


@each_dialect
async def test_a_refusal_in_the_vendors_own_form(providers: ScriptedProviders, dialect: str) -> None:
    response = await ask(providers, dialect, Reply(refusal="I can't help with that."))

    accepted = accept(response, QUESTION, None)
    assert accepted.refused
    # Anthropic and Google say no more than that they refuse.
    assert accepted.text == ("I can't help with that." if dialect in {"openai", "ollama"} else "")


@pytest.mark.parametrize(
    "text", ["I cannot help with that.", "I'm sorry, but I can\N{RIGHT SINGLE QUOTATION MARK}t assist with that."]
)
@each_dialect
async def test_a_refusal_in_words(providers: ScriptedProviders, dialect: str, text: str) -> None:
    accepted = accept(await ask(providers, dialect, Reply(text)), QUESTION, {"type": "object"})

    assert accepted.refused
    assert accepted.text == text


@each_dialect
async def test_tool_calls(providers: ScriptedProviders, dialect: str) -> None:
    calls = (ToolCall("look_up", '{"id": 4}', "call_1"), ToolCall("add", "{}", "call_2"))

    response = await ask(providers, dialect, Reply("", finish="tool_calls", tool_calls=calls))

    assert [(call.name, call.arguments) for call in response.tool_calls] == [("look_up", '{"id": 4}'), ("add", "{}")]
    assert len({call.id for call in response.tool_calls}) == 2
    assert None not in {call.id for call in response.tool_calls}
    assert accept(response, QUESTION, {"type": "object"}).text == ""


async def test_tool_arguments_that_are_no_json_arrive_as_they_are(providers: ScriptedProviders) -> None:
    calls = (ToolCall("look_up", '{"id": 4,'),)

    response = await ask(providers, "openai", Reply("", finish="tool_calls", tool_calls=calls))

    assert response.tool_calls == (CalledTool(id="call_1", name="look_up", arguments='{"id": 4,'),)


@each_dialect
async def test_two_megabytes_are_read_and_are_too_large(providers: ScriptedProviders, dialect: str) -> None:
    text = "x" * 2 * 1024**2

    response = await ask(providers, dialect, Reply(text))

    assert response.content == text
    assert await rejected(providers, dialect, Reply(text)) == ("quality", "too_large")


async def test_the_largest_answer_is_an_answer(providers: ScriptedProviders) -> None:
    text = "x" * (MAX_ANSWER_BYTES - 2)

    assert accept(await ask(providers, "openai", Reply(text)), QUESTION, None).text == text


async def test_each_reply_is_read_for_itself(providers: ScriptedProviders) -> None:
    first = await ask(providers, "openai", Reply("one", finish="length", usage=None))
    second = await ask(providers, "openai", Reply("two"))

    assert (first.content, first.finish_reason, first.usage.source) == ("one", "length", "unknown")
    assert (second.content, second.finish_reason, second.usage.source) == ("two", "stop", "reported")
