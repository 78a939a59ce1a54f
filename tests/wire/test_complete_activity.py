"""The activity `complete` on real sockets: what comes of a reply, as Temporal and the workflow see it."""

from __future__ import annotations

import pytest

from pointsman.faults import CONSEQUENCES
from pointsman.messages import ContextRecord
from tests.fakes import ScriptedCompleter
from tests.wire.asking import each_dialect
from tests.wire.calling import CANARY, Activity
from workers.embedded.scripted import faults
from workers.embedded.scripted.script import NoChoices, Reply, Status, Step
from workers.embedded.scripted.server import ScriptedProviders

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@each_dialect
async def test_an_answer(providers: ScriptedProviders, dialect: str) -> None:
    completion = await Activity(providers, dialect).run(Reply("it is blue"))

    assert (completion.text, completion.finish_reason, completion.refused) == ("it is blue", "stop", False)
    (row,) = completion.attempts
    assert (row.outcome, row.attempt, row.model_served) == ("answered", 1, completion.model_served)
    assert row.cost_usd == pytest.approx((11 * 1 + 7 * 10) / 1e6)


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


async def test_the_provider_is_told_which_call_this_is(providers: ScriptedProviders) -> None:
    activity = Activity(providers, attempt=2, headers={"x-call": "{workflow_id}/{activity_id}/{attempt}"})

    await activity.run(Reply())

    (hit,) = providers.hits()
    assert hit.headers["x-call"] == f"{activity.env.info.workflow_id}/{activity.env.info.activity_id}/2"


async def test_the_callers_own_cap_is_no_fault_of_the_provider(providers: ScriptedProviders) -> None:
    cut = Reply('{"name"', finish="length")

    failed = await Activity(providers).fail(cut, schema=SCHEMA, max_output_tokens=5)

    assert failed.named == ("QuestionNotAccepted", "max_output_tokens")


async def test_an_unforeseen_error_is_a_failure_without_its_words(providers: ScriptedProviders) -> None:
    completer = ScriptedCompleter()
    completer.steps[0] = KeyError(CANARY)

    failed = await Activity(providers, completer=completer).fail()

    assert failed.named == ("ProviderFailure", "unexpected")
    assert CANARY not in str(failed.error)


@each_dialect
async def test_f18_a_question_at_fault_says_nothing_of_its_providers_health(
    providers: ScriptedProviders, dialect: str
) -> None:
    for step in (Status(400), Status(413), Status(422), faults.context_too_long):
        failed = await Activity(providers, dialect).fail(step)
        assert CONSEQUENCES[failed.detail.fault.error_class].health == "neutral"
