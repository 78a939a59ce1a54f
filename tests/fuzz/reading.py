"""The oracle: what a reply really holds, read strictly by each vendor's own protocol and by none of our code."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Any

from jsonschema import Draft202012Validator

from tests.fuzz.case import SCHEMA, Expected

_WHOLE = {
    "openai": {"stop", "length", "tool_calls", "function_call", "eos", "eos_token", "COMPLETE"},
    "anthropic": {"end_turn", "stop_sequence", "max_tokens", "tool_use"},
    "gemini": {"STOP", "MAX_TOKENS"},
    "ollama": {"stop", "length", "tool_calls"},
}
_FILTERED = {
    *("content_filter", "refusal", "content_filtered", "guardrail_intervened", "sensitive"),
    *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"),
}
_REFUSING = re.compile(
    r"\W*((i'?m )?sorry\W+(but\W+)?)?i(\s+(can('t|\s?not)|am unable to)|'m unable to)\s+(help|assist|comply)\b",
    re.IGNORECASE,
)
_REFUSAL_MOST = 400
_WORDS = {word for words in _WHOLE.values() for word in words}


@dataclass(frozen=True)
class Reading:
    """What stands in a reply."""

    text: str = ""
    finish: Any = None
    tools: bool = False
    refusal: str | None = None
    error: bool = False


def expected(dialect: str, body: bytes, *, schema: bool) -> Expected:
    """What may be made of a body that arrived whole under status 200."""
    try:
        document = json.loads(body)  # of bytes: in any of Unicode's encodings, as HTTP clients read it
    except (ValueError, RecursionError):
        return Expected()
    reading = _READERS[dialect](document) if isinstance(document, dict) else None
    if reading is None or reading.error:
        return Expected()
    if reading.refusal or reading.finish in _FILTERED or declines(reading.text):
        return Expected(refusal=True)
    if reading.finish not in _WORDS:
        return Expected()
    text = sent(reading.text)
    if schema and not reading.tools:
        return Expected(texts=(text,)) if matches(reading.text) else Expected()
    return Expected(texts=(text,) if visible(text) or reading.tools else (), tools=reading.tools)


def whole(told: Expected) -> Expected:
    """The same of a reply that keeps to its protocol: what may be answered must be."""
    return replace(told, must_answer=bool(told.texts), must_refuse=told.refusal)


def declines(text: str) -> bool:
    """Whether a short text begins with the words of the ensemble document for "I cannot help"."""
    plain = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return len(text) <= _REFUSAL_MOST and _REFUSING.match(plain) is not None


def sent(text: str) -> str:
    """A text as UTF-8 can carry it: half a surrogate pair becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def visible(text: str) -> bool:
    """Whether a reader would see anything."""
    blank = {"Cc", "Cf", "Zs", "Zl", "Zp"}
    return any(unicodedata.category(character) not in blank for character in text)


def matches(text: str) -> bool:
    """Whether some JSON value in the text keeps to `SCHEMA`."""
    return any(Draft202012Validator(SCHEMA).is_valid(value) for value in values(text))


def values(text: str) -> list[Any]:
    """The whole text as JSON, or whatever parses from any place in it."""
    decoder, found = json.JSONDecoder(), []
    for start in [place for place, character in enumerate(text) if character in "{["]:
        try:
            found.append(decoder.raw_decode(text, start)[0])
        except (ValueError, RecursionError):
            continue
    return found


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _openai(document: dict[str, Any]) -> Reading | None:
    choice = _first(document.get("choices"))
    if not isinstance(choice, dict):
        return None
    message = _dict(choice.get("message"))
    content, refusal = message.get("content"), message.get("refusal")
    return Reading(
        content if isinstance(content, str) else "",
        _word(choice.get("finish_reason")),
        bool(message.get("tool_calls")),
        refusal if isinstance(refusal, str) else None,
        bool(document.get("error") or choice.get("error")),
    )


def _anthropic(document: dict[str, Any]) -> Reading | None:
    content = document.get("content")
    if not isinstance(content, list):
        return None
    blocks = [_dict(block) for block in content]
    texts = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    tools = any(block.get("type") == "tool_use" for block in blocks)
    error = bool(document.get("error")) or document.get("type") == "error"
    return Reading("".join(texts), _word(document.get("stop_reason")), tools, None, error)


def _gemini(document: dict[str, Any]) -> Reading | None:
    if _dict(document.get("promptFeedback")).get("blockReason"):
        return Reading(refusal="blocked", error=bool(document.get("error")))
    candidate = _first(document.get("candidates"))
    if not isinstance(candidate, dict):
        return None
    listed = _dict(candidate.get("content")).get("parts")
    parts = [_dict(part) for part in listed] if isinstance(listed, list) else []
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]
    tools = any("functionCall" in part for part in parts)
    return Reading("".join(texts), _word(candidate.get("finishReason")), tools, None, bool(document.get("error")))


def _ollama(document: dict[str, Any]) -> Reading | None:
    message, done = _dict(document.get("message")), document.get("done") is True
    content = message.get("content")
    return Reading(
        content if isinstance(content, str) else "",
        _word(document.get("done_reason") or "stop") if done else None,
        bool(message.get("tool_calls")),
        None,
        bool(document.get("error")),
    )


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) else None


_READERS = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini, "ollama": _ollama}
