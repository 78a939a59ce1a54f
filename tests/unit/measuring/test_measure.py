"""How questions become calls: in lots that fit a payload, past the filters of a decision."""

from __future__ import annotations

from typing import Any

import pytest
from temporalio.exceptions import ApplicationError

from activities.measure import LOT_BYTES, LOT_QUESTIONS, Measure
from activities.process_catalogue import ProcessCatalogue
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.upgrade import Stage, UpgradePlan
from pointsman.configuration import Configuration
from pointsman.evals.suite import EvalSuite
from pointsman.measuring.request import EvalRequest
from pointsman.measuring.sitting import Lot, LotRequest
from tests.builders import configuration, provider_table


def _settings(cases: list[dict[str, Any]], **provider: Any) -> Configuration:
    suite = EvalSuite.model_validate({"task": "sums", "description": "d", "threshold": 0.9, "cases": cases})
    providers = {"alpha": provider_table(**provider), "beta": provider_table()}
    routes = {"sums": {"chain": ["alpha", "beta"], "timeout_s": 7.0, "query_type": "code_task"}}
    return configuration(providers, routes=routes).model_copy(update={"suites": {"sums": suite}})


def _case(number: int, **fields: Any) -> dict[str, Any]:
    return {"id": f"c{number}", "prompt": "x", "checks": [{"check": "exact", "value": "y"}], **fields}


async def _lots(settings: Configuration) -> list[Lot]:
    measure = Measure(settings)
    plan = await measure.plan_eval(EvalRequest(task="sums", providers=("alpha",)))
    lots: list[Lot] = []
    start: int | None = 0
    while start is not None:
        lots.append(await measure.next_lot(LotRequest(sitting=plan.sittings[0], start=start)))
        start = lots[-1].following
    return lots


async def test_a_lot_holds_twenty_questions_at_most() -> None:
    lots = await _lots(_settings([_case(number) for number in range(45)]))
    assert [len(lot.questions) for lot in lots] == [LOT_QUESTIONS, LOT_QUESTIONS, 5]
    assert [question.id for lot in lots for question in lot.questions] == [f"c{number}" for number in range(45)]


async def test_a_lot_fits_into_a_payload_also_where_the_questions_are_long() -> None:
    lots = await _lots(_settings([_case(number, prompt="x" * 150_000) for number in range(6)]))
    assert [len(lot.questions) for lot in lots] == [2, 2, 2]
    assert all(len(lot.model_dump_json()) <= LOT_BYTES for lot in lots)


async def test_one_question_that_is_larger_than_a_lot_is_a_lot() -> None:
    assert [len(lot.questions) for lot in await _lots(_settings([_case(1, prompt="x" * 900_000), _case(2)]))] == [1, 1]


async def test_a_call_is_made_past_the_filters_with_the_routes_timeout() -> None:
    settings = _settings(
        [_case(1, response_schema={"type": "object"})], supports=[], price={"input": 1e6, "output": 1e6}
    )
    (lot,) = await _lots(settings)
    call = lot.questions[0].call
    assert (call.purpose, call.last_candidate, call.query_type) == ("eval", True, "code_task")
    assert (call.candidate.timeout_s, call.question.deadline_s) == (7.0, 300.0)


async def test_a_slow_provider_has_time_for_its_retries() -> None:
    settings = _settings([_case(1)], timeout_s=500.0)
    route = settings.routes["sums"].model_copy(update={"timeout_s": None})
    (lot,) = await _lots(settings.model_copy(update={"routes": {"sums": route}}))
    assert lot.questions[0].call.question.deadline_s == 2000.0


async def test_never_more_at_once_than_the_provider_takes() -> None:
    assert (await _lots(_settings([_case(1)], max_concurrent=2)))[0].at_once == 2
    assert (await _lots(_settings([_case(1)], max_concurrent=50)))[0].at_once == 4


async def test_another_suite_than_the_planned_one_is_refused() -> None:
    plan = await Measure(_settings([_case(1)])).plan_eval(EvalRequest(task="sums"))
    with pytest.raises(ApplicationError, match="was changed while alpha was asked"):
        await Measure(_settings([_case(2)])).next_lot(LotRequest(sitting=plan.sittings[0], start=0))


async def test_a_provider_named_twice_sits_once() -> None:
    plan = await Measure(_settings([_case(1)])).plan_eval(EvalRequest(task="sums", providers=("beta", "beta")))
    assert [sitting.provider for sitting in plan.sittings] == ["beta"]


@pytest.mark.parametrize(
    ("stage", "share", "models"),
    [
        ("shadowing", 0.0, ["openai/model-2026-01-01"]),
        ("promoting", 0.1, ["openai/model-2026-01-01", "openai/new-2026-11-01"]),
        ("promoted", 1.0, ["openai/new-2026-11-01"]),
        ("rolled_back", 0.0, ["openai/model-2026-01-01"]),
    ],
)
async def test_the_models_that_serve_are_measured(stage: Stage, share: float, models: list[str]) -> None:
    settings = _settings([_case(1)])
    catalogue = ProcessCatalogue(settings)
    plan = UpgradePlan(
        id="u",
        provider="alpha",
        base="openai/model-2026-01-01",
        model="openai/new-2026-11-01",
        stage=stage,
        share=share,
    )
    catalogue.accept(CatalogueSnapshot(epoch=1, version=2, upgrades={"alpha": plan}))
    planned = await Measure(settings, catalogue).plan_eval(EvalRequest(task="sums", providers=("alpha",)))
    assert [sitting.model for sitting in planned.sittings] == models


async def test_more_answers_than_a_report_can_carry_are_refused() -> None:
    settings = _settings([_case(number) for number in range(200)])
    providers = {f"p{number}": settings.providers["alpha"] for number in range(11)}
    measure = Measure(settings.model_copy(update={"providers": providers}))
    with pytest.raises(ApplicationError, match=r"11 models and 200 questions each are more than the 2,000 answers"):
        await measure.plan_eval(EvalRequest(task="sums", providers=tuple(providers)))
    assert len((await measure.plan_eval(EvalRequest(task="sums", providers=("p1", "p2")))).sittings) == 2
