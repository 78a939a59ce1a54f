"""Questions to a provider that allows few calls a minute: an attempt may wait for its slot, and is given that time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pointsman import Question, QuestionFailed
from pointsman.contract import ALL_PROVIDERS_UNAVAILABLE
from tests.fakes import failing
from tests.workflows.conftest import Pointsman, configuration

pytestmark = pytest.mark.asyncio(loop_scope="module")

TIMEOUT_S = 2.0
MARGIN_S = 5.0
SLOW = {"rate_limit_per_minute": 60, "timeout_s": TIMEOUT_S}


async def _limits(pointsman: Pointsman, question: Question) -> dict[str, timedelta]:
    """How long an attempt at each provider may last, by the history of a question that all of them failed."""
    handle = await pointsman.start(question)
    with pytest.raises(Exception, match="Workflow execution failed"):
        await handle.result()
    scheduled = [event.activity_task_scheduled_event_attributes async for event in handle.fetch_history_events()]
    return {
        call.task_queue.name.removeprefix("pointsman-provider-"): call.start_to_close_timeout.ToTimedelta()
        for call in scheduled
        if call.task_queue.name
    }


async def test_an_attempt_that_may_wait_for_a_slot_lasts_for_that_wait_and_its_request(pointsman: Pointsman) -> None:
    for name in ("alpha", "beta", "gamma"):
        pointsman.fleet.script(name, failing())
    quick = {"timeout_s": TIMEOUT_S}
    await pointsman.serve(
        configuration(
            providers={"alpha": SLOW, "beta": quick, "gamma": SLOW}, budget={"capacity": 100}, retry={"initial_s": 0.01}
        )
    )
    limits = await _limits(pointsman, Question(prompt="hello there", deadline_s=40))
    own = timedelta(seconds=TIMEOUT_S + MARGIN_S)
    # A fifth of what is left, as long as a call waits for a worker; the last one waits to the deadline.
    assert own + timedelta(seconds=7) < limits["alpha"] <= own + timedelta(seconds=8)
    assert limits["beta"] == own
    assert own + timedelta(seconds=20) < limits["gamma"] <= own + timedelta(seconds=40)


async def test_with_all_slots_taken_to_the_deadline_the_failure_says_when_one_comes(pointsman: Pointsman) -> None:
    await pointsman.serve(configuration(providers={"alpha": {"rate_limit_per_minute": 1}}))
    await pointsman.ask(allow=["alpha"])
    with pytest.raises(QuestionFailed) as failed:
        await pointsman.ask(allow=["alpha"], deadline_s=20)
    assert failed.value.failure_type == ALL_PROVIDERS_UNAVAILABLE
    assert failed.value.retry_after_s == pytest.approx(60, abs=5)
    assert pointsman.fleet.calls("alpha") == 1
