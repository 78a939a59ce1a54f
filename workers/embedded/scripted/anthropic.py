"""Anthropic's messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from workers.embedded.scripted.dialect import Json, last, plain_text, texts
from workers.embedded.scripted.request import Asked, Request
from workers.embedded.scripted.script import Reply, Status, Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

_FINISH = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal", "tool_calls": "tool_use"}
_TYPES = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_SERVER_ERROR = 500


class Anthropic:
    """`POST /{name}/v1/messages`."""

    name = "anthropic"
    route = "/v1/messages"
    base = ""

    def asked(self, body: Mapping[str, Any], model: str) -> Asked:
        """The system text stands beside the messages."""
        return Asked(
            model=body.get("model", model),
            prompt=last(texts(body["messages"], "user")),
            system=plain_text(body.get("system")) or None,
            max_tokens=body.get("max_tokens"),
            temperature=body.get("temperature"),
        )

    def reply(self, reply: Reply, request: Request) -> Json:
        """A refusal has no text of its own: it is a stop reason without content."""
        content: list[Json] = []
        if not reply.content_is_null and reply.refusal is None:
            content.append({"type": "text", "text": reply.text_for(request)})
        content += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
            for call in reply.tool_calls
        ]
        return _message(reply, request, content)

    def no_choices(self, request: Request) -> Json:
        """An empty list of content."""
        return _message(Reply(), request, [])

    def error(self, fault: Status) -> Json:
        """Anthropic has types and no codes."""
        kind = "api_error" if fault.status >= _SERVER_ERROR else "invalid_request_error"
        kind = fault.error_type or _TYPES.get(fault.status, kind)
        return {"type": "error", "error": {"type": kind, "message": fault.message}}


def _message(reply: Reply, request: Request, content: list[Json]) -> Json:
    finish = "content_filter" if reply.refusal is not None else reply.finish
    body: Json = {
        "id": f"msg_{request.number}",
        "type": "message",
        "role": "assistant",
        "model": reply.model_for(request),
        "content": content,
        "stop_reason": None if finish is None else _FINISH.get(finish, finish),
        "stop_sequence": None,
    }
    return body if reply.usage is None else {**body, "usage": _usage(reply.usage)}


def _usage(tokens: Tokens) -> Json:
    return {
        "input_tokens": tokens.input - tokens.cached,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": tokens.output,
    }
