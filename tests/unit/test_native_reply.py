"""What vendors' own replies say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.providers.native_reply import NativeReply, read, reason

names = st.sampled_from(["choices", "candidates", "promptFeedback", "stop_reason", "done", "usage", "model", "type"])
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (
            {"choices": [{"finish_reason": "stop"}], "usage": {"prompt_tokens": 1}, "model": "m-1"},
            NativeReply("stop", reports_usage=True, model="m-1"),
        ),
        ({"choices": [{"finish_reason": None}]}, NativeReply("missing", reports_usage=False)),
        ({"choices": [{"finish_reason": "eos"}], "usage": {}}, NativeReply("stop", reports_usage=False)),
        (
            {"type": "message", "stop_reason": "max_tokens", "usage": {"input_tokens": 1}, "model": "c"},
            NativeReply("length", reports_usage=True, model="c"),
        ),
        ({"type": "message", "stop_reason": "refusal"}, NativeReply("content_filter", reports_usage=False)),
        (
            {"candidates": [{"finishReason": "SAFETY"}], "usageMetadata": {"x": 1}, "modelVersion": "g"},
            NativeReply("content_filter", reports_usage=True, model="g"),
        ),
        ({"candidates": [{}]}, NativeReply("missing", reports_usage=False)),
        ({"promptFeedback": {"blockReason": "OTHER"}}, NativeReply("content_filter", reports_usage=False)),
        (
            {"candidates": [{"finishReason": "SAFETY"}], "usageMetadata": {"cachedContentTokenCount": 8}},
            NativeReply("content_filter", reports_usage=True, cached_tokens=8),
        ),
        (
            {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"cachedContentTokenCount": "many"}},
            NativeReply("stop", reports_usage=True),
        ),
        (
            {"done": True, "done_reason": "length", "eval_count": 3, "model": "l"},
            NativeReply("length", reports_usage=True, model="l"),
        ),
        ({"done": True}, NativeReply("stop", reports_usage=False)),
        ({"done": False}, NativeReply("missing", reports_usage=False)),
    ],
)
def test_each_protocol_tells_stop_reason_usage_and_model(document: dict[str, Any], expected: NativeReply) -> None:
    assert read(json.dumps(document)) == expected


@pytest.mark.parametrize(
    "document",
    [
        {"choices": [{"finish_reason": "stop"}], "error": {"code": 502}},
        {"choices": [{"finish_reason": "stop", "error": {"code": 502}}]},
        {"type": "message", "stop_reason": "end_turn", "error": {"type": "overloaded_error"}},
        {"candidates": [{"finishReason": "STOP"}], "error": "overloaded"},
        {"done": True, "error": "overloaded"},
    ],
)
def test_an_error_beside_an_answer_is_told(document: dict[str, Any]) -> None:
    found = read(json.dumps(document))
    assert found is not None
    assert found.failed


@pytest.mark.parametrize("nothing", [None, {}, "", False])
def test_an_empty_error_is_none(nothing: Any) -> None:
    found = read(json.dumps({"choices": [{"finish_reason": "stop", "error": nothing}], "error": nothing}))
    assert found is not None
    assert not found.failed


@pytest.mark.parametrize("vendor", ["anthropic", "gemini", "ollama", "ollama_chat"])
def test_where_the_form_is_certain_a_reply_without_its_marks_has_no_terminal_marker(vendor: str) -> None:
    assert read('{"message": {"content": "half an ans"}}', vendor) == NativeReply("missing", reports_usage=False)
    assert read('{"message": {"content": "an answer"}}', "cohere") is None


@pytest.mark.parametrize(
    "raw", [None, "", "<html>", "[]", "{}", '{"choices": []}', "[" * 5000, '{"promptFeedback": "x"}']
)
def test_what_is_no_known_form_is_none(raw: str | None) -> None:
    assert read(raw) is None


def test_an_undocumented_stop_reason_is_unknown_and_none_is_missing() -> None:
    assert reason("model_context_window_exceeded") == "unknown"
    assert reason(["stop"]) == "unknown"
    assert reason(None) == "missing"


@given(documents)
def test_any_json_is_read(document: Any) -> None:
    read(json.dumps(document))
