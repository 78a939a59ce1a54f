"""The activity `probe_provider`: one tiny request, by which a half-open key shows whether it is well again.

It always ends, and never fails for the provider's sake: what came of the request is its result.
"""

from __future__ import annotations

import asyncio
import logging
import time

from temporalio import activity

from activities.ledger import CANCELLED, AttemptLedger, NoLedger, ProbeRun
from activities.ports import CallIdentity, Completer, CompletionRequest
from activities.process_telemetry import ProcessTelemetry
from pointsman.acceptance import accept
from pointsman.cost import cost_usd, estimated_cost_usd, estimated_tokens
from pointsman.faults import WORKER_LOST, ProviderFault, fault
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.messages import Question
from pointsman.outcomes import ErrorClass
from pointsman.prompt import chat_messages
from pointsman.provider import Price, Provider
from pointsman.response import ProviderResponse

_log = logging.getLogger(__name__)

PROMPT = "Reply with the word ok."
MAX_OUTPUT_TOKENS = 16
_QUESTION = Question(prompt=PROMPT, max_output_tokens=MAX_OUTPUT_TOKENS)
_MARGIN_S = 5.0
_MARGIN = 0.2


class Probe:
    """Probes one provider, on that provider's own task queue."""

    def __init__(
        self,
        completer: Completer,
        provider: Provider,
        ledger: AttemptLedger | None = None,
        telemetry: ProcessTelemetry | None = None,
    ) -> None:
        """`provider` gives the request's time limit and its price."""
        self._completer = completer
        self._provider = provider
        self._ledger = ledger or NoLedger()
        self._telemetry = telemetry or ProcessTelemetry()

    @activity.defn
    async def probe_provider(self, request: ProbeRequest) -> ProbeResult:
        """Ask the provider for one word."""
        run = ProbeRun.of_activity()
        result = await probe(self._completer, self._provider, request, run, self._ledger)
        self._telemetry.probed(request, result)
        return result


async def probe(
    completer: Completer, provider: Provider, request: ProbeRequest, run: ProbeRun, ledger: AttemptLedger
) -> ProbeResult:
    """Ask the provider for one word; whatever comes of it is the result, and a row in the ledger."""
    started = time.monotonic()
    price = provider.price if request.model == provider.model else None
    # Until the probe's own row takes its place: a process that is killed now leaves this one.
    ledger.record(run.entry(request, _ended(WORKER_LOST.kind, price)))
    try:
        response = await _ask(completer, provider, request, run.identity)
    except ProviderFault as ended:
        result = _faulty(ended, price)
    except asyncio.CancelledError:
        ledger.record(run.entry(request, _ended(CANCELLED, price)))
        raise
    else:
        result = _judged(response, price)
    result = result.model_copy(update={"latency_s": time.monotonic() - started})
    ledger.record(run.entry(request, result))
    _log.info("probe of %s: %s %s", request.key, result.outcome, result.kind)
    return result


async def _ask(
    completer: Completer, provider: Provider, request: ProbeRequest, identity: CallIdentity
) -> ProviderResponse:
    # The request ends before Temporal ends the attempt: a hang is the provider's doing, a lost worker is not.
    limit_s = min(provider.timeout_s, request.timeout_s - min(_MARGIN_S, _MARGIN * request.timeout_s))
    completion = CompletionRequest(
        model=request.model,
        question=_QUESTION,
        messages=chat_messages(_QUESTION, None),
        max_output_tokens=MAX_OUTPUT_TOKENS,
        timeout_s=limit_s,
        identity=identity,
    )
    try:
        async with asyncio.timeout(limit_s):
            return await completer.complete(completion)
    except ProviderFault:
        raise
    except TimeoutError:
        raise fault(ErrorClass.FAILURE, "timeout", f"no answer within {limit_s:.3g} s") from None
    except Exception as error:  # noqa: BLE001 - an adapter's bug is told as one, and the probe ends
        # Its text may quote a key, so only its name goes on.
        raise fault(ErrorClass.FAILURE, "unexpected", f"the probe failed ({type(error).__name__})") from None


def _judged(response: ProviderResponse, price: Price | None) -> ProbeResult:
    cost = cost_usd(response.usage, price)
    if cost is None:
        cost = _estimated_usd(price)
    try:
        accept(response, _QUESTION, None)
    except ProviderFault as ended:
        # A reply that is cut at its length, or is too long, is well formed: the provider is there.
        if ended.fault.error_class is ErrorClass.FAILURE:
            return ProbeResult(outcome=ProbeOutcome.FAILURE, kind=ended.fault.kind, cost_usd=cost)
    return ProbeResult(outcome=ProbeOutcome.SUCCESS, cost_usd=cost)


def _faulty(ended: ProviderFault, price: Price | None) -> ProbeResult:
    told = ended.fault
    failed = told.error_class is ErrorClass.FAILURE
    return ProbeResult(
        outcome=ProbeOutcome.FAILURE if failed else ProbeOutcome.INCONCLUSIVE,
        kind=told.kind,
        retry_after_s=told.retry_after_s,
        throttled=told.error_class is ErrorClass.THROTTLE,
        # What was turned away is free; what was not answered in time may have been written all the same.
        cost_usd=_estimated_usd(price) if told.kind == "timeout" else 0.0,
    )


def _ended(kind: str, price: Price | None) -> ProbeResult:
    """What is known of a probe that nobody heard the end of: it may have been answered, and billed."""
    return ProbeResult(outcome=ProbeOutcome.INCONCLUSIVE, kind=kind, cost_usd=_estimated_usd(price))


def _estimated_usd(price: Price | None) -> float | None:
    return estimated_cost_usd(estimated_tokens([PROMPT]), MAX_OUTPUT_TOKENS, price)
