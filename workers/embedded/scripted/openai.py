"""OpenAI's chat completions, which most other vendors speak too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workers.embedded.scripted.dialect import Json, last, texts
from workers.embedded.scripted.request import Asked, Request
from workers.embedded.scripted.script import Reply, Status, Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

_CREATED = 1_767_225_600
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
_SERVER_ERROR = 500


class OpenAI:
    """`POST /{name}/v1/chat/completions`."""

    name = "openai"
    route = "/v1/chat/completions"
    base = "/v1"

    def asked(self, body: Mapping[str, Any], model: str) -> Asked:
        """Newer models say `max_completion_tokens` and `developer`, older ones `max_tokens` and `system`."""
        return Asked(
            model=body.get("model", model),
            prompt=last(texts(body["messages"], "user")),
            system="\n".join(texts(body["messages"], "system", "developer")) or None,
            max_tokens=body.get("max_completion_tokens", body.get("max_tokens")),
            temperature=body.get("temperature"),
        )

    def reply(self, reply: Reply, request: Request) -> Json:
        """One choice; OpenAI's words for the end of an answer are the neutral ones."""
        no_text = reply.content_is_null or reply.refusal is not None
        message: Json = {
            "role": "assistant",
            "content": None if no_text else reply.text_for(request),
            "refusal": reply.refusal,
        }
        if reply.tool_calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in reply.tool_calls
            ]
        choice: Json = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
        return _completion(reply, request, [choice])

    def no_choices(self, request: Request) -> Json:
        """An empty list of choices."""
        return _completion(Reply(), request, [])

    def error(self, fault: Status) -> Json:
        """OpenAI names the fault twice: by type and by code."""
        kind = "server_error" if fault.status >= _SERVER_ERROR else "invalid_request_error"
        code = fault.code if fault.code is not None else _CODES.get(fault.status)
        return {
            "error": {"message": fault.message, "type": fault.error_type or kind, "param": None, "code": code},
        }


def _completion(reply: Reply, request: Request, choices: list[Json]) -> Json:
    body: Json = {
        "id": f"chatcmpl-{request.number}",
        "object": "chat.completion",
        "created": _CREATED,
        "model": reply.model_for(request),
        "choices": choices,
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
    }
    return body if reply.usage is None else {**body, "usage": _usage(reply.usage)}


def _usage(tokens: Tokens) -> Json:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
    }
