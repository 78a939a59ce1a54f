"""Live questions shadowed by a new model: compared, told, and never felt."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio
from temporalio.client import WorkflowExecutionStatus, WorkflowHandle
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment

from pointsman import Answer, Question, QuestionFailed, RouterClient
from pointsman.outcomes import ErrorClass
from tests.fakes import HANG, Step, failing, reply
from tests.upgrades import BASE, NEW, order
from tests.workflows.conftest import configuration
from tests.workflows.upgrading import Upgrading, plan

_QUICK = {"providers": {"alpha": {"timeout_s": 0.5}}}
_SCHEMA = {"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"]}


@pytest_asyncio.fixture(loop_scope="module", params=[1000, 0], ids=["cached", "replayed"])
async def upgrading(env: WorkflowEnvironment, request: pytest.FixtureRequest) -> AsyncGenerator[Upgrading]:
    running = Upgrading(env, request.param)
    yield running
    await running.stop()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_shadow_that_says_the_same_agrees(upgrading: Upgrading) -> None:
    upgrading.alpha.script(BASE, reply("It is 5."))
    upgrading.alpha.script(NEW, reply("The answer is 5."))
    await upgrading.serve(plan())
    answer = await upgrading.ask("How many apples are left?")
    found = await upgrading.shadow()
    assert answer.text == "It is 5."
    assert (found.agreement, found.upgrade_id, found.provider) == ("agree", "u-1", "alpha")
    assert found.base is not None
    assert found.new is not None
    assert (found.base.answered, found.new.answered) == (True, True)
    assert found.spent_usd == found.new.cost_usd == pytest.approx(60e-6)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_shadow_that_says_otherwise_disagrees(upgrading: Upgrading) -> None:
    upgrading.alpha.script(BASE, reply("It is 5."))
    upgrading.alpha.script(NEW, reply("It is 6."))
    await upgrading.serve(plan())
    await upgrading.ask("How many apples are left?")
    assert (await upgrading.shadow()).agreement == "disagree"


_FAULTS: dict[str, Step] = {
    "hang": HANG,
    "http_500": failing(kind="http_500", status=500),
    "http_404": failing(ErrorClass.CONFIG, "unknown_model", status=404),
    "throttled": failing(ErrorClass.THROTTLE, "rate_limited", status=429, retry_after_s=30.0),
    "garbage": reply("<html>"),
    "nothing": reply(""),
    "refusal": reply("I cannot help.", refused=True),
    "bug": RuntimeError("unforeseen"),
}


@pytest.mark.parametrize("fault", sorted(_FAULTS))
@pytest.mark.asyncio(loop_scope="module")
async def test_no_fault_of_the_new_model_changes_an_answer_or_its_cost(upgrading: Upgrading, fault: str) -> None:
    upgrading.alpha.script(BASE, reply('{"answer": 5}'))
    upgrading.alpha.script(NEW, _FAULTS[fault])
    await upgrading.serve(plan(), settings=configuration(**_QUICK))
    shadowed = await upgrading.ask(response_schema=_SCHEMA)
    found = await upgrading.shadow()
    upgrading.catalogue.accept(upgrading.catalogue.snapshot.model_copy(update={"upgrades": {}, "version": 2}))
    plain = await upgrading.ask(response_schema=_SCHEMA)
    assert upgrading.alpha.calls(NEW) == 1
    assert _told(shadowed) == _told(plain)
    assert plain.decision.shadow is None
    assert found.new is not None
    assert found.new.refused == (fault == "refusal")
    assert found.new.schema_valid == (False if fault == "garbage" else None)
    assert found.new.answered == (fault == "refusal")


def _told(answer: Answer) -> dict[str, Any]:
    """All that an answer says but how long it took, and that its decision names a shadow."""
    told = answer.model_dump(exclude={"latency_ms", "decision", "attempts"})
    rows = [row.model_dump(exclude={"latency_ms"}) for row in answer.attempts]
    decided = answer.decision.model_dump(exclude={"shadow": True, "catalogue_version": True})
    return {**told, "rows": rows, "decision": decided}


@pytest.mark.asyncio(loop_scope="module")
async def test_a_base_that_fails_is_compared_as_such(upgrading: Upgrading) -> None:
    upgrading.alpha.script(BASE, failing(ErrorClass.QUALITY, "schema_invalid", status=None))
    upgrading.alpha.script(NEW, reply('{"answer": 5}'))
    upgrading.providers["beta"] = type(upgrading.alpha)()
    upgrading.providers["beta"].script(BASE, reply('{"answer": 5}'))
    await upgrading.serve(plan())
    answer = await upgrading.ask(response_schema=_SCHEMA)
    found = await upgrading.shadow()
    assert answer.provider == "beta"
    assert found.base is not None
    assert (found.base.answered, found.base.schema_valid, found.agreement) == (False, False, None)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_question_that_fails_is_compared_by_what_its_base_did(upgrading: Upgrading) -> None:
    down = failing(ErrorClass.CONFIG, "no_key", status=401)
    for name in ("beta", "gamma"):
        upgrading.providers[name] = type(upgrading.alpha)()
        upgrading.providers[name].script(BASE, down)
    upgrading.alpha.script(BASE, down)
    await upgrading.serve(plan())
    with pytest.raises(QuestionFailed):
        await RouterClient(upgrading.env.client).answer((await upgrading.start(Question(prompt="hello"))).id)
    found = await upgrading.shadow()
    assert found.base is not None
    assert (found.base.answered, found.base.kind) == (False, "no_key")


@pytest.mark.asyncio(loop_scope="module")
async def test_the_catalogue_counts_what_it_is_told(upgrading: Upgrading) -> None:
    await upgrading.serve(plan())
    await upgrading.entity.execute_update("begin_upgrade", order(), result_type=None)
    await upgrading.entity.signal("upgrade_evaluated", {"upgrade_id": "u-1", "provider": "alpha", "evaluations": []})
    await upgrading.ask()
    await upgrading.shadow()
    held = (await upgrading.entity.query("document", result_type=None))["upgrades"]["alpha"]
    assert (held["shadows"]["new"]["calls"], held["shadows"]["agreement"]["agreed"]) == (1, 1)
    assert held["spend"]["total"] == 60


@pytest.mark.asyncio(loop_scope="module")
async def test_a_question_whose_shadows_id_is_taken_is_answered(upgrading: Upgrading) -> None:
    upgrading.alpha.script(BASE, HANG)
    await upgrading.serve(plan(), measuring=False, settings=configuration(**_QUICK))
    taken = await _take(upgrading, "q-taken/shadow")
    answer = await RouterClient(upgrading.env.client).ask("hello there", id="q-taken")
    assert (answer.provider, answer.decision.shadow is not None) == ("beta", True)
    await taken.terminate()


async def _take(upgrading: Upgrading, workflow_id: str) -> WorkflowHandle[Any, Any]:
    return await upgrading.env.client.start_workflow("Nobody", id=workflow_id, task_queue="nobody")


@pytest.mark.asyncio(loop_scope="module")
async def test_without_a_worker_that_measures_a_question_is_answered_and_its_shadow_is_bounded(
    upgrading: Upgrading,
) -> None:
    await upgrading.serve(plan(), measuring=False)
    assert (await upgrading.ask()).text == "ok"
    shadow = upgrading.env.client.get_workflow_handle(f"{upgrading.ids[-1]}/shadow")
    described = await shadow.describe()
    assert described.status is WorkflowExecutionStatus.RUNNING
    assert described.raw_description.execution_config.workflow_execution_timeout.seconds == 60 + 60 + 30 + 60
    await shadow.terminate()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_question_that_shows_nothing_of_its_base_costs_no_shadow_call(upgrading: Upgrading) -> None:
    upgrading.alpha.script(BASE, HANG)
    await upgrading.serve(plan())
    asked = await upgrading.start(Question(prompt="hello"))
    await upgrading.alpha.models[BASE].called.wait()
    await asked.cancel()
    found = await upgrading.shadow()
    assert (found.base, found.spent_usd, upgrading.alpha.calls(NEW)) == (None, 0.0, 0)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "fields",
    [
        {"stakes": "high"},
        {"parameters": {"tools": [{"type": "function"}]}},
        {"system": "x" * 100_000},
        {"deny": ["alpha"]},
    ],
)
async def test_a_panel_tools_a_large_question_and_another_provider_are_not_shadowed(
    upgrading: Upgrading, fields: dict[str, Any]
) -> None:
    supports = {name: {"supports": ["json_schema", "tools"]} for name in ("alpha", "beta", "gamma")}
    await upgrading.serve(plan(), settings=configuration(providers=supports))
    answer = await upgrading.ask(**fields)
    assert answer.decision.shadow is None
    with pytest.raises(RPCError):
        await upgrading.env.client.get_workflow_handle(f"{upgrading.ids[-1]}/shadow").describe()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_promoted_share_is_not_shadowed_and_its_answers_are_told(upgrading: Upgrading) -> None:
    upgrading.alpha.script(NEW, reply("from the new one"))
    await upgrading.serve(plan(stage="promoting", share=1.0, sample=0.0))
    answer = await upgrading.ask()
    assert (answer.text, answer.model_requested) == ("from the new one", NEW)
    told = upgrading.catalogue.observations.due()
    assert told is not None
    assert {model: arm.calls for model, arm in told.arms["u-1"].items()} == {NEW: 1}
