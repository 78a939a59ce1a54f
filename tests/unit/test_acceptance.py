"""Which replies are answers, and what the others are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.acceptance import MAX_ANSWER_BYTES, Accepted, accept, is_refusal, json_values, read_claims
from pointsman.faults import ProviderFault
from pointsman.messages import ContextRecord, Question
from pointsman.outcomes import Claim, ErrorClass, Fault, ToolCall
from pointsman.response import FinishReason, ProviderResponse

QUESTION = Question(prompt="hello")
letters = st.characters(exclude_categories=["Cs"], exclude_characters="`")
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def _response(content: str, **fields: Any) -> ProviderResponse:
    return ProviderResponse(content=content, latency_s=0.1, **fields)


def _accepted(
    content: str, schema: dict[str, Any] | None = None, question: Question = QUESTION, **fields: Any
) -> Accepted:
    return accept(_response(content, **fields), question, schema)


def _fault(content: str, schema: dict[str, Any] | None = None, question: Question = QUESTION, **fields: Any) -> Fault:
    with pytest.raises(ProviderFault) as refused:
        accept(_response(content, **fields), question, schema)
    return refused.value.fault


@pytest.mark.parametrize("content", ["", "   ", "\n\t", "\u00a0"])
def test_a_reply_without_text_is_a_failure(content: str) -> None:
    assert (_fault(content).error_class, _fault(content).kind) == (ErrorClass.FAILURE, "empty_answer")


@pytest.mark.parametrize(("finish_reason", "kind"), [("missing", "truncated"), ("unknown", "stop_reason")])
def test_a_reply_without_a_known_ending_is_a_failure(finish_reason: str, kind: str) -> None:
    found = _fault("some text", finish_reason=finish_reason)
    assert (found.error_class, found.kind) == (ErrorClass.FAILURE, kind)


def test_the_callers_own_cap_ends_an_answer_without_blame() -> None:
    capped = Question(prompt="hello", max_output_tokens=5)
    assert _accepted("cut at the", question=capped, finish_reason="length").text == "cut at the"
    found = _fault('{"name": "A', NAME, capped, finish_reason="length")
    assert (found.error_class, found.kind) == (ErrorClass.CLIENT, "max_output_tokens")


def test_our_own_cap_under_a_schema_is_the_answers_quality() -> None:
    assert _fault('{"name": "A', NAME, finish_reason="length").kind == "length"
    assert _fault("", finish_reason="length").error_class is ErrorClass.QUALITY


def test_f05_json_cut_short_is_no_answer() -> None:
    assert (_fault('{"name":', NAME).error_class, _fault('{"name":', NAME).kind) == (ErrorClass.QUALITY, "not_json")


def test_f07_prose_is_never_a_success_under_a_schema() -> None:
    assert _fault("Sure! The name is Ada.", NAME).kind == "not_json"
    assert _fault('{"nom": "Ada"}', NAME).kind == "schema_invalid"


@pytest.mark.parametrize(
    "content",
    [
        '{"name": "Ada"}',
        '```json\n{"name": "Ada"}\n```',
        'Here it is:\n```\n{"name": "Ada"}\n```\nAnything else?',
        'Of course {not json} and then {"name": "Ada"} as you wished.',
        '{"wrong": 1} no, rather {"name": "Ada"}',
    ],
)
def test_json_is_found_in_fences_and_prose_and_then_validated(content: str) -> None:
    assert _accepted(content, NAME).parsed == {"name": "Ada"}


def test_constants_that_json_does_not_have_are_not_json() -> None:
    assert _fault('{"name": NaN}', NAME).kind == "not_json"


def test_an_answer_over_a_megabyte_is_its_quality() -> None:
    found = _fault("ä" * (MAX_ANSWER_BYTES // 2 + 1))
    assert (found.error_class, found.kind) == (ErrorClass.QUALITY, "too_large")
    assert len(_accepted("a" * (MAX_ANSWER_BYTES - 2)).text) == MAX_ANSWER_BYTES - 2


@pytest.mark.parametrize(
    "text",
    [
        "I cannot help with that.",
        "I can't assist with this request",
        "I'm sorry, but I can\u2019t comply with that.",
        "Sorry, I am unable to help.",
        "I'm unable to assist with that",
    ],
)
def test_a_short_reply_that_cannot_help_is_a_refusal(text: str) -> None:
    assert is_refusal(text)
    assert _accepted(text).refused


@pytest.mark.parametrize(
    "text", ["I cannot find the invoice.", "The clerk said: I cannot help you.", "I cannot help" + " laughing" * 60]
)
def test_other_replies_are_no_refusals(text: str) -> None:
    assert not is_refusal(text)


def test_a_filtered_reply_is_a_refusal_even_under_a_schema() -> None:
    assert _accepted("", NAME, finish_reason="content_filter") == Accepted(text="", refused=True)


def test_a_tool_call_needs_no_text() -> None:
    call = ToolCall(name="look_up", arguments="{}")
    assert _accepted("", tool_calls=(call,), finish_reason="tool_calls").text == ""


def test_claims_are_read_where_the_question_brings_context() -> None:
    question = Question(prompt="hello", context=(ContextRecord(id="r1", text="water boils"),))
    content = json.dumps(
        {
            "answer": "It boils.",
            "claims": [
                {"text": "It boils", "confidence": 0.9, "sources": ["r1"]},
                {"text": "malformed", "confidence": 7},
                "no claim",
                {"text": "  "},
            ],
        }
    )
    found = _accepted(f"```json\n{content}\n```", question=question)
    assert found.text == "It boils."
    assert [(claim.text, claim.confidence, claim.sources) for claim in found.claims] == [("It boils", 0.9, ("r1",))]


def test_plain_text_is_an_answer_without_claims() -> None:
    assert read_claims("just text") == ("just text", ())


@given(st.text())
def test_looking_for_json_never_breaks(text: str) -> None:
    list(json_values(text))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(letters, max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(letters, max_size=4), inner, max_size=4),
        max_leaves=12,
    ),
    st.sampled_from(["{}", "```json\n{}\n```", "Here:\n```\n{}```\nand more", "```JSON {} ```"]),
    st.booleans(),
)
def test_json_in_a_fence_is_found_whole(value: Any, frame: str, ascii_only: bool) -> None:  # noqa: FBT001
    written = json.dumps(value, ensure_ascii=ascii_only)
    assert value in list(json_values(frame.replace("{}", written)))


def test_a_reply_of_brackets_ends_quickly_and_is_not_json() -> None:
    assert _fault("[" * 200_000, NAME).kind == "not_json"


@pytest.mark.parametrize("content", ["```" + "a" * 500_000, "```" + " " * 500_000, "```1```" * 100_000])
def test_fences_are_read_in_one_pass(content: str) -> None:
    assert _fault(content, NAME).error_class is ErrorClass.QUALITY


@pytest.mark.parametrize(
    "content",
    ['{"name": "x", "n": 1e999}', '{"name": "\\ud800"}', '{"name": "x", "deep": ' + "[" * 400 + "]" * 400 + "}"],
)
def test_a_value_that_no_payload_can_carry_is_no_answer(content: str) -> None:
    assert _fault(content, NAME).error_class is ErrorClass.QUALITY


def test_half_an_emoji_in_a_reply_becomes_a_replacement_character() -> None:
    call = ToolCall(name="look_up", arguments='{"q": "\ud83d"}')
    assert _accepted("a duck: \ud83d").text == "a duck: \ufffd"
    assert call.arguments == '{"q": "\ufffd"}'


def test_a_number_too_large_to_check_is_a_mismatch() -> None:
    assert _fault("1" + "0" * 400, {"multipleOf": 0.1}).kind == "schema_invalid"


def test_a_refusal_is_bounded_in_size_too() -> None:
    assert _fault("x" * (MAX_ANSWER_BYTES + 1), finish_reason="content_filter").kind == "too_large"


def test_text_and_value_together_are_bounded() -> None:
    assert _fault(json.dumps({"name": "a" * 900_000}), NAME).kind == "too_large"


def test_a_tool_call_answers_a_question_with_a_schema() -> None:
    call = ToolCall(name="look_up", arguments="{}")
    found = _accepted("", NAME, tool_calls=(call,), finish_reason="tool_calls")
    assert (found.parsed, found.refused) == (None, False)


def test_claims_of_the_provider_itself_are_kept() -> None:
    question = Question(prompt="hello", context=(ContextRecord(id="r1", text="t"),))
    given_claims = (Claim(text="t", sources=("r1",)),)
    assert _accepted("- t", question=question, claims=given_claims).claims == given_claims


def test_a_claims_form_without_an_answer_is_plain_text() -> None:
    for content in ('{"answer": " ", "claims": []}', '{"claims": [{"text": "x"}]}', '{"answer": 5}'):
        assert read_claims(content) == (content, ())


@given(st.text(), st.sampled_from(["stop", "length", "tool_calls", "content_filter", "missing", "unknown"]))
def test_a_reply_is_accepted_or_a_fault_with_a_summary_that_does_not_quote_it(
    content: str, ending: FinishReason
) -> None:
    told = ""
    try:
        accept(_response(content + "CANARY", finish_reason=ending), QUESTION, NAME)
    except ProviderFault as refused:
        told = str(refused)
    assert "CANARY" not in told


@pytest.mark.parametrize("text", ["\u200b", "\ufeff", "\u200b\u200d\u2060", "\x00", "\u00a0\u2003", "\u2028"])
def test_a_text_that_nobody_can_see_is_no_answer(text: str) -> None:
    with pytest.raises(ProviderFault) as caught:
        accept(ProviderResponse(content=text, latency_s=0.1), Question(prompt="hello"), None)
    assert caught.value.fault.kind == "empty_answer"


@pytest.mark.parametrize("text", [".", "\N{GRINNING FACE}", "\ue000", "e\u200b"])
def test_a_text_of_one_visible_character_is_an_answer(text: str) -> None:
    assert accept(ProviderResponse(content=text, latency_s=0.1), Question(prompt="hello"), None).text == text
