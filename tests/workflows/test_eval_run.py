"""Models put to a suite: what they answer is told apart from whether they could be reached."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
import pytest_asyncio
from temporalio.client import WorkflowFailureError

from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, CATALOGUE_QUEUE
from pointsman.errors import UnknownRun
from pointsman.eval_client import EvalClient
from pointsman.evals.suite import EvalSuite
from pointsman.measuring.request import EvalRequest
from pointsman.measuring_contract import EvalRun
from pointsman.outcomes import ErrorClass
from pointsman.profile_client import ProfileClient
from pointsman.provider import Price
from pointsman.query_types import QueryType
from tests.fakes import Step, failing, reply
from tests.workflows.conftest import Pointsman, configuration
from tests.workflows.measuring import ROUTE, TASK, Measuring, refusal, rightly, suite, with_suites

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def measuring(pointsman: Pointsman) -> AsyncGenerator[Measuring]:
    running = Measuring(pointsman)
    yield running
    await running.close()


def _settings(*suites: EvalSuite, **changes: Any) -> Any:
    return with_suites(configuration(routes={TASK: ROUTE, **changes.pop("routes", {})}, **changes), *suites)


def _right(prompt: str) -> Step:
    return reply(rightly(prompt))


def _wrong_on(*numbers: int) -> Callable[[str], Step]:
    def says(prompt: str) -> Step:
        return reply("0") if int(prompt.removesuffix("?").split()[-1]) in numbers else _right(prompt)

    return says


async def test_each_member_is_measured_and_the_catalogue_hears_of_it(measuring: Measuring) -> None:
    measuring.says("alpha", _right)
    measuring.says("beta", _wrong_on(3, 7))
    await measuring.serve(_settings(suite()))
    report = await measuring.evaluate()
    alpha, beta = report.models
    assert (alpha.passed, alpha.errors, alpha.verdict) == (10, 0, "passed")
    assert (beta.passed, beta.errors, beta.verdict) == (8, 0, "failed")
    assert [(result.id, result.reasons) for result in beta.failing] == [
        ("sum-3", ("number: it comes to 0, expected 4",)),
        ("sum-7", ("number: it comes to 0, expected 8",)),
    ]
    assert not report.passed
    assert beta.low == pytest.approx(0.49, abs=0.005)
    assert beta.high == pytest.approx(0.943, abs=0.005)
    assert alpha.cost_usd == pytest.approx(10 * 60e-6)
    assert (alpha.model_served, alpha.p50_ms is not None) == ("model-2026-01-01", True)
    held = (await measuring.document()).evaluations
    kept = held[f"{TASK}/beta/openai/model-2026-01-01"]
    assert (kept.suite, kept.passed, kept.verdict) == (suite().digest, 8, "failed")
    assert report.unrecorded == ()


async def test_calls_that_measure_are_marked_as_such_and_least_urgent(measuring: Measuring) -> None:
    alpha = measuring.says("alpha", _right)
    await measuring.serve(_settings(suite(2)))
    await measuring.evaluate("alpha")
    assert {request.question.priority for request in alpha.requests} == {5}
    assert measuring.pointsman.health.view.figures("alpha", QueryType.ANALYSIS).n == 0


async def test_an_outage_is_inconclusive_and_ends_early(measuring: Measuring) -> None:
    alpha = measuring.says("alpha", lambda _: failing())
    await measuring.serve(_settings(suite(30)))
    report = await measuring.evaluate("alpha")
    (model,) = report.models
    assert (model.passed, model.errors, model.verdict) == (0, 30, "inconclusive")
    assert model.failing[0].reasons == ("no answer: http_503 (http_503)",)
    assert model.failing[-1].reasons == ("not asked: 6 questions in a row had no answer",)
    # Six in a row, and those that were under way beside them; each was tried three times.
    assert len({request.question.text for request in alpha.requests}) <= 9
    assert (await measuring.document()).evaluations == {}


async def test_a_hiccup_is_tried_again_and_costs_no_mark(measuring: Measuring) -> None:
    asked: set[str] = set()

    def stumbles(prompt: str) -> Step:
        if prompt in asked:
            return _right(prompt)
        asked.add(prompt)
        return failing()

    measuring.says("alpha", stumbles)
    await measuring.serve(_settings(suite(5)))
    (model,) = (await measuring.evaluate("alpha")).models
    assert (model.passed, model.errors) == (5, 0)


async def test_an_unusable_answer_fails_and_is_not_asked_for_again(measuring: Measuring) -> None:
    alpha = measuring.says("alpha", lambda _: reply("no JSON"))
    schema = {"type": "object"}
    await measuring.serve(_settings(suite(3, response_schema=schema)))
    (model,) = (await measuring.evaluate("alpha")).models
    assert (model.passed, model.errors, model.verdict) == (0, 0, "failed")
    assert len(alpha.requests) == 3
    assert "not_json" in model.failing[0].reasons[0]


async def test_errors_count_against_nobody_where_the_answers_decide(measuring: Measuring) -> None:
    def one_is_down(prompt: str) -> Step:
        return failing() if prompt.endswith("+ 2?") else _wrong_on(4, 5, 6)(prompt)

    measuring.says("alpha", one_is_down)
    await measuring.serve(_settings(suite(10, threshold=0.8)))
    (model,) = (await measuring.evaluate("alpha")).models
    assert (model.passed, model.errors, model.verdict) == (6, 1, "failed")


async def test_never_more_than_a_few_are_asked_at_once(measuring: Measuring) -> None:
    alpha = measuring.says("alpha", _right, pause_s=0.3)
    beta = measuring.says("beta", _right, pause_s=0.3)
    await measuring.serve(_settings(suite(12), providers={"beta": {"max_concurrent": 2}}))
    await measuring.evaluate()
    assert (1 < alpha.at_once <= 4, 1 < beta.at_once <= 2) == (True, True)


async def test_a_model_that_the_configuration_does_not_name_is_measured_under_its_own_name(
    measuring: Measuring,
) -> None:
    alpha = measuring.says("alpha", _right)
    await measuring.serve(_settings(suite(2)))
    price = Price(input=100.0, output=1000.0)
    report = await measuring.evaluate("alpha", models={"alpha": "openai/new-2026-11-01"}, prices={"alpha": price})
    assert alpha.models == {"openai/new-2026-11-01"}
    assert report.models[0].model == "openai/new-2026-11-01"
    assert report.models[0].cost_usd == pytest.approx(0.012)
    assert f"{TASK}/alpha/openai/new-2026-11-01" in (await measuring.document()).evaluations
    unpriced = await measuring.evaluate("alpha", models={"alpha": "openai/new-2026-11-01"})
    assert unpriced.models[0].cost_usd is None


async def test_a_suite_of_many_cases_goes_in_lots_and_keeps_their_order(measuring: Measuring) -> None:
    measuring.says("alpha", _right)
    await measuring.serve(_settings(suite(45)))
    (model,) = (await measuring.evaluate("alpha")).models
    assert [result.id for result in model.results] == [f"sum-{number}" for number in range(1, 46)]
    assert model.passed == 45


async def test_its_progress_can_be_asked_for(measuring: Measuring) -> None:
    measuring.says("alpha", _right)
    await measuring.serve(_settings(suite(5)))
    client = measuring.pointsman.env.client
    handle = await client.start_workflow(
        EvalRun.run,
        EvalRequest(task=TASK, providers=("alpha",)),
        id=f"eval-{uuid.uuid4()}",
        task_queue=CATALOGUE_QUEUE,
    )
    await handle.result()
    progress = await handle.query(EvalRun.progress)
    assert (progress.done, progress.of, progress.in_words()) == (5, 5, "5 of 5 questions: alpha 5/5")


async def test_a_run_goes_on_with_another_worker(measuring: Measuring) -> None:
    # The test server never gives up a worker that has a workflow cached, as a real one does after ten seconds.
    measuring.pointsman.cached = 0
    settings = _settings(suite(8))
    alpha = measuring.says("alpha", _right, pause_s=0.05)
    await measuring.serve(settings)
    handle = await measuring.pointsman.env.client.start_workflow(
        EvalRun.run,
        EvalRequest(task=TASK, providers=("alpha",)),
        id=f"eval-{uuid.uuid4()}",
        task_queue=CATALOGUE_QUEUE,
    )
    await alpha.called.wait()
    await measuring.measure(settings)
    report = await handle.result()
    assert report.models[0].passed == 8
    assert len(alpha.requests) == 8


async def test_a_suite_that_changes_meanwhile_ends_the_run_with_a_sentence(measuring: Measuring) -> None:
    # The test server never gives up a worker that has a workflow cached, as a real one does after ten seconds.
    measuring.pointsman.cached = 0
    alpha = measuring.says("alpha", _right, pause_s=0.05)
    await measuring.serve(_settings(suite(8)))
    handle = await measuring.pointsman.env.client.start_workflow(
        EvalRun.run,
        EvalRequest(task=TASK, providers=("alpha",)),
        id=f"eval-{uuid.uuid4()}",
        task_queue=CATALOGUE_QUEUE,
    )
    await alpha.called.wait()
    await measuring.measure(_settings(suite(9)))
    with pytest.raises(WorkflowFailureError) as ended:
        await handle.result()
    kind, sentence = refusal(ended.value)
    assert kind == "RunRefused"
    assert sentence == f"the suite of {TASK}, or the configuration, was changed while alpha was asked; start it again"


@pytest.mark.parametrize(
    ("task", "providers", "sentence"),
    [
        ("gossip", (), "'gossip' is not a route; known: more, sums"),
        ("more", (), "there is no evaluation suite for 'more'; there are: sums (catalogue.evals names their folder)"),
        (TASK, ("omega",), "'omega' is no provider; known: alpha, beta, gamma"),
        (TASK, ("gamma",), "gamma is not enabled, so no worker asks it; enable it in the configuration"),
    ],
)
async def test_what_cannot_be_evaluated_is_refused_with_a_sentence(
    measuring: Measuring, task: str, providers: tuple[str, ...], sentence: str
) -> None:
    await measuring.serve(_settings(suite(2), routes={"more": ROUTE}, providers={"gamma": {"enabled": False}}))
    with pytest.raises(WorkflowFailureError) as ended:
        await measuring.evaluate(*providers, task=task)
    assert refusal(ended.value) == ("RunRefused", sentence)


def _judged_suite() -> EvalSuite:
    cases = [{"id": "poem", "prompt": "Write a verse.", "checks": [{"check": "judge", "rubric": "It rhymes."}]}]
    return EvalSuite.model_validate(
        {"task": TASK, "description": "verses", "threshold": 1.0, "judge": "judges", "cases": cases}
    )


def _judging(**vendors: str) -> Any:
    return _settings(
        _judged_suite(),
        routes={"judges": {"chain": ["alpha", "beta", "gamma"], "order": "chain"}},
        providers={name: {"vendor": vendor} for name, vendor in vendors.items()},
    )


async def test_another_vendors_model_judges_by_the_rubric(measuring: Measuring) -> None:
    measuring.says("alpha", lambda _: reply("Roses are red."))
    beta = measuring.says("beta", lambda _: reply("{}"))
    gamma = measuring.says("gamma", lambda _: reply('{"passed": false, "reason": "Nothing rhymes."}'))
    await measuring.serve(_judging(alpha="one", beta="one", gamma="two"))
    report = await measuring.evaluate("alpha")
    (result,) = report.models[0].results
    assert (result.outcome, result.reasons) == ("failed", ("judge: the judge says: Nothing rhymes.",))
    assert len(beta.requests) == 0
    (asked,) = gamma.requests
    assert json.loads(asked.question.text) == {
        "question": "Write a verse.",
        "context": "",
        "answer": "Roses are red.",
        "rubric": "It rhymes.",
    }
    assert result.judging_usd == pytest.approx(60e-6)


async def test_a_judge_that_cannot_be_asked_leaves_the_case_open(measuring: Measuring) -> None:
    measuring.says("alpha", lambda _: reply("Roses are red."))
    measuring.says("gamma", lambda _: failing(ErrorClass.CONFIG, "http_401", status=401))
    await measuring.serve(_judging(alpha="one", beta="one", gamma="two"))
    (model,) = (await measuring.evaluate("alpha")).models
    assert (model.errors, model.verdict) == (1, "inconclusive")
    assert model.results[0].reasons[0].startswith("no judge: ")


async def test_the_id_of_another_kind_of_workflow_is_no_run(measuring: Measuring) -> None:
    measuring.says("alpha", _right)
    await measuring.serve(_settings(suite(1)))
    temporal = measuring.pointsman.env.client
    evals, profiles = EvalClient(temporal), ProfileClient(temporal)
    run_id = await evals.start(EvalRequest(task=TASK, providers=("alpha",)))
    assert (await evals.report(run_id)).passed
    with pytest.raises(UnknownRun, match=f"of no run of `pointsman profile`; see `pointsman eval show {run_id}`"):
        await profiles.report(run_id)
    for client, kind in ((evals, "eval"), (profiles, "profile")):
        with pytest.raises(UnknownRun, match=rf"\(ProviderCatalogue\) .*; the id of one begins with {kind}-"):
            await client.report(CATALOGUE_ENTITY_ID)
        with pytest.raises(UnknownRun, match="no run has the id 'eval-none'"):
            await client.report("eval-none")
