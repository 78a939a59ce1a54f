"""What `extra` and `extra_headers` of a provider may not say: whatever each request itself says."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.headers import NOT_A_HEADER, header_name, header_safe
from pointsman.provider import Provider

OWN_ARGUMENTS = frozenset(
    {
        # What the adapter sets, under each name that the client library knows for it.
        *("model", "custom_llm_provider", "deployment_id", "messages"),
        *("api_base", "base_url", "api_key", "extra_headers", "headers", "logger_fn"),
        *("max_tokens", "max_completion_tokens", "response_format", "timeout", "request_timeout", "stream_timeout"),
        *("max_retries", "num_retries", "retry_policy", "retry_strategy"),
        # What would change what comes back: a stream, several answers, one that nobody gave, another model's.
        *("stream", "stream_options", "n", "acompletion", "mock_response", "mock_timeout", "mock_tool_calls"),
        *("fallbacks", "context_window_fallback_dict", "model_list", "cache", "caching"),
    }
)
"""Names of arguments that `extra` may not hold."""

_OWN_BODY = frozenset(
    {"model", "messages", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens", "response_format"}
)


def request_faults(path: str, provider: Provider) -> Iterator[str]:
    """One sentence for each setting that a request cannot carry, or that would take its place."""
    for name in provider.extra:
        if name in OWN_ARGUMENTS:
            yield f"{path}.extra.{name}: each request sets it itself; remove it{_meant(name)}"
    body = provider.extra.get("extra_body")
    for name in body if isinstance(body, dict) else ():
        if name in _OWN_BODY:
            yield f"{path}.extra.extra_body.{name}: each request sets it itself; remove it{_meant(name)}"
    for name, value in provider.extra_headers.items():
        if not header_name(name):
            yield f"{path}.extra_headers.{name}: no name of an HTTP header; rename it"
        elif not header_safe(value):
            yield f"{path}.extra_headers.{name}: {NOT_A_HEADER}; correct it"


def _meant(name: str) -> str:
    """The key of the provider's table that is for this."""
    meant = {
        "model": "model",
        "custom_llm_provider": "model",
        "deployment_id": "model",
        "api_base": "api_base",
        "base_url": "api_base",
        "api_key": "api_key_env",
        "headers": "extra_headers",
        "extra_headers": "extra_headers",
        "max_tokens": "max_output_tokens",
        "max_completion_tokens": "max_output_tokens",
        "timeout": "timeout_s",
        "request_timeout": "timeout_s",
    }
    return f" and use {meant[name]} of the provider" if name in meant else ""
