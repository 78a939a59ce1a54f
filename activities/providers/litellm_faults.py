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

from activities.providers.litellm_phrases import CONTENT_POLICY, INVENTED, PHRASES, UNREADABLE
from pointsman.outcomes import ErrorClass, Fault
from pointsman.retry_after import retry_after_s

__all__ = ["CONTENT_POLICY", "classify"]

_READ_CHARACTERS = 8_000
_CAUSES_READ = 6

_OWN_TIMEOUT = re.compile(r"timeout (?:value|passed)=([\d.]+), time taken=([\d.]+)")
# What breaks inside LiteLLM when a reply has another shape than it thinks, and the statuses that it then makes up.
_MISREAD = (TypeError, LookupError, AttributeError, ValueError, RecursionError)
_MISREAD_STATUSES = (*INVENTED, 422)
_UNAUTHORISED = {401, 403, 404, 405}
_MOVED = {301, 302, 303, 307, 308}
"""The provider is elsewhere, and nobody but the configuration may say where."""
_OK, _SUCCESSES, _ERRORS = 200, range(200, 300), range(400, 600)


def classify(error: Exception, *, raw: str | None = None, now: datetime | None = None) -> Fault:
    """The fault that an exception of LiteLLM stands for; what is not known is a failure of the provider.

    `raw` is the last reply that LiteLLM noted, if any.
    """
    chain = _chain(_unwrapped(error))
    text, status = _text(chain), _status(chain)
    if (inside := _status_inside(raw)) is not None:
        text, status = str(raw).lower(), inside
    if status in _SUCCESSES:
        # Before any phrase: the text may quote the unreadable answer, and what a model writes is no fault.
        return Fault(error_class=ErrorClass.FAILURE, kind="unparsable", summary=UNREADABLE)
    if (own := _OWN_TIMEOUT.search(text)) is not None and type(chain[0]).__name__ == "Timeout":
        return _timeout(float(own[1]), float(own[2]))
    hint = retry_after_s(_headers(chain), text, now or datetime.now(UTC))
    for phrase in PHRASES:
        if status in phrase.statuses and re.search(phrase.words, text):
            return Fault(
                error_class=phrase.error_class,
                kind=phrase.kind,
                summary=phrase.summary,
                status=status if phrase.answered else None,
                retry_after_s=hint,
            )
    if status in _MISREAD_STATUSES and any(isinstance(cause, _MISREAD) for cause in chain[1:3]):
        return Fault(error_class=ErrorClass.FAILURE, kind="unparsable", summary=UNREADABLE)
    return _by_status(status, type(chain[0]).__name__, hint)


def _timeout(limit_s: float, taken_s: float) -> Fault:
    if taken_s < limit_s / 2:
        # A cancelled request can poison aiohttp's pool: the next one then "times out" at once, and was never sent.
        return Fault(error_class=ErrorClass.FAILURE, kind="connection", summary="the connection failed")
    return Fault(error_class=ErrorClass.FAILURE, kind="timeout", summary="no answer in time")


def _by_status(status: int | None, name: str, hint: float | None) -> Fault:
    summary = f"the provider answered {status}"
    if status is None:
        return Fault(error_class=ErrorClass.FAILURE, kind="unexpected", summary=f"the call failed ({name})")
    if status == 402:  # noqa: PLR2004 - Payment Required
        return Fault(error_class=ErrorClass.QUOTA, kind="out_of_quota", summary=summary, status=status)
    if status == 429:  # noqa: PLR2004 - Too Many Requests
        return Fault(
            error_class=ErrorClass.THROTTLE, kind="rate_limited", summary=summary, status=status, retry_after_s=hint
        )
    if status in _UNAUTHORISED | _MOVED:
        error_class = ErrorClass.CONFIG
    elif 400 <= status < 500 and status != 408:  # noqa: PLR2004 - the caller's errors; 408 is the server's
        error_class = ErrorClass.CLIENT
    else:
        error_class = ErrorClass.FAILURE
    return Fault(error_class=error_class, kind=f"http_{status}", summary=summary, status=status, retry_after_s=hint)


def _unwrapped(error: Exception) -> Exception:
    inner = getattr(error, "original_exception", None)
    return inner if isinstance(inner, Exception) else error


def _chain(error: Exception) -> list[BaseException]:
    """The exception and what it came from: next the vendor's own, which keeps facts that LiteLLM's has lost."""
    chain: list[BaseException] = [error]
    while len(chain) < _CAUSES_READ and (earlier := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(earlier)
    return chain


def _status(chain: list[BaseException]) -> int | None:
    """The status that the provider sent: LiteLLM makes a 413 into 400, a 529 into 500, a strange 200 into anything."""
    found = [getattr(error, "status_code", None) for error in chain[:2]]
    codes = [code for code in found if isinstance(code, int)]
    return codes[-1] if codes else None


def _status_inside(raw: str | None) -> int | None:
    """The status that a reply of HTTP status 200 deserves, or `None` where there was no such reply."""
    try:
        document = json.loads(raw or "")
    except (ValueError, RecursionError):
        # For an error status LiteLLM notes a sentence of its own, if anything.
        return None
    inside = document.get("error") if isinstance(document, dict) else None
    code = inside.get("code") if isinstance(inside, dict) else None
    return code if isinstance(code, int) and code in _ERRORS else _OK


def _text(chain: list[BaseException]) -> str:
    facts = [getattr(error, name, None) for error in chain[:2] for name in ("code", "body")]
    parts = [type(chain[0]).__name__, *(fact for fact in facts if fact is not None), *chain]
    return "\n".join(str(part) for part in parts)[:_READ_CHARACTERS].lower()


def _headers(chain: list[BaseException]) -> Mapping[str, str]:
    for error in chain:
        response: Any = getattr(error, "response", None)
        for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
            if headers:
                return {str(name): str(value) for name, value in dict(headers).items()}
    return {}
