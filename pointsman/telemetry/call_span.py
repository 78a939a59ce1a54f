"""The span of one request to a provider, in the words of OpenTelemetry's conventions for generative AI."""

from __future__ import annotations

import json

from pointsman.call import ProviderCall
from pointsman.outcomes import Attempt
from pointsman.prompt import chat_messages
from pointsman.response import ProviderResponse
from pointsman.telemetry.span import FinishedSpan, Place, Value

_CONTENT_CHARACTERS = 20_000
"""Of a conversation or an answer: a collector takes some megabytes at a time."""


def call_span(  # noqa: PLR0913 - what a request was, and what is known of its end
    place: Place,
    call: ProviderCall,
    row: Attempt,
    response: ProviderResponse | None,
    *,
    workflow_id: str,
    ended_ns: int,
    with_content: bool,
) -> FinishedSpan:
    """The span, which ends now.

    Args:
        place: The activity that made the request.
        call: What was asked of whom.
        row: What came of it.
        response: The reply, if there was one that could be read.
        workflow_id: The question's.
        ended_ns: Now, in nanoseconds since the epoch.
        with_content: Whether prompt and answer are told.
    """
    model = call.candidate.model.partition("/")[2] or call.candidate.model
    about = {**_about(call, row, model), "pointsman.workflow_id": workflow_id}
    if place.route_reason is not None:
        about["pointsman.route_reason"] = place.route_reason
    if row.usage.source == "reported":
        about["gen_ai.usage.input_tokens"] = row.usage.input_tokens
        about["gen_ai.usage.output_tokens"] = row.usage.output_tokens
    if row.model_served is not None:
        about["gen_ai.response.model"] = row.model_served
    finish_reason = row.finish_reason if response is None else response.finish_reason
    if finish_reason is not None:
        about["gen_ai.response.finish_reasons"] = (finish_reason,)
    if row.cost_usd is not None:
        about["pointsman.cost_usd"] = row.cost_usd
    error = None
    if row.error_class is not None:
        error = about["error.type"] = row.kind or row.error_class.value
        about["pointsman.error_class"] = row.error_class.value
    if with_content:
        messages = chat_messages(call.question, call.answer_schema)
        about["gen_ai.input.messages"] = json.dumps(messages, ensure_ascii=False)[:_CONTENT_CHARACTERS]
        if response is not None:
            about["gen_ai.output.messages"] = response.content[:_CONTENT_CHARACTERS]
    started_ns = ended_ns - round((row.latency_ms or 0.0) * 1e6)
    context = place.context.child("call", place.context.span_id)
    return FinishedSpan(f"chat {model}", context, place.context.span_id, started_ns, ended_ns, "client", about, error)


def _about(call: ProviderCall, row: Attempt, model: str) -> dict[str, Value]:
    candidate = call.candidate
    about: dict[str, Value] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": candidate.vendor,
        # The older name of the same, which many a dashboard still asks for.
        "gen_ai.system": candidate.vendor,
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": candidate.max_output_tokens,
        "pointsman.provider": candidate.provider,
        "pointsman.model": candidate.model,
        "pointsman.query_type": call.query_type or "unknown",
        "pointsman.purpose": row.purpose,
        "pointsman.outcome": row.outcome,
        "pointsman.hedged": row.hedge,
        "pointsman.attempt": row.attempt,
        "pointsman.breaker_generation": candidate.standing.gen,
        "pointsman.usage_source": row.usage.source,
    }
    if call.question.temperature is not None:
        about["gen_ai.request.temperature"] = call.question.temperature
    return about
