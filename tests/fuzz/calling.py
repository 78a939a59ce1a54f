"""One case through the production activity `complete`, and what is wrong with what came of it."""

from __future__ import annotations

import asyncio
import dataclasses
import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from jsonschema import Draft202012Validator
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.complete import Complete
from activities.process_health import ProcessHealth
from activities.providers.litellm import LiteLLM
from pointsman.call import Completion, FailedCall, ProviderCall
from pointsman.connection import DATA_CONVERTER
from pointsman.decision import RetrySchedule
from pointsman.faults import CONSEQUENCES
from pointsman.messages import Question
from pointsman.outcomes import Attempt
from tests import builders
from tests.fuzz.case import SCHEMA, Case
from tests.fuzz.reading import values
from tests.fuzz.wire import CASE, Wire
from tests.wire.asking import KEY, MODELS, NAME, provider

CANARY = "PII-CANARY-7"
PATIENCE_S = 120.0
"""Longer than a sound call takes on a busy machine; the provider's own timeout is far below it."""
TIMEOUT_S = 60.0
HANG_TIMEOUT_S = 1.5
_CONFIGURATION = builders.configuration()
_MOST_TOKENS = 10**9

Outcome = Completion | ApplicationError | BaseException


class Caller:
    """Calls the provider of one dialect, as many at a time as one likes."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        headers = {CASE: "{workflow_id}"}
        declared = {name: provider(name, wire.api_base(name), extra_headers=headers) for name in MODELS}
        self._declared = declared
        self._completers = {name: LiteLLM(NAME, told, KEY) for name, told in declared.items()}

    async def outcome(self, name: str, case: Case) -> Outcome:
        """What the activity returns or raises; `TimeoutError` where it hangs."""
        self.wire.cases[name] = case
        timeout_s = HANG_TIMEOUT_S if case.expected.faults == ("failure timeout",) else TIMEOUT_S
        schema = SCHEMA if case.schema else None
        question = Question(prompt=f"What is it? {CANARY}", response_schema=schema)
        candidate = builders.candidate(NAME, question, **_facts(self._declared[case.dialect]))
        env = ActivityEnvironment()
        now = datetime.now(UTC)
        env.info = dataclasses.replace(
            env.info,
            workflow_id=name,
            scheduled_time=now,
            started_time=now,
            schedule_to_close_timeout=timedelta(seconds=PATIENCE_S),
            heartbeat_timeout=timedelta(seconds=10),
        )
        complete = Complete(self._completers[case.dialect], ProcessHealth.of(_CONFIGURATION, "worker"))
        call = ProviderCall(
            question=question,
            candidate=candidate.model_copy(update={"timeout_s": timeout_s}),
            retry=RetrySchedule(),
            last_candidate=True,
        )
        try:
            async with asyncio.timeout(PATIENCE_S):
                found: Completion = await env.run(complete.complete, call)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is judged
            return error
        return found


def _facts(declared: Any) -> dict[str, Any]:
    return {"model": declared.model, "api_base": declared.api_base, "supports": ["json_schema", "tools"]}


def wrongs(case: Case, found: Outcome, hits: int) -> Iterator[str]:
    """What is wrong with an outcome, in sentences."""
    if hits > 1:
        yield f"{hits} requests were made for one attempt"
    if isinstance(found, Completion):
        yield from _of_answer(case, found)
    elif isinstance(found, ApplicationError):
        yield from _of_failure(case, found)
    else:
        yield f"{'hang' if isinstance(found, TimeoutError) else 'crash'}: {type(found).__name__}: {found}"


def _of_answer(case: Case, found: Completion) -> Iterator[str]:
    (row,) = found.attempts
    yield from _of_refusal(case, found) if found.refused else _of_content(case, found)
    tokens = (row.usage.input_tokens, row.usage.output_tokens)
    if case.expected.tokens and tokens != case.expected.tokens:
        yield f"{row.usage} in place of {case.expected.tokens}"
    yield from _of_row(row)
    yield from _of_payload(found)


def _of_refusal(case: Case, found: Completion) -> Iterator[str]:
    if not case.expected.refusal:
        yield f"taken for a refusal: {found.text[:80]!r}"


def _of_content(case: Case, found: Completion) -> Iterator[str]:
    told = case.expected
    if told.must_refuse:
        yield "a refusal was answered"
    elif found.tool_calls and not told.tools:
        yield f"false success: answered with tool calls {found.tool_calls!r}"
    elif not told.texts:
        yield f"false success: answered {found.text[:80]!r}"
    elif found.text not in told.texts:
        yield f"misread: answered {found.text[:80]!r} and not {told.texts[0][:80]!r}"
    elif case.schema and not found.tool_calls:
        if not Draft202012Validator(SCHEMA).is_valid(found.parsed):
            yield f"false success: the parsed value {found.parsed!r} does not keep to the schema"
        if found.parsed not in values(found.text):
            yield f"invented: the parsed value {found.parsed!r} does not stand in the text"


def _of_failure(case: Case, found: ApplicationError) -> Iterator[str]:
    if len(found.details) != 1 or not isinstance(found.details[0], FailedCall):
        yield f"a failure without its details: {found!r}"
        return
    detail: FailedCall = found.details[0]
    fault = detail.fault
    named = f"{fault.error_class} {fault.kind}"
    if case.expected.must_answer or case.expected.must_refuse:
        yield f"failed as {named} ({fault.summary}), though the reply was sound"
    if case.expected.faults and named not in case.expected.faults:
        yield f"failed as {named}, expected {' or '.join(case.expected.faults)}"
    if found.type != CONSEQUENCES[fault.error_class].failure_type:
        yield f"the type {found.type} does not tell {fault.error_class}"
    if fault.kind == "unexpected" or fault.error_class in {"local", "infrastructure", "cancel"}:
        yield f"failed as {named}: {fault.summary}"
    hint = fault.retry_after_s
    if hint is not None and not (math.isfinite(hint) and hint > 0):
        yield f"a hint of {hint} s"
    delay = found.next_retry_delay
    if delay is not None and not timedelta(0) <= delay < timedelta(seconds=PATIENCE_S):
        yield f"a retry in {delay}"
    for row in detail.attempts:
        yield from _of_row(row)
    if CANARY in f"{found} {detail!r}" or KEY in f"{found} {detail!r}":
        yield "the prompt or the key is quoted"
    yield from _of_payload(detail)


def _of_row(row: Attempt) -> Iterator[str]:
    usage = row.usage
    counts = (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens)
    if not all(0 <= count <= _MOST_TOKENS for count in counts):
        yield f"impossible tokens: {usage}"
    if row.cost_usd is not None and not (math.isfinite(row.cost_usd) and 0 <= row.cost_usd < _MOST_TOKENS):
        yield f"an impossible cost: {row.cost_usd}"
    if row.model_served is not None and not 0 < len(row.model_served) <= 256:
        yield f"a served model of {len(row.model_served)} characters"


def _of_payload(found: Completion | FailedCall) -> Iterator[str]:
    try:
        payloads = DATA_CONVERTER.payload_converter.to_payloads([found])
        (back,) = DATA_CONVERTER.payload_converter.from_payloads(payloads, [type(found)])
    except Exception as error:  # noqa: BLE001 - a result that cannot be sent fails the worker's task
        yield f"cannot be sent: {type(error).__name__}: {error}"
        return
    if back != found:
        yield "arrives as another value"
    if sum(len(payload.data) for payload in payloads) > 1_900_000:
        yield "over 1.9 MB"
