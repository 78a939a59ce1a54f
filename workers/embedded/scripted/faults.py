"""Faults that each vendor words in its own way. All are steps: put them in a script without calling them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from workers.embedded.scripted.script import Raw, Reply, Status

if TYPE_CHECKING:
    from workers.embedded.scripted.request import Request


def out_of_credit(request: Request) -> Status:
    """The account is empty: a 429 at OpenAI and Google, a 400 at Anthropic, a 402 elsewhere."""
    match request.dialect:
        case "openai":
            message = "You exceeded your current quota, please check your plan and billing details."
            return Status(429, message, code="insufficient_quota", error_type="insufficient_quota")
        case "anthropic":
            return Status(400, "Your credit balance is too low to access the Anthropic API.")
        case "gemini":
            return Status(429, "You exceeded your current quota, please check your plan and billing details.")
        case _:
            return payment_required(request)


def payment_required(_request: Request) -> Status:
    """The account is empty, as most vendors that speak OpenAI's protocol say it."""
    return Status(402, "Insufficient credits. Add more credits to continue.", code=402)


def context_too_long(request: Request) -> Status:
    """The prompt does not fit into the model's context."""
    match request.dialect:
        case "openai":
            message = (
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
            )
            return Status(400, message, code="context_length_exceeded")
        case "anthropic":
            return Status(400, "prompt is too long: 210000 tokens > 200000 maximum")
        case "gemini":
            message = "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."
            return Status(400, message)
        case _:
            return Status(400, "the input length exceeds the context length")


def content_policy(_request: Request) -> Status:
    """The vendor will not process this prompt."""
    message = "Your request was rejected as a result of our safety system."
    return Status(400, message, code="content_policy_violation")


def overloaded(_request: Request) -> Status:
    """Anthropic's own status 529."""
    return Status(529, "Overloaded", error_type="overloaded_error")


def overloaded_503(_request: Request) -> Status:
    """An overload under the usual status: LiteLLM tells it from other 503s by its body."""
    return Status(503, "Overloaded", error_type="overloaded_error")


def prompt_blocked(request: Request) -> Raw | Reply:
    """Google says why it blocked the prompt instead of giving candidates; others filter the answer."""
    if request.dialect != "gemini":
        return Reply(content_is_null=True, finish="content_filter")
    body = {
        "promptFeedback": {"blockReason": "SAFETY"},
        "modelVersion": request.model,
        "usageMetadata": {"promptTokenCount": 11, "totalTokenCount": 11},
    }
    return Raw(json.dumps(body).encode())


def echoed_key(request: Request) -> Status:
    """A 401 whose message repeats the key that was sent, as some vendors do."""
    headers = request.headers
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    key = headers.get("x-api-key") or headers.get("x-goog-api-key") or bearer
    return Status(401, f"Incorrect API key provided: {key}.")
