"""What a vendor's own reply says and LiteLLM's form of it loses: stop reason, whether usage was sent, served model.

LiteLLM turns a missing or unknown stop reason into "stop" and missing usage into zeros, so that a cut-off or unbilled
reply looks like a whole one. For Ollama it repeats the requested model as the one that has served. Of a reply that
Gemini's filter has stopped it forgets the cached tokens, which would then be billed at the full price.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from pointsman.response import FinishReason

_REASONS: dict[str, FinishReason] = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "STOP", "eos", "eos_token", "COMPLETE"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "MAX_TOKENS"), "length"),
    **dict.fromkeys(("tool_calls", "tool_use", "function_call", "TOOL_CALL"), "tool_calls"),
    **dict.fromkeys(
        (
            "content_filter",
            "content_filtered",
            "refusal",
            "SAFETY",
            "RECITATION",
            "LANGUAGE",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "IMAGE_SAFETY",
            "guardrail_intervened",
            "sensitive",
        ),
        "content_filter",
    ),
}

_ONE_FORM = frozenset({"anthropic", "gemini", "ollama", "ollama_chat"})
"""OpenAI's prefix may stand for its newer protocol too."""


@dataclass(frozen=True)
class NativeReply:
    """The facts read from a vendor's reply."""

    finish_reason: FinishReason
    reports_usage: bool
    model: str | None = None
    cached_tokens: int = field(default=0, kw_only=True)
    """Where LiteLLM may have lost them; else 0."""
    failed: bool = field(default=False, kw_only=True)
    """Whether there is an error in it too: then what stands beside it is no whole answer."""


def read(raw: str | None, vendor: str = "") -> NativeReply | None:
    """The facts of a reply by its own JSON, or `None` where it is none of the known forms.

    Where LiteLLM's prefix `vendor` leaves no doubt of the form, a reply that lacks its marks has no terminal marker.
    """
    try:
        document = json.loads(raw or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    found = _openai(document) or _anthropic(document) or _gemini(document) or _ollama(document)
    if found is None:
        return NativeReply("missing", reports_usage=False) if vendor in _ONE_FORM else None
    return replace(found, failed=True) if document.get("error") else found


def _openai(document: dict[str, Any]) -> NativeReply | None:
    choice = _first(document.get("choices"))
    if choice is None:
        return None
    usage, failed = bool(document.get("usage")), bool(choice.get("error"))
    return NativeReply(reason(choice.get("finish_reason")), usage, document.get("model"), failed=failed)


def _anthropic(document: dict[str, Any]) -> NativeReply | None:
    if "stop_reason" not in document and document.get("type") != "message":
        return None
    return NativeReply(reason(document.get("stop_reason")), bool(document.get("usage")), document.get("model"))


def _gemini(document: dict[str, Any]) -> NativeReply | None:
    usage, model = document.get("usageMetadata"), document.get("modelVersion")
    cached = usage.get("cachedContentTokenCount") if isinstance(usage, dict) else None
    cached = cached if isinstance(cached, int) and cached > 0 else 0
    feedback = document.get("promptFeedback")
    if isinstance(feedback, dict) and feedback.get("blockReason"):
        return NativeReply("content_filter", bool(usage), model, cached_tokens=cached)
    candidate = _first(document.get("candidates"))
    return (
        None
        if candidate is None
        else NativeReply(reason(candidate.get("finishReason")), bool(usage), model, cached_tokens=cached)
    )


def _ollama(document: dict[str, Any]) -> NativeReply | None:
    if "done" not in document:
        return None
    # Older servers send no done_reason: a finished reply then ended by itself.
    stopped = document.get("done_reason") or "stop" if document["done"] is True else None
    return NativeReply(reason(stopped), "eval_count" in document, document.get("model"))


def _first(listed: Any) -> dict[str, Any] | None:
    first = listed[0] if isinstance(listed, list) and listed else None
    return first if isinstance(first, dict) else None


def reason(native: Any) -> FinishReason:
    """The standard form of a vendor's stop reason."""
    if native is None:
        return "missing"
    return _REASONS.get(str(native), "unknown")
