"""What the scripted providers of the embedded stack say. They are no models: each reply says that it is scripted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pointsman.prompt import CLAIMS_FORM
from workers.embedded.answer_key import answer_key
from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import Reply, Status, Step

DISPUTED = "How many moons does Mars have?"
"""A question on which the scripted providers differ, so that a review can be seen."""
_DISPUTED_ANSWERS = {"claude": "(scripted) Mars has 2 moons, Phobos and Deimos. The answer is 2."}
_DISPUTED_BY_OTHERS = "(scripted) Mars has 3 moons. The answer is 3."
CARELESS = "nano"
"""A model with this in its name gets every third of the answers that it should know wrong."""
_OUT_OF_ORDER = "unavailable"
_QUOTED_CHARACTERS = 120


def scripts() -> dict[str, tuple[Step, ...]]:
    """Scripts by endpoint; one endpoint is always out of order, so that a fallback can be seen."""
    endpoints = ("small-openai", "small-gemini", "frontier-anthropic", "frontier-openai", "local-ollama")
    return {**dict.fromkeys(endpoints, (talk,)), _OUT_OF_ORDER: (Status(503),)}


def talk(request: Request) -> Reply:
    """An answer after a moment, served by the very model that was asked for."""
    return Reply(text=answer(request), model=request.model, delay_s=0.05)


def answer(request: Request) -> str:
    """A right answer where one is known; else a reply in the form that is asked for: a value, claims, or a sentence."""
    known = answer_key().get(request.prompt)
    if known is not None:
        return _careless(known) if CARELESS in request.model else known
    schema = _schema(request.body)
    if schema is not None:
        return json.dumps(example(schema))
    if DISPUTED in request.prompt:
        said = [text for family, text in _DISPUTED_ANSWERS.items() if family in request.model]
        return said[0] if said else _DISPUTED_BY_OTHERS
    sentence = f"(scripted) {request.model} was asked: {request.prompt[:_QUOTED_CHARACTERS]}"
    if CLAIMS_FORM not in (request.system or ""):
        return sentence
    return json.dumps({"answer": sentence, "claims": [{"text": sentence, "confidence": 0.8, "sources": []}]})


def _careless(right: str) -> str:
    """The right answer, or one to another question: for a reply it is always the same."""
    others = sorted(set(answer_key().values()))
    place = others.index(right)
    return others[(place + 1) % len(others)] if place % 3 == 0 else right


def example(schema: dict[str, Any]) -> Any:  # noqa: PLR0911 - one for each kind of value
    """A small value that matches the common kinds of JSON Schema."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "object":
            properties: dict[str, Any] = schema.get("properties", {})
            return {name: example(inner) for name, inner in properties.items()}
        case "array":
            return [example(schema.get("items", {"type": "string"}))] * int(schema.get("minItems", 1))
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return "scripted".ljust(int(schema.get("minLength", 0)), ".")


def _schema(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The response schema in an OpenAI-shaped request; other protocols get the same question in words."""
    form = body.get("response_format") or {}
    found = (form.get("json_schema") or {}).get("schema")
    if found is None:
        found = (body.get("generationConfig") or {}).get("response_json_schema")
    return found if isinstance(found, dict) else None
