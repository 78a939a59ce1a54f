"""Is this reply an answer? Every reply is judged inside its attempt: what is not usable is a fault, never a success.

accepted = accept(response, question, schema)      # or raises ProviderFault
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from pydantic import ValidationError

from pointsman.bounded_validator import TooCostly
from pointsman.faults import fault
from pointsman.messages import Question
from pointsman.outcomes import Claim, ErrorClass
from pointsman.payloads import unsendable
from pointsman.prompt import asks_for_claims
from pointsman.response import ProviderResponse
from pointsman.schemas import mismatch

MAX_ANSWER_BYTES = 1_000_000
"""Serialised UTF-8 size of an answer's text (DESIGN ruling 9)."""
MAX_RESULT_BYTES = 1_600_000
"""The same for text, parsed value, claims and tool calls together: they share a payload of 1.9 MB with the decision."""

_APOSTROPHES = str.maketrans("\N{RIGHT SINGLE QUOTATION MARK}", "'")
_REFUSAL = re.compile(
    r"\W*(i'?m sorry\W+(but\W+)?|sorry\W+(but\W+)?)?i(\s+cannot|\s+can\s?not|\s+can't|\s+am unable to|'m unable to)\s+"
    r"(help|assist|comply)\b",
    re.IGNORECASE,
)
_SHORT_REPLY = 400
# Possessive, so that a fence which never closes is read once and not once per character of its first word.
_FENCE = re.compile(r"```[A-Za-z0-9_-]*+\s*+(.*?)```", re.DOTALL)
_JSON_START = re.compile(r"[{\[]")
_PLACES_TRIED = 64
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
"""Unicode's categories of controls, marks without a shape of their own, and spaces."""


@dataclass(frozen=True)
class Accepted:
    """The usable content of a reply."""

    text: str
    parsed: Any = None
    claims: tuple[Claim, ...] = ()
    refused: bool = False


def accept(response: ProviderResponse, question: Question, schema: dict[str, Any] | None) -> Accepted:
    """Judge a reply.

    A refusal is accepted and marked (DESIGN ruling 3).

    Raises:
        ProviderFault: the reply is no answer; its class says whether that is the provider's doing.
    """
    _check_size(response)
    if response.refused or response.finish_reason == "content_filter" or is_refusal(response.content):
        return Accepted(text=response.content, refused=True)
    _check_ending(response)
    _check_content(response, question)
    if schema is not None and not response.tool_calls:
        return Accepted(text=response.content, parsed=_matching(response, question, schema))
    if asks_for_claims(question, schema) and not response.claims:
        answer, claims = read_claims(response.content)
        return Accepted(text=answer, claims=claims)
    return Accepted(text=response.content, claims=response.claims)


def is_refusal(text: str) -> bool:
    """Whether a short reply says that the model cannot help (ensemble document, LiteLLMProvider)."""
    return len(text) <= _SHORT_REPLY and _REFUSAL.match(text.translate(_APOSTROPHES)) is not None


def read_claims(text: str) -> tuple[str, tuple[Claim, ...]]:
    """The answer and claims of the claims form; malformed claims are skipped, plain text is an answer without any."""
    for value in json_values(text):
        if isinstance(value, dict) and isinstance(value.get("answer"), str) and _shows(value["answer"]):
            listed = value.get("claims")
            return value["answer"], tuple(_claims(listed if isinstance(listed, list) else []))
    return text, ()


def matching_value(text: str, schema: dict[str, Any]) -> Any:
    """The JSON value in a text that a person wrote under a schema.

    Raises:
        ValueError: there is none that matches; a sentence.
    """
    fault: str | None = None
    for value in json_values(text):
        try:
            fault = mismatch(value, schema)
        except TooCostly:
            fault = "it takes too long to apply"
        if fault is None:
            return value
    raise ValueError("it holds no JSON" if fault is None else fault)


def json_values(text: str) -> Iterator[Any]:
    """JSON values found in a text: the whole, then fenced blocks, then whatever parses after prose, in this order."""
    return (value for value in _decoded(text) if unsendable(value) is None)


def _decoded(text: str) -> Iterator[Any]:
    fenced = (found[1] for found in islice(_FENCE.finditer(text), _PLACES_TRIED))
    for part in chain((text,), fenced):
        try:
            yield json.loads(part, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            continue
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    for start in islice(_JSON_START.finditer(text), _PLACES_TRIED):
        try:
            yield decoder.raw_decode(text, start.start())[0]
        except (ValueError, RecursionError):
            continue


def _check_ending(response: ProviderResponse) -> None:
    if response.finish_reason == "missing":
        raise fault(ErrorClass.FAILURE, "truncated", "the reply ended without a terminal marker")
    if response.finish_reason == "unknown":
        raise fault(ErrorClass.FAILURE, "stop_reason", "the reply ended with an unknown stop reason")


def _check_content(response: ProviderResponse, question: Question) -> None:
    if not _shows(response.content) and not response.tool_calls:
        if response.finish_reason == "length":
            raise _cut_short(question)
        raise fault(ErrorClass.FAILURE, "empty_answer", "the reply holds no text")


def _shows(text: str) -> bool:
    """Whether a reader would see anything: a zero-width space is no answer."""
    return any(unicodedata.category(character) not in _INVISIBLE for character in text)


def _check_size(response: ProviderResponse) -> None:
    if _serialised(response.content) > MAX_ANSWER_BYTES:
        raise fault(ErrorClass.QUALITY, "too_large", f"the answer is over {MAX_ANSWER_BYTES:,} bytes")
    whole = response.model_dump(mode="json", include={"content", "claims", "tool_calls"})
    if _serialised(whole) > MAX_RESULT_BYTES:
        raise fault(
            ErrorClass.QUALITY, "too_large", f"answer, claims and tool calls are over {MAX_RESULT_BYTES:,} bytes"
        )


def _matching(response: ProviderResponse, question: Question, schema: dict[str, Any]) -> Any:
    found = False
    for value in json_values(response.content):
        found = True
        if _matches(value, schema):
            if _serialised(response.content) + _serialised(value) > MAX_RESULT_BYTES:
                raise fault(ErrorClass.QUALITY, "too_large", f"text and value are over {MAX_RESULT_BYTES:,} bytes")
            return value
    if response.finish_reason == "length":
        raise _cut_short(question)
    if found:
        raise fault(ErrorClass.QUALITY, "schema_invalid", "the reply's JSON does not match the response schema")
    raise fault(ErrorClass.QUALITY, "not_json", "the reply holds no JSON, and the response schema needs it")


def _matches(value: Any, schema: dict[str, Any]) -> bool:
    try:
        return mismatch(value, schema) is None
    except TooCostly:
        # The schema's doing, so no other provider would do better under it.
        raise fault(
            ErrorClass.CLIENT,
            "schema_too_costly",
            "response_schema: it takes too long to apply to an answer; simplify its patterns and its nested choices",
        ) from None


def _cut_short(question: Question) -> Exception:
    if question.max_output_tokens is not None:
        # The caller's own cap, so no other provider would do better under it.
        return fault(
            ErrorClass.CLIENT,
            "max_output_tokens",
            f"max_output_tokens: {question.max_output_tokens} ended the answer before it was usable; raise it",
        )
    return fault(ErrorClass.QUALITY, "length", "the reply used up its output tokens before it was usable")


def _claims(listed: list[Any]) -> Iterator[Claim]:
    for entry in listed:
        try:
            claim = Claim.model_validate(entry)
        except ValidationError:
            continue
        if claim.text.strip():
            yield claim


def _serialised(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _no_constant(name: str) -> float:
    raise ValueError(name)
