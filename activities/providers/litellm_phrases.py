"""The words by which a failed call is told where its HTTP status does not, or is LiteLLM's invention."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.outcomes import ErrorClass

CONTENT_POLICY = "content_policy"
UNREADABLE = "the reply could not be read"
INVENTED = (None, 500)
"""The statuses under which LiteLLM passes on what is no provider's answer."""

_OUT_OF_CREDIT = "the account is out of credit"


@dataclass(frozen=True)
class Phrase:
    """Words that tell a fault, if they come under one of `statuses`: elsewhere a vendor may be quoting the prompt."""

    words: str
    """A pattern for lower-case text."""
    statuses: tuple[int | None, ...]
    error_class: ErrorClass
    kind: str
    summary: str
    answered: bool = True
    """Whether the provider has answered with that status."""


PHRASES = (
    Phrase(
        r"unable to get json response|error converting to valid response|invalid response from llm endpoint|"
        r"invalid response object",
        (*INVENTED, 422),
        ErrorClass.FAILURE,
        "unparsable",
        UNREADABLE,
        answered=False,
    ),
    Phrase(
        r"line \d+ column \d+ \(char \d+\)|while decompressing|codec can't decode|maximum recursion depth",
        INVENTED,
        ErrorClass.FAILURE,
        "unparsable",
        UNREADABLE,
        answered=False,
    ),
    Phrase(
        r"endlessreply|the reply goes on beyond its limit",
        INVENTED,
        ErrorClass.FAILURE,
        "endless",
        "the reply was longer than any answer can be",
        answered=False,
    ),
    Phrase(
        r"payload is not completed",
        INVENTED,
        ErrorClass.FAILURE,
        "truncated",
        "the reply broke off",
        answered=False,
    ),
    Phrase(
        r"missing credentials|missing \w+ api key|api[_ ]key .{0,40}(must be set|not set|is missing)",
        (*INVENTED, 401),
        ErrorClass.CONFIG,
        "no_key",
        "no API key reached the provider",
        answered=False,
    ),
    Phrase(
        r"llm provider not provided",
        (400,),
        ErrorClass.CONFIG,
        "unknown_model",
        "LiteLLM does not know the model string",
        answered=False,
    ),
    Phrase(
        r"unsupportedparamserror|does not support parameters",
        (400,),
        ErrorClass.CLIENT,
        "unsupported_parameter",
        "the model does not take a parameter of the question",
        answered=False,
    ),
    # Google says "exceeded your current quota" of a rate limit too.
    Phrase(
        r'"quotaid"\s*:\s*"\w*perminute',
        (429,),
        ErrorClass.THROTTLE,
        "rate_limited",
        "the provider's rate limit is reached",
    ),
    Phrase(
        r"insufficient_quota|exceeded your current quota|payment required",
        (402, 403, 429),
        ErrorClass.QUOTA,
        "out_of_quota",
        _OUT_OF_CREDIT,
    ),
    Phrase(
        r"credit balance is too low|billing_hard_limit",
        (400, 402, 403, 429),
        ErrorClass.QUOTA,
        "out_of_quota",
        _OUT_OF_CREDIT,
    ),
    Phrase(
        r"content_policy_violation|content management policy|responsibleaipolicyviolation|"
        r"blocked by content filtering|rejected as a result of our safety system",
        (400, 403, 422),
        ErrorClass.CLIENT,
        CONTENT_POLICY,
        "the provider's content policy turned the question away",
    ),
    Phrase(
        r"context_length_exceeded|contextwindowexceedederror|maximum context length|prompt is too long|"
        r"exceeds? the (available )?context|input token count .{0,40}exceeds",
        (400, 413, 422),
        ErrorClass.CLIENT,
        "context_length",
        "the question is longer than the model's context",
    ),
    Phrase(
        r"overloaded|slow down",
        (429, 500, 503, 529),
        ErrorClass.THROTTLE,
        "overloaded",
        "the provider says that it is overloaded",
    ),
    # Before the next: some vendors' clients say "connection error" of these too. The request may have been sent.
    Phrase(
        r"server disconnected|connection reset|broken pipe|bad status line",
        INVENTED,
        ErrorClass.FAILURE,
        "disconnected",
        "the connection broke off",
        answered=False,
    ),
    Phrase(
        r"connection error|cannot connect|connection refused",
        INVENTED,
        ErrorClass.FAILURE,
        "connection",
        "the connection failed",
        answered=False,
    ),
)
