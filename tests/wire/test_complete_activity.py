"""The activity `complete` on real sockets: its bounds, what it tells Temporal, and what it never tells anybody."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from temporalio.api.failure.v1 import Failure
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.complete import Complete
from activities.in_flight import InFlight
from activities.providers.litellm import LiteLLM
from pointsman.call import Completion, FailedCall, ProviderCall
from pointsman.catalogue import Price, Provider
from pointsman.connection import DATA_CONVERTER
from pointsman.decision import Candidate, RetrySchedule, Terms
from pointsman.messages import ContextRecord, Question
from pointsman.outcomes import Attempt, Usage
from tests.wire.asking import KEY, LONG_S, NAME, each_dialect, provider
from workers.embedded.scripted import faults
from workers.embedded.scripted.script import Drip, ErrorInside, Hang, NoChoices, Raw, Reply, Reset, Status, Step
from workers.embedded.scripted.server import ScriptedProviders

CANARY = "PII-CANARY"
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
BOUND_S = 0.3
DEADLINE_S = 60.0


@dataclass
class Activity:
    """One attempt of the activity in dialect `dialect`, with what it tells Temporal."""

    providers: ScriptedProviders
    dialect: str = "openai"
    timeout_s: float = LONG_S
    deadline_s: float = DEADLINE_S
    attempt: int = 1
    last_candidate: bool = True
    latency_ms: float = 100.0
    earlier: tuple[Attempt, ...] = ()
    env: ActivityEnvironment = field(default_factory=ActivityEnvironment)
    in_flight: InFlight = field(default_factory=InFlight)
    beats: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])

    async def run(self, *steps: Step, schema: dict[str, Any] | None = None, **question: Any) -> Completion:
        self.providers.script(NAME, *steps)
        declared = provider(self.dialect, self.providers.api_base(NAME, self.dialect))
        now = datetime.now(UTC)
        self.env.info = dataclasses.replace(
            self.env.info,
            attempt=self.attempt,
            scheduled_time=now,
            started_time=now,
            schedule_to_close_timeout=timedelta(seconds=self.deadline_s),
            heartbeat_timeout=timedelta(seconds=10),
            heartbeat_details=[row.model_dump(mode="json") for row in self.earlier],
        )
        self.env.on_heartbeat = lambda *details: self.beats.append(details)
        complete = Complete(LiteLLM(NAME, declared, KEY), self.in_flight)
        call = ProviderCall(
            question=Question(prompt=f"what is it? {CANARY}", **question),
            candidate=self._candidate(declared),
            response_schema=schema,
            retry=RetrySchedule(),
            last_candidate=self.last_candidate,
        )
        return await self.env.run(complete.complete, call)

    async def fail(self, *steps: Step, **question: Any) -> Failed:
        with pytest.raises(ApplicationError) as caught:
            await self.run(*steps, **question)
        (detail,) = caught.value.details
        assert isinstance(detail, FailedCall)
        assert self.in_flight(NAME) == 0
        return Failed(caught.value, detail)

    def _candidate(self, declared: Provider) -> Candidate:
        terms = Terms(
            strength=0.8,
            reasoning_match=1,
            fit=0.8,
            cost_penalty=0,
            latency_penalty=0,
            cost_per_1k_usd=0.01,
            latency_ms=self.latency_ms,
        )
        return Candidate(
            provider=NAME,
            model=declared.model,
            task_queue="queue",
            vendor=declared.vendor_name,
            tier=declared.tier,
            score=0.8,
            terms=terms,
            timeout_s=self.timeout_s,
            start_to_close_s=self.timeout_s + 5,
            max_attempts=3,
            max_output_tokens=99,
            expected_output_tokens=50,
            estimated_cost_usd=0.001,
            price=Price(input=1, output=10),
            context_tokens=1000,
            confidence=0.8,
        )


@dataclass(frozen=True)
class Failed:
    error: ApplicationError
    detail: FailedCall

    @property
    def named(self) -> tuple[str | None, str]:
        return self.error.type, self.detail.fault.kind

    @property
    def delay_s(self) -> float | None:
        delay = self.error.next_retry_delay
        return None if delay is None else delay.total_seconds()


@each_dialect
async def test_an_answer(providers: ScriptedProviders, dialect: str) -> None:
    completion = await Activity(providers, dialect).run(Reply("it is blue"))

    assert (completion.text, completion.finish_reason, completion.refused) == ("it is blue", "stop", False)
    (row,) = completion.attempts
    assert (row.outcome, row.attempt, row.model_served) == ("answered", 1, completion.model_served)
    assert row.cost_usd == pytest.approx((11 * 1 + 7 * 10) / 1e6)


@pytest.mark.parametrize("step", [Hang(), Drip(0.01)], ids=["hang", "drip"])
@each_dialect
async def test_f20_the_bound_ends_a_call_and_closes_its_socket(
    providers: ScriptedProviders, dialect: str, step: Step
) -> None:
    failed = await Activity(providers, dialect, timeout_s=BOUND_S).fail(step)

    (hit,) = await providers.wait_for_hits(NAME, 1, LONG_S, "aborted")
    assert hit.ended is not None
    # The client's own limit would end it a second later.
    assert hit.ended - hit.started < BOUND_S + 1
    assert failed.named == ("ProviderFailure", "timeout")
    (row,) = failed.detail.attempts
    assert row.latency_ms is not None
    assert row.latency_ms >= BOUND_S * 1000 * 0.9


@pytest.mark.parametrize("last", [True, False])
async def test_a_hang_is_repeated_only_where_no_other_provider_is_left(
    providers: ScriptedProviders, *, last: bool
) -> None:
    failed = await Activity(providers, timeout_s=BOUND_S, last_candidate=last).fail(Hang())

    assert failed.error.non_retryable is not last
    assert (failed.delay_s is None) is not last


@each_dialect
async def test_f26_a_call_that_timed_out_is_not_free(providers: ScriptedProviders, dialect: str) -> None:
    failed = await Activity(providers, dialect, timeout_s=BOUND_S).fail(Hang())

    (row,) = failed.detail.attempts
    assert row.usage.source == "estimated"
    assert row.usage.output_tokens == 50
    assert row.cost_usd is not None
    assert row.cost_usd > 0


@pytest.mark.parametrize(
    ("step", "billed"),
    [
        pytest.param(Status(503), False, id="503"),
        pytest.param(Status(429), False, id="429"),
        pytest.param(Reset(), False, id="reset"),
        pytest.param(Raw(b'{"choices": [{"mes', delay_s=0.1), True, id="unreadable"),
        pytest.param(Reply("", usage=None), True, id="empty without usage"),
        pytest.param(Reply("half", finish=None), True, id="truncated"),
    ],
)
@each_dialect
async def test_f26_what_was_turned_away_is_free_and_what_was_answered_is_not(
    providers: ScriptedProviders, dialect: str, step: Step, *, billed: bool
) -> None:
    (row,) = (await Activity(providers, dialect).fail(step)).detail.attempts

    assert row.cost_usd is not None
    assert (row.cost_usd > 0) is billed


@each_dialect
async def test_cancellation_closes_the_socket(providers: ScriptedProviders, dialect: str) -> None:
    activity = Activity(providers, dialect)
    running = asyncio.create_task(activity.run(Hang()))
    await providers.wait_for_hits(NAME, 1, LONG_S)
    assert activity.in_flight(NAME) == 1

    activity.env.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    await providers.wait_for_hits(NAME, 1, LONG_S, "aborted")
    assert activity.in_flight(NAME) == 0


async def test_a_deadline_shorter_than_the_providers_time_is_nobodys_fault(providers: ScriptedProviders) -> None:
    failed = await Activity(providers, deadline_s=BOUND_S, latency_ms=1000).fail(Hang())

    assert failed.named == ("CallCancelled", "deadline")
    assert failed.error.non_retryable
    await providers.wait_for_hits(NAME, 1, LONG_S, "aborted")


async def test_a_deadline_that_has_passed_makes_no_call(providers: ScriptedProviders) -> None:
    failed = await Activity(providers, deadline_s=0).fail(Reply())

    assert failed.named == ("CallNotMade", "deadline")
    assert failed.detail.attempts == ()
    assert providers.hits() == []


async def test_a_503_is_repeated_after_a_wait_below_the_back_off(providers: ScriptedProviders) -> None:
    failed = await Activity(providers, last_candidate=False).fail(Status(503))

    assert failed.named == ("ProviderFailure", "http_503")
    assert not failed.error.non_retryable
    assert failed.delay_s is not None
    assert 0 <= failed.delay_s <= 0.5
    assert failed.detail.fault.status == 503


async def test_a_failed_attempt_is_kept_for_the_next_one(providers: ScriptedProviders) -> None:
    first = Activity(providers)
    rows = (await first.fail(Status(503))).detail.attempts
    assert first.beats[-1] == rows

    completion = await Activity(providers, attempt=2, earlier=rows).run(Reply())

    assert [(row.attempt, row.outcome) for row in completion.attempts] == [(1, "failed"), (2, "answered")]


def _date_in(seconds: float) -> dict[str, str]:
    reply = datetime(2026, 11, 30, 8, tzinfo=UTC)
    date = format_datetime(reply + timedelta(seconds=seconds), usegmt=True)
    return {"date": format_datetime(reply, usegmt=True), "retry-after": date}


HINTS: dict[str, tuple[dict[str, str], float]] = {
    "int": ({"retry-after": "7"}, 7),
    "float": ({"retry-after": "0.5"}, 0.5),
    "milliseconds": ({"retry-after-ms": "250"}, 0.25),
    "date": (_date_in(20), 20),
}
NO_HINTS = {"zero": "0", "negative": "-1", "nan": "NaN", "garbage": "later", "empty": ""}


@pytest.mark.parametrize(("status", "type_"), [(429, "ProviderThrottled"), (503, "ProviderFailure")])
@pytest.mark.parametrize(("headers", "seconds"), list(HINTS.values()), ids=list(HINTS))
async def test_the_last_provider_is_asked_again_when_it_says(
    providers: ScriptedProviders, headers: dict[str, str], seconds: float, status: int, type_: str
) -> None:
    failed = await Activity(providers).fail(Status(status, headers=headers))

    assert failed.error.type == type_
    assert not failed.error.non_retryable
    assert failed.delay_s is not None
    assert seconds <= failed.delay_s <= seconds * 1.1
    assert failed.detail.fault.retry_after_s == seconds
    assert failed.detail.attempts[-1].retry_after_s == seconds


@pytest.mark.parametrize("value", list(NO_HINTS.values()), ids=list(NO_HINTS))
async def test_a_hint_that_is_none_leaves_the_back_off(providers: ScriptedProviders, value: str) -> None:
    failed = await Activity(providers).fail(Status(429, headers={"retry-after": value}))

    assert failed.detail.fault.retry_after_s is None
    assert failed.delay_s is not None
    assert 0 <= failed.delay_s <= 0.5


@pytest.mark.parametrize(
    ("hint", "last", "deadline_s"),
    [
        pytest.param("30", True, 10, id="beyond the deadline"),
        pytest.param("90", True, 600, id="beyond the longest sleep"),
        pytest.param("2", False, 600, id="another provider is left"),
        pytest.param(None, False, 600, id="no hint and another provider is left"),
    ],
)
async def test_a_throttle_that_is_not_waited_for(
    providers: ScriptedProviders, hint: str | None, deadline_s: float, *, last: bool
) -> None:
    headers = {} if hint is None else {"retry-after": hint}

    failed = await Activity(providers, last_candidate=last, deadline_s=deadline_s).fail(Status(429, headers=headers))

    assert failed.error.type == "ProviderThrottled"
    assert failed.error.non_retryable
    assert failed.delay_s is None
    assert failed.detail.fault.retry_after_s == (None if hint is None else float(hint))


@pytest.mark.parametrize(
    ("step", "type_"),
    [
        pytest.param(faults.out_of_credit, "ProviderQuotaExhausted", id="quota"),
        pytest.param(Status(401), "ProviderMisconfigured", id="key"),
        pytest.param(Status(404), "ProviderMisconfigured", id="model"),
        pytest.param(Status(400), "QuestionNotAccepted", id="question"),
        pytest.param(faults.context_too_long, "QuestionNotAccepted", id="context"),
    ],
)
@each_dialect
async def test_what_another_try_would_not_change_is_not_retryable(
    providers: ScriptedProviders, dialect: str, step: Step, type_: str
) -> None:
    failed = await Activity(providers, dialect).fail(step)

    assert failed.error.type == type_
    assert failed.error.non_retryable
    assert failed.detail.attempts[-1].cost_usd == 0


@each_dialect
async def test_f05_a_reply_without_an_answer_fails_its_attempt(providers: ScriptedProviders, dialect: str) -> None:
    failed = await Activity(providers, dialect).fail(NoChoices())

    assert failed.error.type == "ProviderFailure"
    assert not failed.error.non_retryable


@each_dialect
async def test_f05_cut_json_fails_its_attempt(providers: ScriptedProviders, dialect: str) -> None:
    failed = await Activity(providers, dialect).fail(Reply('{"answer":'), schema=SCHEMA)

    assert failed.named == ("AnswerNotAccepted", "not_json")
    assert failed.error.non_retryable


@each_dialect
async def test_f07_prose_under_a_schema_is_never_an_answer(providers: ScriptedProviders, dialect: str) -> None:
    failed = await Activity(providers, dialect).fail(Reply("Sure! The name is Ada."), schema=SCHEMA)

    assert failed.named == ("AnswerNotAccepted", "not_json")
    (row,) = failed.detail.attempts
    # It is no answer, and it is billed as one.
    assert row.cost_usd == pytest.approx((11 * 1 + 7 * 10) / 1e6)
    assert row.model_served is not None


@each_dialect
async def test_json_of_another_schema_is_no_answer(providers: ScriptedProviders, dialect: str) -> None:
    failed = await Activity(providers, dialect).fail(Reply('{"name": 4}'), schema=SCHEMA)

    assert failed.named == ("AnswerNotAccepted", "schema_invalid")


@each_dialect
async def test_json_after_prose_is_an_answer(providers: ScriptedProviders, dialect: str) -> None:
    completion = await Activity(providers, dialect).run(Reply('Sure! ```json\n{"name": "Ada"}\n```'), schema=SCHEMA)

    assert completion.parsed == {"name": "Ada"}


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(Reply(content_is_null=True, finish="content_filter"), id="filtered"),
        pytest.param(Reply(refusal="I can't help with that."), id="refusal"),
        pytest.param(Reply("I cannot help with that."), id="words"),
        pytest.param(faults.content_policy, id="policy"),
        pytest.param(faults.prompt_blocked, id="blocked"),
    ],
)
@each_dialect
async def test_f09_every_refusal_is_one_thing(providers: ScriptedProviders, dialect: str, step: Step) -> None:
    completion = await Activity(providers, dialect).run(step, schema=SCHEMA)

    assert completion.refused
    assert completion.attempts[-1].outcome == "refused"


async def test_claims_are_read_and_their_confidence_is_the_answers(providers: ScriptedProviders) -> None:
    text = '{"answer": "Blue.", "claims": [{"text": "It is blue.", "confidence": 0.6, "sources": ["r-1"]}]}'

    completion = await Activity(providers).run(Reply(text), context=(ContextRecord(id="r-1", text="It is blue."),))

    assert completion.text == "Blue."
    assert [claim.sources for claim in completion.claims] == [("r-1",)]
    assert completion.confidence == 0.6


async def test_missing_usage_is_estimated(providers: ScriptedProviders) -> None:
    (row,) = (await Activity(providers).run(Reply("blue", usage=None))).attempts

    assert row.usage.source == "estimated"
    assert row.cost_usd is not None
    assert row.cost_usd > 0


async def test_what_earlier_attempts_have_cost_shortens_the_answer(providers: ScriptedProviders) -> None:
    spent = Attempt(provider=NAME, model="m", attempt=1, outcome="failed", usage=Usage(source="reported"), cost_usd=0.5)

    await Activity(providers, attempt=2, earlier=(spent,)).run(Reply(), max_cost_usd=0.5005)

    (hit,) = providers.hits()
    assert hit.max_tokens is not None
    assert 16 <= hit.max_tokens < 50


async def test_money_that_is_spent_makes_no_call(providers: ScriptedProviders) -> None:
    failed = await Activity(providers).fail(Reply(), max_cost_usd=0.0000001)

    assert failed.named == ("CallNotMade", "over_cost")
    assert providers.hits() == []


def _quoting(status: int) -> Status:
    """What some vendors do: repeat the prompt and the key."""
    return Status(status, f"cannot process 'what is it? {CANARY}' for url https://x/y?key={KEY}")


@pytest.mark.parametrize(
    "step",
    [
        *(pytest.param(_quoting(status), id=str(status)) for status in (400, 404, 422, 429, 500, 503)),
        pytest.param(faults.echoed_key, id="echoed key"),
        pytest.param(ErrorInside(503, f"{KEY} {CANARY}"), id="error inside"),
        pytest.param(Raw(f'{{"choices": "{KEY} {CANARY}'.encode()), id="malformed"),
        pytest.param(Raw(f"<html>{KEY} {CANARY}</html>".encode()), id="html"),
        pytest.param(Raw(f'{{"error": "{KEY} {CANARY}"}}'.encode()), id="odd json"),
        pytest.param(Reset(), id="reset"),
        pytest.param(Hang(), id="hang"),
    ],
)
@each_dialect
async def test_f30_key_and_prompt_are_in_no_error_and_no_log(
    providers: ScriptedProviders,
    dialect: str,
    step: Step,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)

    failed = await Activity(providers, dialect, timeout_s=BOUND_S).fail(step)

    failure = Failure()
    await DATA_CONVERTER.encode_failure(failed.error, failure)
    printed = "".join(capfd.readouterr())
    shown = "".join(traceback.format_exception(failed.error)) + str(failure) + repr(failed.error.details) + printed
    logged = [(record.levelno, f"{record.getMessage()} {record.exc_text} {record.args}") for record in caplog.records]
    assert KEY not in shown
    assert CANARY not in shown
    assert all(KEY not in text for _, text in logged)
    assert all(CANARY not in text for level, text in logged if level >= logging.INFO)


@each_dialect
async def test_f30_key_and_prompt_are_in_no_log_of_an_answer(
    providers: ScriptedProviders, dialect: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)

    await Activity(providers, dialect).run(Reply())

    text = caplog.text + "".join(capfd.readouterr())
    assert KEY not in text
    assert CANARY not in text
