"""Ollama's chat."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from workers.embedded.scripted.dialect import Json, last, texts
from workers.embedded.scripted.request import Asked, Request
from workers.embedded.scripted.script import Reply, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

_FINISH = {"tool_calls": "stop"}
SHOW_ROUTE = "/api/show"
SHOWN: Json = {
    "template": "{{ .Prompt }}",
    "capabilities": ["completion", "tools"],
    "details": {"format": "gguf", "family": "llama"},
    "model_info": {"general.architecture": "llama", "llama.context_length": 8192},
}
"""What Ollama says of every model; LiteLLM may ask before a chat."""


class Ollama:
    """`POST /{name}/api/chat`."""

    name = "ollama"
    route = "/api/chat"
    base = ""

    def asked(self, body: Mapping[str, Any], model: str) -> Asked:
        """Limits stand in `options`."""
        options: Json = body.get("options") or {}
        return Asked(
            model=body.get("model", model),
            prompt=last(texts(body["messages"], "user")),
            system="\n".join(texts(body["messages"], "system")) or None,
            max_tokens=options.get("num_predict"),
            temperature=options.get("temperature"),
        )

    def reply(self, reply: Reply, request: Request) -> Json:
        """Ollama knows neither a null content nor a refusal: the first is empty, the second is plain text."""
        text = "" if reply.content_is_null else reply.text_for(request)
        message: Json = {"role": "assistant", "content": text if reply.refusal is None else reply.refusal}
        if reply.tool_calls:
            message["tool_calls"] = [
                {"function": {"name": call.name, "arguments": json.loads(call.arguments)}} for call in reply.tool_calls
            ]
        return {**_chat(reply, request), "message": message}

    def no_choices(self, request: Request) -> Json:
        """No message."""
        return _chat(Reply(), request)

    def error(self, fault: Status) -> Json:
        """Nothing but a text."""
        return {"error": fault.message}


def _chat(reply: Reply, request: Request) -> Json:
    body: Json = {
        "model": reply.model_for(request),
        "created_at": "2026-01-01T00:00:00Z",
        "done": reply.finish is not None,
        "total_duration": 2_000_000,
        "load_duration": 1_000_000,
    }
    if reply.finish is not None:
        body["done_reason"] = _FINISH.get(reply.finish, reply.finish)
    if reply.usage is not None:
        body |= {"prompt_eval_count": reply.usage.input, "eval_count": reply.usage.output}
    return body
