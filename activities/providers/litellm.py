"""Any model that LiteLLM reaches, as a `Completer`: one request, no retries, the standard response or a fault."""

from __future__ import annotations

import logging
import os
import time
import warnings
from typing import Any

from activities.ports import CompletionRequest
from activities.providers import native_reply
from activities.providers.litellm_faults import CONTENT_POLICY, classify
from pointsman.faults import ProviderFault, fault
from pointsman.importing import importing
from pointsman.outcomes import ErrorClass, ToolCall, Usage
from pointsman.provider import Provider
from pointsman.response import ProviderResponse

# Read at import: the price map would be fetched from the network, and tokenizers too.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

with importing():
    import litellm

    from activities.providers import bounded_reply

litellm.suppress_debug_info = True
litellm.disable_hf_tokenizer_download = True
# At lower levels these write prompts, whole requests or keys in addresses, whatever level the root logger has.
for _name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore", "aiohttp"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

# It quotes the answer, on standard error, where a vendor's field has another type than LiteLLM thinks.
warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
bounded_reply.install()

_log = logging.getLogger(__name__)
_CLIENT_GRACE_S = 1.0
_NO_KEY = "none"
_MAX_TOKENS = 100_000_000
"""Ten times the longest context that any vendor sells: a larger count is none."""
_MAX_NAME = 200


class LiteLLM:
    """One configured provider, reached through LiteLLM."""

    def __init__(self, name: str, provider: Provider, api_key: str | None) -> None:
        """`api_key` comes from the environment of this process and goes nowhere but into requests."""
        self._name = name
        self._provider = provider
        _spare_lookups(provider.model)
        self._api_key = api_key or (_NO_KEY if provider.api_base else None)

    async def complete(self, request: CompletionRequest) -> ProviderResponse:
        """Make one request; cancelling closes its connection.

        Raises:
            ProviderFault: classified by `litellm_faults`.
        """
        raw: list[str] = []

        def keep(details: dict[str, Any]) -> None:
            if isinstance(details.get("original_response"), str):
                raw[:] = [details["original_response"]]

        started = time.monotonic()
        try:
            reply: Any = await litellm.acompletion(**self._arguments(request), logger_fn=keep)  # pyright: ignore[reportUnknownMemberType]
            return _response(reply, raw[-1] if raw else None, request.model, time.monotonic() - started)
        except ProviderFault:
            raise
        except Exception as error:  # noqa: BLE001 - LiteLLM's errors have no common class
            found = classify(error, raw=raw[-1] if raw else None)
            _log.debug("%s: %s", self._name, self._scrubbed(str(error)))
            if found.kind != CONTENT_POLICY:
                raise ProviderFault(found) from None
            return _policy_refusal(time.monotonic() - started)

    def _arguments(self, request: CompletionRequest) -> dict[str, Any]:
        question, provider = request.question, self._provider
        wanted: dict[str, Any] = {
            "max_tokens": request.max_output_tokens,
            "temperature": question.temperature,
            "response_format": _response_format(request.response_schema),
            **question.parameters.given(),
        }
        sent = {name: value for name, value in wanted.items() if value is not None and name not in provider.drop_params}
        return {
            "model": request.model,
            "messages": request.messages,
            "api_base": provider.api_base,
            "api_key": self._api_key,
            "extra_headers": request.identity.headers(provider.extra_headers) or None,
            # What the question says goes before what its provider's table says for all.
            **provider.extra,
            **sent,
            # Temporal owns retries, and the caller's clock the total: the client's own limit is only a backstop.
            "timeout": request.timeout_s + _CLIENT_GRACE_S,
            "max_retries": 0,
            "num_retries": 0,
        }

    def _scrubbed(self, text: str) -> str:
        return text.replace(self._api_key, "<key>") if self._api_key and self._api_key != _NO_KEY else text


def _spare_lookups(model: str) -> None:
    """Tell LiteLLM about an Ollama model: for an unknown one each call blocks the event loop with several requests."""
    vendor, _, name = model.partition("/")
    if vendor.startswith("ollama"):
        known = {"litellm_provider": vendor, "mode": "chat", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
        litellm.register_model({model: known, name: known})


def _response_format(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    if schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


def _policy_refusal(latency_s: float) -> ProviderResponse:
    """A content-policy rejection takes the route's refusal policy, as a refusal in words does (faults F09)."""
    return ProviderResponse(
        content="",
        latency_s=latency_s,
        usage=Usage(source="reported"),
        finish_reason="content_filter",
        refused=True,
        meta={"content_policy": True},
    )


def _response(reply: Any, raw: str | None, model: str, latency_s: float) -> ProviderResponse:
    native = native_reply.read(raw, model.partition("/")[0])
    if native is not None and native.failed:
        # OpenRouter for one tells so of a model that broke off, beside what it had written until then.
        raise ProviderFault(classify(ValueError("an error inside"), raw=raw))
    if not reply.choices:
        raise fault(ErrorClass.FAILURE, "no_choices", "the reply holds no choices")
    message = reply.choices[0].message
    refusal = getattr(message, "refusal", None)
    return ProviderResponse(
        content=refusal or message.content or "",
        tool_calls=tuple(
            ToolCall(id=call.id, name=call.function.name or "", arguments=call.function.arguments or "{}")
            for call in message.tool_calls or ()
        ),
        latency_s=latency_s,
        usage=_usage(reply, native),
        finish_reason=native_reply.reason(reply.choices[0].finish_reason) if native is None else native.finish_reason,
        refused=bool(refusal),
        model_served=_model_name(reply.model if native is None or native.model is None else native.model),
        meta={"request_id": reply.id},
    )


def _usage(reply: Any, native: native_reply.NativeReply | None) -> Usage:
    reported: Any = getattr(reply, "usage", None)
    if reported is None or (native is not None and not native.reports_usage):
        return Usage()
    prompt_details: Any = getattr(reported, "prompt_tokens_details", None)
    completion_details: Any = getattr(reported, "completion_tokens_details", None)
    native_cached = 0 if native is None else native.cached_tokens
    counts = [
        reported.prompt_tokens or 0,
        reported.completion_tokens or 0,
        reported.total_tokens or 0,
        getattr(prompt_details, "cached_tokens", None) or native_cached,
        getattr(completion_details, "reasoning_tokens", None) or 0,
    ]
    if not all(isinstance(count, int) and 0 <= count <= _MAX_TOKENS for count in counts):
        # No call takes so many, or fewer than none: what it costs is as unknown as where nothing is reported.
        return Usage()
    input_tokens, output_tokens, total_tokens, cached_tokens, reasoning_tokens = counts
    return Usage(
        input_tokens=input_tokens,
        # Some vendors count reasoning apart from the completion; the total then says so.
        output_tokens=max(output_tokens, total_tokens - input_tokens),
        cached_tokens=min(cached_tokens, input_tokens),
        reasoning_tokens=reasoning_tokens,
        source="reported",
    )


def _model_name(told: Any) -> Any:
    """A model's name as it can be shown, stored and sent; what is no text is left for the standard form to refuse."""
    if not isinstance(told, str):
        return told
    return "".join(filter(str.isprintable, told[:_MAX_NAME])) or None
