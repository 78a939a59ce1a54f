"""When the activity `complete` lets Temporal ask the same provider again, and what it keeps for then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pointsman.outcomes import Attempt, ErrorClass
from tests.wire.asking import NAME
from tests.wire.calling import Activity
from workers.embedded.scripted.script import Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

EARLIER = Attempt(provider=NAME, model="m", attempt=1, outcome="failed", error_class=ErrorClass.FAILURE, cost_usd=0.25)


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


async def test_earlier_attempts_stand_before_a_failed_one(providers: ScriptedProviders) -> None:
    second = Activity(providers, attempt=2, earlier=(EARLIER,))

    failed = await second.fail(Status(503))

    assert [row.attempt for row in failed.detail.attempts] == [1, 2]
    assert second.beats == [failed.detail.attempts]


async def test_earlier_attempts_outlive_a_call_that_is_not_made(providers: ScriptedProviders) -> None:
    failed = await Activity(providers, attempt=2, earlier=(EARLIER,), deadline_s=1, waited_s=2).fail(Reply())

    assert failed.named == ("CallNotMade", "deadline")
    assert failed.detail.attempts == (EARLIER,)


async def test_heartbeats_repeat_what_earlier_attempts_left(providers: ScriptedProviders) -> None:
    second = Activity(providers, attempt=2, earlier=(EARLIER,), beat_every_s=0.02)

    await second.run(Reply(delay_s=0.3))

    assert len(second.beats) > 1
    assert all([Attempt.model_validate(row) for row in beat] == [EARLIER] for beat in second.beats)


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


@pytest.mark.parametrize("headers", [{"retry-after": "0.25"}, {"retry-after-ms": "250", "retry-after": "30"}])
@pytest.mark.parametrize("status", [429, 503])
async def test_a_short_hint_is_waited_for_while_another_provider_is_left(
    providers: ScriptedProviders, status: int, headers: dict[str, str]
) -> None:
    failed = await Activity(providers, last_candidate=False).fail(Status(status, headers=headers))

    assert failed.delay_s is not None
    assert 0.25 <= failed.delay_s <= 0.275
