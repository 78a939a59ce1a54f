"""The demo's second half: a model is measured, one upgrade is refused by its evaluation, and one is promoted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import cycle

from temporalio.client import Client

from pointsman.catalogue.upgrade import Stage, Upgrade, share_words
from pointsman.cli.profile_table import print_report
from pointsman.cli.upgrade_table import print_upgrades
from pointsman.client import RouterClient
from pointsman.errors import CatalogueRefused, NoWorker
from pointsman.examination.case import Case
from pointsman.measuring.request import ProfileRequest
from pointsman.messages import Question
from pointsman.profile_client import ProfileClient
from pointsman.upgrade_client import UpgradeClient
from workers.embedded.answers import CARELESS

PROVIDER = "small-openai"
TASK = "extract"
"""Whose questions are shadowed: the scripted providers know the answers to its suite."""
POINTS = 3
CAREFUL_MODEL = "openai/gpt-5-mini-2026-10-01"
CARELESS_MODEL = f"openai/gpt-5-{CARELESS}-2026-10-01"
_OPERATOR = "demo"
_LOOKS, _LOOK_EVERY_S = 300, 0.2

Tell = Callable[[str], None]


async def measure(client: Client, cases: Sequence[Case], tell: Tell) -> bool:
    """Measure and upgrade one provider; whether all went as the demo is there to show.

    `cases` are of the task whose questions are shadowed.
    """
    await _profile(client, tell)
    router, upgrades = RouterClient(client), UpgradeClient(client)
    # What an earlier demo promoted is taken back.
    with suppress(CatalogueRefused, NoWorker):
        await upgrades.roll_back(PROVIDER, operator=_OPERATOR, note="a new demo")
    refused = await _evaluated(upgrades, CARELESS_MODEL, tell)
    shadowed = await _evaluated(upgrades, CAREFUL_MODEL, tell)
    if shadowed.stage != "shadowing":
        print_upgrades([refused, shadowed])
        return False
    await _shadow(router, upgrades, cases, shadowed, tell)
    promoted = await _promoted(upgrades, tell)
    print_upgrades([refused, promoted])
    taken_over = await _answered_by(router, cases[0], CAREFUL_MODEL)
    tell(f"questions there are {'now' if taken_over else 'still not'} answered by {CAREFUL_MODEL}")
    return refused.stage == "refused" and taken_over


async def _profile(client: Client, tell: Tell) -> None:
    tell(f"{PROVIDER} is measured: {POINTS} benchmark questions of each type, as `pointsman profile run` does")
    profiles = ProfileClient(client)
    run_id = await profiles.start(ProfileRequest(providers=(PROVIDER,), samples=POINTS))
    print_report(await profiles.report(run_id))


async def _evaluated(upgrades: UpgradeClient, model: str, tell: Tell) -> Upgrade:
    tell(f"upgrade of {PROVIDER} to {model}: its suites first, as `pointsman upgrade start` does")
    await upgrades.start(PROVIDER, model, sample=1.0, operator=_OPERATOR)
    upgrade = await _until(upgrades, lambda found: found.model == model and found.stage != "evaluating")
    tell(f"  {upgrade.stage}: {upgrade.steps[-1].reason}")
    return upgrade


async def _shadow(
    router: RouterClient, upgrades: UpgradeClient, cases: Sequence[Case], upgrade: Upgrade, tell: Tell
) -> None:
    wanted = upgrade.settings.min_shadows
    tell(f"live questions are shadowed, {wanted} at least: the new model is asked besides, and nobody waits for it")
    for case in cycle(cases):
        await router.ask(_question(case))
        upgrade = (await upgrades.status())[PROVIDER]
        if upgrade.shadows.new.calls >= wanted:
            return
        # A fleet shadows a few questions a second and lets the others pass.
        await asyncio.sleep(_LOOK_EVERY_S)


async def _promoted(upgrades: UpgradeClient, tell: Tell) -> Upgrade:
    stage: Stage = "shadowing"
    while stage != "promoted":
        upgrade = await upgrades.promote(PROVIDER, operator=_OPERATOR)
        stage = upgrade.stage
        tell(f"  promoted to {share_words(upgrade.share)}")
    return await _until(upgrades, lambda found: found.stage == "promoted")


async def _answered_by(router: RouterClient, case: Case, model: str) -> bool:
    """Whether a question is soon answered by this model: workers look at the catalogue once a second."""
    for _ in range(_LOOKS):
        if (await router.ask(_question(case))).model_requested == model:
            return True
        await asyncio.sleep(_LOOK_EVERY_S)
    return False


async def _until(upgrades: UpgradeClient, reached: Callable[[Upgrade], bool]) -> Upgrade:
    found: Upgrade | None = None
    for _ in range(_LOOKS):
        found = (await upgrades.status()).get(PROVIDER)
        if found is not None and reached(found):
            return found
        await asyncio.sleep(_LOOK_EVERY_S)
    raise TimeoutError(f"the upgrade of {PROVIDER} does not go on: {None if found is None else found.stage}")


def _question(case: Case) -> Question:
    return case.question().model_copy(update={"task": TASK, "allow": (PROVIDER,)})
