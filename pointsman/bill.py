"""The row that an attempt leaves: what it took and what it cost, also where the provider never said."""

from __future__ import annotations

from pointsman.call import ProviderCall
from pointsman.cost import cost_usd
from pointsman.fallback import output_cap
from pointsman.faults import ProviderFault
from pointsman.outcomes import NO_USAGE, Attempt, Fault, Usage
from pointsman.prompt import input_tokens
from pointsman.response import ProviderResponse

_FREE_KINDS = frozenset({"connection", "no_key", "unknown_model", "unsupported_parameter"})


def answered(call: ProviderCall, response: ProviderResponse, attempt: int, *, refused: bool) -> Attempt:
    """The row of an attempt that gave a usable answer or a refusal."""
    usage = response.usage
    if usage.source == "unknown":
        # A provider that reports nothing has still written this text.
        usage = _estimate(call, len(response.content.encode()) // 4 + 1)
    return _row(call, attempt, usage, response.latency_s).model_copy(
        update={
            "outcome": "refused" if refused else "answered",
            "finish_reason": response.finish_reason,
            "model_served": response.model_served,
        }
    )


def failed(call: ProviderCall, ended: ProviderFault, attempt: int, elapsed_s: float) -> Attempt:
    """The row of an attempt that reached the provider and gave no usable answer."""
    fault = ended.fault
    if ended.response is not None and ended.response.usage.source == "reported":
        usage = ended.response.usage
    elif fault.status is not None or fault.kind in _FREE_KINDS:
        usage = NO_USAGE
    else:
        share = min(1.0, elapsed_s * 1000 / call.candidate.terms.latency_ms)
        usage = _estimate(call, int(share * call.candidate.expected_output_tokens))
    row = _row(call, attempt, usage, elapsed_s).because(fault)
    return row if ended.response is None else row.model_copy(update={"model_served": ended.response.model_served})


def lost(call: ProviderCall, fault: Fault, attempt: int = 1) -> Attempt:
    """The row of a call whose process never reported back; the provider may well have answered and billed it."""
    usage = _estimate(call, call.candidate.expected_output_tokens)
    return _row(call, attempt, usage, None).because(fault)


def _estimate(call: ProviderCall, output_tokens: int) -> Usage:
    # No longer than the request allowed.
    cap = output_cap(call)
    return Usage(
        input_tokens=input_tokens(call.question, call.answer_schema),
        output_tokens=output_tokens if cap is None else min(output_tokens, cap),
        source="estimated",
    )


def _row(call: ProviderCall, attempt: int, usage: Usage, latency_s: float | None) -> Attempt:
    return Attempt(
        provider=call.candidate.provider,
        model=call.candidate.model,
        attempt=attempt,
        outcome="answered",
        purpose=call.purpose,
        hedge=call.hedge,
        latency_ms=None if latency_s is None else round(latency_s * 1000, 1),
        usage=usage,
        # What was turned away is free, whether or not a price is known.
        cost_usd=0.0 if usage == NO_USAGE else cost_usd(usage, call.candidate.price),
    )
