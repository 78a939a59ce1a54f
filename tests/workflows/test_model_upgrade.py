"""A whole upgrade: its suites, its shadows, its steps, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import is_cancelled_exception
from temporalio.testing import WorkflowEnvironment

from pointsman import Question
from pointsman.catalogue.upgrade import Upgrade
from pointsman.configuration import Configuration
from pointsman.errors import CatalogueRefused, InvalidUpgrade, UnknownProvider
from pointsman.outcomes import ErrorClass
from pointsman.provider import Price
from tests.fakes import HANG, Step, failing, reply
from tests.upgrades import BASE, NEW
from tests.workflows.conftest import configuration
from tests.workflows.measuring import ROUTE, TASK, Examinee, rightly, suite, with_suites
from tests.workflows.upgrading import Upgrading

pytestmark = pytest.mark.asyncio(loop_scope="module")
_SETTLED_S = 20.0


@pytest_asyncio.fixture(loop_scope="module", params=[1000, 0], ids=["cached", "replayed"])
async def upgrading(env: WorkflowEnvironment, request: pytest.FixtureRequest) -> AsyncGenerator[Upgrading]:
    running = Upgrading(env, request.param)
    yield running
    await running.stop()


def _settings(*, suites: bool = True, **upgrade: Any) -> Configuration:
    settings = configuration(routes={TASK: ROUTE}, upgrade={"min_shadows": 3, "min_live": 3, "sample": 1.0, **upgrade})
    return with_suites(settings, suite(5)) if suites else settings


async def _left(upgrading: Upgrading, stage: str = "evaluating") -> Upgrade:
    """The upgrade, once it is not in this stage any more."""
    for _ in range(400):
        upgrade = (await upgrading.upgrades.status())["alpha"]
        if upgrade.stage != stage:
            return upgrade
        await asyncio.sleep(0.05)
    raise AssertionError(f"the upgrade is still {stage}")


async def _ended(upgrading: Upgrading) -> None:
    await upgrading.env.client.get_workflow_handle("model-upgrade-alpha").result()


async def test_a_new_model_that_stands_its_suites_is_shadowed(upgrading: Upgrading) -> None:
    upgrading.alpha.models[NEW] = Examinee(says=lambda prompt: reply(rightly(prompt)))
    await upgrading.serve(settings=_settings())
    begun = await upgrading.upgrades.start("alpha", NEW, sample=0.2, operator="ada", note="cheaper")
    assert (begun.stage, begun.base, begun.sample, begun.price) == ("evaluating", BASE, 0.2, _price())
    upgrade = await _left(upgrading)
    assert (upgrade.stage, upgrade.evaluations[0].passed, upgrading.alpha.calls(BASE)) == ("shadowing", 5, 0)
    assert [(step.stage, step.operator) for step in upgrade.steps] == [("evaluating", "ada"), ("shadowing", "")]


def _price() -> Any:
    return configuration().providers["alpha"].price


async def test_a_new_model_that_fails_a_suite_is_refused_and_another_may_be_tried(upgrading: Upgrading) -> None:
    upgrading.alpha.models[NEW] = Examinee(says=lambda _: reply("no idea"))
    await upgrading.serve(settings=_settings())
    await upgrading.upgrades.start("alpha", NEW)
    upgrade = await _left(upgrading)
    assert (upgrade.stage, upgrade.steps[-1].reason) == ("refused", "it failed the suite of sums")
    await _ended(upgrading)
    other = "openai/model-2026-12-01"
    upgrading.alpha.models[other] = Examinee(says=lambda prompt: reply(rightly(prompt)))
    assert (await upgrading.upgrades.start("alpha", other)).model == other


async def test_without_a_suite_a_new_model_is_shadowed_at_once(upgrading: Upgrading) -> None:
    await upgrading.serve(settings=_settings(suites=False))
    await upgrading.upgrades.start("alpha", NEW)
    upgrade = await _left(upgrading)
    assert (upgrade.stage, upgrade.steps[-1].reason) == ("shadowing", "no task of the provider has a suite")


async def test_a_suite_that_came_to_no_verdict_may_be_tried_again(upgrading: Upgrading) -> None:
    upgrading.alpha.script(NEW, failing(ErrorClass.QUOTA, "out_of_quota", status=402))
    await upgrading.serve(settings=_settings())
    await upgrading.upgrades.start("alpha", NEW)
    await _ended(upgrading)
    upgrade = (await upgrading.upgrades.status())["alpha"]
    assert (upgrade.stage, upgrade.inconclusive) == ("evaluating", True)
    with pytest.raises(CatalogueRefused, match="came to no verdict; start the upgrade again"):
        await upgrading.upgrades.promote("alpha")
    upgrading.alpha.models[NEW] = Examinee(says=lambda prompt: reply(rightly(prompt)))
    await upgrading.upgrades.start("alpha", NEW)
    assert (await _left(upgrading)).stage == "shadowing"


async def test_what_no_provider_could_serve_is_refused_with_a_sentence(upgrading: Upgrading) -> None:
    await upgrading.serve(settings=_settings())
    with pytest.raises(UnknownProvider, match="'delta' is no provider; known: alpha, beta, gamma"):
        await upgrading.upgrades.start("delta", NEW)
    with pytest.raises(InvalidUpgrade, match="give a model that begins with openai/"):
        await upgrading.upgrades.start("alpha", "anthropic/other-2026-12-01")
    with pytest.raises(InvalidUpgrade, match="configured with"):
        await upgrading.upgrades.start("alpha", BASE)
    with pytest.raises(InvalidUpgrade, match="model: "):
        await upgrading.upgrades.start("alpha", "no-slash")
    with pytest.raises(InvalidUpgrade, match="sample: "):
        await upgrading.upgrades.start("alpha", NEW, sample=1.5)
    with pytest.raises(InvalidUpgrade, match="share: "):
        await upgrading.upgrades.promote("alpha", share=2.0)
    with pytest.raises(CatalogueRefused, match="no upgrade of 'alpha' is on record"):
        await upgrading.upgrades.roll_back("alpha")


async def test_a_provider_without_a_price_is_upgraded_only_with_one(upgrading: Upgrading) -> None:
    await upgrading.serve(settings=configuration(providers={"gamma": {"price": None}}))
    with pytest.raises(InvalidUpgrade, match="gamma has no price, so that the day's cap of shadows could not hold"):
        await upgrading.upgrades.start("gamma", NEW)
    begun = await upgrading.upgrades.start("gamma", NEW, price=Price(input=1.0, output=2.0))
    assert begun.price == Price(input=1.0, output=2.0)


async def test_rolling_back_ends_an_evaluation_under_way(upgrading: Upgrading) -> None:
    upgrading.alpha.script(NEW, HANG)
    await upgrading.serve(settings=_settings())
    await upgrading.upgrades.start("alpha", NEW)
    with pytest.raises(CatalogueRefused, match="is being evaluated"):
        await upgrading.upgrades.start("alpha", NEW)
    assert (await upgrading.upgrades.roll_back("alpha", operator="ada")).stage == "rolled_back"
    with pytest.raises(WorkflowFailureError) as ended:
        await _ended(upgrading)
    assert is_cancelled_exception(ended.value.cause)
    assert (await upgrading.upgrades.start("alpha", "openai/model-2026-12-01")).stage == "evaluating"
    await upgrading.upgrades.roll_back("alpha")


async def _shadowed(upgrading: Upgrading, count: int) -> None:
    """So many questions whose shadows the catalogue has been told of."""
    held = 0
    async with asyncio.timeout(_SETTLED_S):
        while held < count:
            answer = await upgrading.ask("How many apples are left?")
            if answer.decision.shadow is not None:
                await upgrading.shadow()
            await upgrading.exchange()
            held = (await upgrading.upgrades.status())["alpha"].shadows.new.calls


async def _promoted(upgrading: Upgrading, new: Step) -> None:
    """Alpha's new model, with all questions after three good shadows, and then a script of its own."""
    upgrading.alpha.script(BASE, reply("It is 5."))
    upgrading.alpha.script(NEW, reply("The answer is 5."))
    await upgrading.serve(settings=_settings(suites=False))
    await upgrading.upgrades.start("alpha", NEW)
    await _left(upgrading)
    await upgrading.exchange()
    with pytest.raises(CatalogueRefused, match="has 0 comparisons and 3 are wanted"):
        await upgrading.upgrades.promote("alpha")
    await _shadowed(upgrading, 3)
    upgrade = await upgrading.upgrades.promote("alpha", share=1.0, operator="ada")
    assert (upgrade.stage, upgrade.shadow_comparison().verdict) == ("promoted", "better_or_equal")
    upgrading.alpha.script(NEW, new)
    await upgrading.exchange()


async def test_a_promoted_model_answers_and_one_that_fails_is_rolled_back_by_itself(upgrading: Upgrading) -> None:
    await _promoted(upgrading, failing(ErrorClass.QUALITY, "length", status=None))
    providers = [(await upgrading.ask()).provider for _ in range(4)]
    assert set(providers) == {"beta"}
    await upgrading.exchange()
    upgrade = (await upgrading.upgrades.status())["alpha"]
    assert (upgrade.stage, upgrade.share) == ("rolled_back", 0.0)
    assert "worse in errors" in upgrade.steps[-1].reason
    answer = await upgrading.ask()
    assert answer.model_requested == BASE


async def test_a_question_under_way_finishes_on_the_model_that_its_decision_names(upgrading: Upgrading) -> None:
    await _promoted(upgrading, HANG)
    asked = await upgrading.start(Question(prompt="How many apples are left?"))
    await upgrading.alpha.models[NEW].called.wait()
    await upgrading.upgrades.roll_back("alpha", operator="ada")
    await upgrading.exchange()
    decided = await asked.query("decision", result_type=None)
    assert decided["candidates"][0]["model"] == NEW
    assert (await upgrading.ask()).model_requested == BASE
    await asked.cancel()
    with pytest.raises(WorkflowFailureError):
        await asked.result()
