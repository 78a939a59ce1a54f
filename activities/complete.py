"""The activity `complete`: one call to one provider, judged inside its attempt and bounded by the question's deadline.

Temporal owns the retries. This activity makes one request an attempt, tells Temporal when the next may start, and
leaves a row for every attempt: what earlier ones left travels in the heartbeat details of the activity.
"""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta

from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from activities.attempt_clock import AttemptClock
from activities.gate import Gate
from activities.heartbeat import heartbeats
from activities.ledger import AttemptLedger, NoLedger, entry_of
from activities.ports import CallIdentity, Completer, CompletionRequest
from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from activities.process_telemetry import ProcessTelemetry
from activities.witness import Witness
from pointsman.acceptance import Accepted, accept
from pointsman.bill import answered, failed, lost
from pointsman.call import Completion, FailedCall, ProviderCall
from pointsman.fallback import output_cap
from pointsman.faults import CONSEQUENCES, WORKER_LOST, ProviderFault, fault
from pointsman.outcomes import Attempt, ErrorClass, Fault, total_cost
from pointsman.prompt import chat_messages
from pointsman.purse import SetAside
from pointsman.response import ProviderResponse
from pointsman.retry import retry_delay_s

_SLOW = 3.0
_CANCELLED = fault(ErrorClass.CANCEL, "cancelled", "the call was cancelled")


class Complete:
    """Calls one provider, on that provider's own task queue."""

    def __init__(  # noqa: PLR0913 - what an attempt is told to
        self,
        completer: Completer,
        health: ProcessHealth,
        ledger: AttemptLedger | None = None,
        *,
        catalogue: ProcessCatalogue | None = None,
        telemetry: ProcessTelemetry | None = None,
        beat_every_s: float | None = None,
    ) -> None:
        """`beat_every_s` is set where the server cannot push cancellations (see `heartbeats`)."""
        self._completer = completer
        self._in_flight = health.in_flight
        self._gate = Gate(health)
        self._telemetry = telemetry or ProcessTelemetry()
        self._witness = Witness(health, self._telemetry)
        self._ledger = ledger or NoLedger()
        self._catalogue = catalogue or ProcessCatalogue(health.configuration)
        self._beat_every_s = beat_every_s

    @activity.defn
    async def complete(self, call: ProviderCall) -> Completion:
        """Ask the provider once.

        Raises:
            ApplicationError: the attempt gave no usable answer; its type names the class, its detail is a `FailedCall`.
        """
        clock = AttemptClock()
        self._telemetry.queued(call.candidate.provider, clock.queued_s)
        earlier = _earlier_attempts(call)
        spent_usd = call.spent_usd + (total_cost(earlier) or 0.0)
        call = call.model_copy(update={"spent_usd": spent_usd})
        with self._in_flight.counted(call.candidate.provider):
            async with heartbeats(earlier, every_s=self._beat_every_s):
                try:
                    money = await self._gate.admit(call, activity.info().attempt, clock.usable_s)
                except ProviderFault as ended:
                    self._telemetry.turned_away(call, ended.fault)
                    raise _failure(call, ended.fault, earlier, clock) from None
                return await self._attempt(call, earlier, money, clock)

    async def _attempt(
        self, call: ProviderCall, earlier: tuple[Attempt, ...], money: SetAside, clock: AttemptClock
    ) -> Completion:
        """Make the request; what comes of it is told to the provider's health, the ledger and the day's money."""
        attempt, row, reply = activity.info().attempt, None, None
        clock.send()
        try:
            with self._witness.watching(call):
                response, accepted = await self._ask(call, clock.usable_s)
            reply = response
            row = told = answered(call, response, attempt, refused=accepted.refused)
        except ProviderFault as ended:
            reply = ended.response
            if ended.fault.error_class is not ErrorClass.LOCAL:
                row = failed(call, ended, attempt, clock.latency_s)
            else:
                self._telemetry.turned_away(call, ended.fault)
            self._witness.failed(
                call, ended.fault, attempt, latency_s=clock.latency_s, since_scheduled_s=clock.since_scheduled_s
            )
            raise _failure(call, ended.fault, earlier if row is None else (*earlier, row), clock) from None
        except asyncio.CancelledError:
            # What the provider had written when the line was cut may be billed: specification, section 10.
            row = failed(call, _CANCELLED, attempt, clock.latency_s)
            self._witness.cancelled(call, since_scheduled_s=clock.since_scheduled_s)
            raise
        finally:
            if row is not None:
                self._ledger.record(entry_of(call, row))
                self._catalogue.ended(call, row)
                self._telemetry.ended(call, row, reply)
            self._witness.settled(call, money, 0.0 if row is None else row.cost_usd)
        # First, since the answer of another model is not to be held against the baseline of the one before.
        notes = self._catalogue.saw(call.candidate.provider, call.candidate.model, response.model_served)
        verdict = self._witness.answered(call, response, told, since_scheduled_s=clock.since_scheduled_s)
        return Completion(
            text=accepted.text,
            parsed=accepted.parsed,
            claims=accepted.claims,
            tool_calls=response.tool_calls,
            confidence=_confidence(call, response, accepted),
            sources=response.sources,
            finish_reason=response.finish_reason,
            refused=accepted.refused,
            model_served=response.model_served,
            model_notes=notes,
            flags=tuple(flag.signal for flag in verdict.flags),
            degraded=verdict.cool,
            attempts=(*earlier, told),
        )

    async def _ask(self, call: ProviderCall, usable_s: float) -> tuple[ProviderResponse, Accepted]:
        limit_s = min(call.candidate.timeout_s, usable_s)
        cap = output_cap(call)
        if limit_s <= 0:
            raise fault(ErrorClass.LOCAL, "deadline", "the deadline left no time for a call")
        if cap is None:
            raise fault(ErrorClass.LOCAL, "over_cost", "the cost limit left no money for a call")
        info = activity.info()
        request = CompletionRequest(
            model=call.candidate.model,
            question=call.question,
            messages=chat_messages(call.question, call.answer_schema),
            max_output_tokens=cap,
            timeout_s=limit_s,
            response_schema=call.answer_schema,
            identity=CallIdentity(info.workflow_id or "", info.activity_id, info.attempt, info.workflow_run_id or ""),
        )
        # Until the attempt's own row takes its place: a worker that is killed now leaves this one.
        self._ledger.record(entry_of(call, lost(call, WORKER_LOST, info.attempt)))
        response = await self._within(limit_s, request, call)
        try:
            return response, accept(response, call.question, call.answer_schema)
        except ProviderFault as ended:
            ended.response = response
            raise

    async def _within(self, limit_s: float, request: CompletionRequest, call: ProviderCall) -> ProviderResponse:
        # Wall clock around the client: its own timeouts count per read, which a trickling reply resets for ever.
        try:
            async with asyncio.timeout(limit_s):
                return await self._completer.complete(request)
        except ProviderFault:
            raise
        except TimeoutError:
            slow_s = _SLOW * call.candidate.terms.latency_ms / 1000
            if limit_s < min(call.candidate.timeout_s, slow_s):
                raise fault(ErrorClass.CANCEL, "deadline", "the question's deadline ended the call") from None
            raise fault(ErrorClass.FAILURE, "timeout", f"no answer within {limit_s:.3g} s") from None
        except Exception as error:  # noqa: BLE001 - an adapter's bug must not end the question
            # The text of an unforeseen error may quote the prompt, so only its name goes on.
            name = type(error).__name__
            raise fault(ErrorClass.FAILURE, "unexpected", f"the call failed ({name})") from None


def _earlier_attempts(call: ProviderCall) -> tuple[Attempt, ...]:
    """The rows that earlier attempts left, and one for each that left none: its worker died with the request out."""
    left = {row.attempt: row for row in map(Attempt.model_validate, activity.info().heartbeat_details)}
    numbers = range(1, activity.info().attempt)
    return tuple(left.get(number) or lost(call, WORKER_LOST, number) for number in numbers)


def _confidence(call: ProviderCall, response: ProviderResponse, accepted: Accepted) -> float:
    if response.confidence is not None:
        return response.confidence
    if accepted.claims:
        return sum(claim.confidence for claim in accepted.claims) / len(accepted.claims)
    return call.candidate.confidence


def _failure(call: ProviderCall, ended: Fault, rows: tuple[Attempt, ...], clock: AttemptClock) -> ApplicationError:
    attempt, policy = activity.info().attempt, activity.info().retry_policy
    delay_s = retry_delay_s(
        ended,
        attempt=attempt,
        last_candidate=call.last_candidate,
        remaining_s=clock.usable_s,
        schedule=call.retry,
        chance=random.random(),  # noqa: S311 - spreads retries, guards nothing
    )
    last = policy is not None and 0 < policy.maximum_attempts <= attempt
    if delay_s is not None:
        activity.heartbeat(*rows)
    again = delay_s is not None and not last
    activity.logger.info("%s, %s", ended.kind, f"again in {delay_s:.2f} s" if again else "no further attempt")
    return ApplicationError(
        f"{call.candidate.provider}: {ended.summary}",
        FailedCall(fault=ended, attempts=rows),
        type=CONSEQUENCES[ended.error_class].failure_type,
        non_retryable=delay_s is None,
        next_retry_delay=None if delay_s is None else timedelta(seconds=delay_s),
        # A provider's fault is an expected outcome here: no traceback for each one in the worker's log.
        category=ApplicationErrorCategory.BENIGN,
    )
