"""The simulated provider: answers from the context, the same for the same seed, and fails or degrades on demand.

The behaviour is the ensemble document's MockProvider: the first min(len(context), 3 + 2 x budget) records become
claims; after `degrade_after` calls it is six times slower and refuses or cuts its answers; after `fail_after` calls it
raises. Counts are per process.
"""

from __future__ import annotations

import asyncio
import random
import time

from activities.ports import CompletionRequest
from pointsman.faults import fault
from pointsman.messages import ContextRecord, Question
from pointsman.outcomes import Claim, ErrorClass, Usage
from pointsman.response import ProviderResponse

_SLOWDOWN = 6
_REFUSAL_CHANCE = 0.4
_KEPT_SHARE = 5
_REFUSAL = "I am unable to help with this request."


class Simulated:
    """A `Completer` without a model."""

    def __init__(
        self,
        name: str,
        *,
        degrade_after: int | None = None,
        fail_after: int | None = None,
        seed: int = 0,
        latency_s: float = 0.01,
    ) -> None:
        """`latency_s` is how long a healthy call takes, in seconds."""
        self._name = name
        self._degrade_after = degrade_after
        self._fail_after = fail_after
        self._chance = random.Random(seed)  # noqa: S311 - a simulation wants a repeatable sequence
        self._latency_s = latency_s
        self._calls = 0

    async def complete(self, request: CompletionRequest) -> ProviderResponse:
        """Answer from the question's context.

        Raises:
            ProviderFault: of class failure, once `fail_after` calls have been made.
        """
        self._calls += 1
        started = time.monotonic()
        if self._fail_after is not None and self._calls > self._fail_after:
            raise fault(ErrorClass.FAILURE, "simulated_outage", f"simulated outage on call {self._calls}")
        if self._degrade_after is not None and self._calls > self._degrade_after:
            await asyncio.sleep(self._latency_s * _SLOWDOWN)
            return self._degraded(request, started)
        await asyncio.sleep(self._latency_s)
        claims = claims_from(request.question)
        return self._response(request, _written(request.question, claims), claims, started)

    def _degraded(self, request: CompletionRequest, started: float) -> ProviderResponse:
        if self._chance.random() < _REFUSAL_CHANCE:
            return self._response(request, _REFUSAL, (), started).model_copy(update={"refused": True})
        claims = claims_from(request.question)
        text = _written(request.question, claims)
        return self._response(request, text[: max(1, len(text) // _KEPT_SHARE)], claims[:1], started)

    def _response(
        self, request: CompletionRequest, text: str, claims: tuple[Claim, ...], started: float
    ) -> ProviderResponse:
        words_in = sum(len(str(message.get("content")).split()) for message in request.messages)
        return ProviderResponse(
            content=text,
            claims=claims,
            sources=tuple(source for claim in claims for source in claim.sources),
            latency_s=time.monotonic() - started,
            usage=Usage(input_tokens=words_in, output_tokens=len(text.split()), source="reported"),
            model_served=request.model,
        )


def claims_from(question: Question) -> tuple[Claim, ...]:
    """The records that the budget reaches as claims, the first at confidence 0.95, each next 0.07 lower."""
    reached = question.context[: min(len(question.context), int(3 + 2 * question.budget))]
    return tuple(_claim(record, rank) for rank, record in enumerate(reached))


def _claim(record: ContextRecord, rank: int) -> Claim:
    return Claim(text=record.text, confidence=round(max(0.0, 0.95 - 0.07 * rank), 2), sources=(record.id,))


def _written(question: Question, claims: tuple[Claim, ...]) -> str:
    if not claims:
        return f"Simulated answer to: {question.text[:200]}"
    return "\n".join(f"- {claim.text}" for claim in claims)
