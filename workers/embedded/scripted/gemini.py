"""Gemini's generateContent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from workers.embedded.scripted.dialect import Json, last, plain_text
from workers.embedded.scripted.request import Asked, Request
from workers.embedded.scripted.script import Reply, Status, Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

_FINISH = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY", "tool_calls": "STOP"}
_STATUSES = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_SERVER_ERROR = 500


class Gemini:
    """`POST /{name}/v1beta/models/{model}:generateContent`."""

    name = "gemini"
    route = "/v1beta/models/{model}:generateContent"
    base = "/v1beta"

    def asked(self, body: Mapping[str, Any], model: str) -> Asked:
        """Google takes both spellings of its field names, LiteLLM mixes them, and a turn without a role is a user's."""
        contents: list[Json] = body["contents"]
        prompts = [plain_text(turn.get("parts")) for turn in contents if turn.get("role", "user") == "user"]
        system: Json = body.get("system_instruction") or body.get("systemInstruction") or {}
        config: Json = body.get("generationConfig") or body.get("generation_config") or {}
        return Asked(
            model=model,
            prompt=last(prompts),
            system=plain_text(system.get("parts")) or None,
            max_tokens=config.get("max_output_tokens", config.get("maxOutputTokens")),
            temperature=config.get("temperature"),
        )

    def reply(self, reply: Reply, request: Request) -> Json:
        """A refusal has no text of its own: it is a candidate without content that safety has stopped."""
        parts: list[Json] = []
        if not reply.content_is_null and reply.refusal is None:
            parts.append({"text": reply.text_for(request)})
        parts += [{"functionCall": {"name": c.name, "args": json.loads(c.arguments)}} for c in reply.tool_calls]
        finish = "content_filter" if reply.refusal is not None else reply.finish
        candidate: Json = {"index": 0}
        if parts:
            candidate["content"] = {"role": "model", "parts": parts}
        if finish is not None:
            candidate["finishReason"] = _FINISH.get(finish, finish)
        return {**_response(reply, request), "candidates": [candidate]}

    def no_choices(self, request: Request) -> Json:
        """No candidates at all: Google leaves the field out."""
        return _response(Reply(), request)

    def error(self, fault: Status) -> Json:
        """Google repeats the HTTP status as a number and a word."""
        kind = "INTERNAL" if fault.status >= _SERVER_ERROR else "INVALID_ARGUMENT"
        status = fault.error_type or _STATUSES.get(fault.status, kind)
        code = fault.code if isinstance(fault.code, int) else fault.status
        return {"error": {"code": code, "message": fault.message, "status": status}}


def _response(reply: Reply, request: Request) -> Json:
    body: Json = {"modelVersion": reply.model_for(request), "responseId": f"response_{request.number}"}
    return body if reply.usage is None else {**body, "usageMetadata": _usage(reply.usage)}


def _usage(tokens: Tokens) -> Json:
    return {
        "promptTokenCount": tokens.input,
        "cachedContentTokenCount": tokens.cached,
        "candidatesTokenCount": tokens.output - tokens.reasoning,
        "thoughtsTokenCount": tokens.reasoning,
        "totalTokenCount": tokens.input + tokens.output,
    }
