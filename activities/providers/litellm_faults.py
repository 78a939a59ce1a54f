"""One place that says what a failed LiteLLM call means.

LiteLLM's exception classes are inconsistent between vendors (a 403 is an APIError here and a BadRequestError there, a
refused connection an InternalServerError), so the class is read last: first whether there was a reply that LiteLLM
could not read, then known phrases, then the HTTP status. The error text is only matched, never passed on: it may quote
the prompt or the key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pointsman.outcomes import ErrorClass, Fault
from pointsman.retry_after import retry_after_s

CONTENT_POLICY = "content_policy"
_READ_CHARACTERS = 8_000

_NO_KEY = re.compile(r"missing credentials|missing \w+ api key|api[_ ]key .{0,40}(must be set|not set|is missing)")
_UNKNOWN_MODEL = re.compile(r"llm provider not provided")
_UNSUPPORTED = re.compile(r"unsupportedparamserror|does not support parameters")
# Google says "exceeded your current quota" of a rate limit too.
_PER_MINUTE = re.compile(r'"quotaid"\s*:\s*"\w*perminute')
_QUOTA = re.compile(
    r"insufficient_quota|credit balance is too low|billing_hard_limit|exceeded your current quota|payment required"
)
_POLICY = re.compile(
    r"content_policy_violation|content management policy|responsibleaipolicyviolation|blocked by content filtering|"
    r"rejected as a result of our safety system"
)
_CONTEXT = re.compile(
    r"context_length_exceeded|contextwindowexceedederror|maximum context length|prompt is too long|"
    r"exceeds? the (available )?context|input token count .{0,40}exceeds"
)
_OVERLOADED = re.compile(r"overloaded|slow down")
_UNPARSABLE = re.compile(
    r"unable to get json response|error converting to valid response|invalid response from llm endpoint|"
    r"invalid response object"
)
_NOT_JSON = re.compile(r"line \d+ column \d+ \(char \d+\)|while decompressing")
_OWN_TIMEOUT = re.compile(r"timeout (value|passed)=")
_CONNECTION = re.compile(r"connection error|cannot connect|connection refused|server disconnected|connection reset")

_UNAUTHORISED = {401, 403, 404, 405}
_NO_REPLY = {None, 500}
"""The statuses under which LiteLLM passes on an error that is not the provider's."""


def classify(error: Exception, *, raw: str | None = None, now: datetime | None = None) -> Fault:
    """The fault that an exception of LiteLLM stands for; what is not known is a failure of the provider.

    `raw` is the last reply that LiteLLM noted, if any.
    """
    error = _unwrapped(error)
    text = _text(error)
    status = _status(error)
    # Before any phrase: the text may quote the unreadable answer, and what a model writes is no fault of the account.
    unreadable = _UNPARSABLE.search(text) or (status in _NO_REPLY and _NOT_JSON.search(text))
    if unreadable or _is_reply(raw, status):
        return Fault(error_class=ErrorClass.FAILURE, kind="unparsable", summary="the reply could not be read")
    hint = retry_after_s(_headers(error), text, now or datetime.now(UTC))
    for pattern, error_class, kind, summary in (
        (_NO_KEY, ErrorClass.CONFIG, "no_key", "no API key reached the provider"),
        (_UNKNOWN_MODEL, ErrorClass.CONFIG, "unknown_model", "LiteLLM does not know the model string"),
        (
            _UNSUPPORTED,
            ErrorClass.CLIENT,
            "unsupported_parameter",
            "the model does not take a parameter of the question",
        ),
        (_PER_MINUTE, ErrorClass.THROTTLE, "rate_limited", "the provider's rate limit is reached"),
        (_QUOTA, ErrorClass.QUOTA, "out_of_quota", "the account is out of credit"),
        (_POLICY, ErrorClass.CLIENT, CONTENT_POLICY, "the provider's content policy turned the question away"),
        (_CONTEXT, ErrorClass.CLIENT, "context_length", "the question is longer than the model's context"),
        (_OVERLOADED, ErrorClass.THROTTLE, "overloaded", "the provider says that it is overloaded"),
    ):
        if pattern.search(text):
            answered = status if kind not in {"no_key", "unknown_model", "unsupported_parameter"} else None
            return Fault(error_class=error_class, kind=kind, summary=summary, status=answered, retry_after_s=hint)
    if type(error).__name__ == "Timeout" and _OWN_TIMEOUT.search(text):
        return Fault(error_class=ErrorClass.FAILURE, kind="timeout", summary="no answer in time")
    if _CONNECTION.search(text):
        return Fault(error_class=ErrorClass.FAILURE, kind="connection", summary="the connection failed")
    return _by_status(status, type(error).__name__, hint)


def _by_status(status: int | None, name: str, hint: float | None) -> Fault:
    summary = f"the provider answered {status}"
    if status is None or status < 400:  # noqa: PLR2004 - the first HTTP error
        return Fault(error_class=ErrorClass.FAILURE, kind="unexpected", summary=f"the call failed ({name})")
    if status == 402:  # noqa: PLR2004 - Payment Required
        return Fault(error_class=ErrorClass.QUOTA, kind="out_of_quota", summary=summary, status=status)
    if status == 429:  # noqa: PLR2004 - Too Many Requests
        return Fault(
            error_class=ErrorClass.THROTTLE, kind="rate_limited", summary=summary, status=status, retry_after_s=hint
        )
    if status in _UNAUTHORISED:
        error_class = ErrorClass.CONFIG
    elif status < 500 and status != 408:  # noqa: PLR2004 - the caller's errors; 408 is the server's
        error_class = ErrorClass.CLIENT
    else:
        error_class = ErrorClass.FAILURE
    return Fault(error_class=error_class, kind=f"http_{status}", summary=summary, status=status, retry_after_s=hint)


def _unwrapped(error: Exception) -> Exception:
    inner = getattr(error, "original_exception", None)
    return inner if isinstance(inner, Exception) else error


def _is_reply(raw: str | None, status: int | None) -> bool:
    """Whether `raw` is a body of HTTP status 200, and not an error under that status which LiteLLM has understood."""
    try:
        document = json.loads(raw or "")
    except (ValueError, RecursionError):
        # For an error status LiteLLM notes a sentence of its own, if anything.
        return False
    inside = document.get("error") if isinstance(document, dict) else None
    return not isinstance(inside, dict) or inside.get("code") != status


def _text(error: Exception) -> str:
    parts = [
        type(error).__name__,
        str(getattr(error, "code", "") or ""),
        str(getattr(error, "body", "") or ""),
        str(error),
    ]
    return "\n".join(parts)[:_READ_CHARACTERS].lower()


def _status(error: Exception) -> int | None:
    status: Any = getattr(error, "status_code", None)
    try:
        return int(status)
    except (TypeError, ValueError):
        return None


def _headers(error: Exception) -> Mapping[str, str]:
    headers: Any = getattr(error, "litellm_response_headers", None)
    if headers is None:
        headers = getattr(getattr(error, "response", None), "headers", None)
    return {str(name): str(value) for name, value in dict(headers or {}).items()}
