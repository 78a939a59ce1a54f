"""What shadowing costs the questions that are shadowed: every one of them beside none, on one server, in turns.

The provider takes a third of a second, as a quick model does, and so does the new model. Questions come one after
another with a pause, in which shadows end: a machine that is busy with them to its last core is slower for everybody,
which says how many workers a fleet needs and nothing of what a question waits for.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from statistics import median

from activities.process_catalogue import ProcessCatalogue
from benchmarks.figures import Figure, Neighbour
from benchmarks.history import expense
from benchmarks.rounds import Size, Way
from benchmarks.stack import MODEL, PROMPT, PROVIDER, Stack
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, CATALOGUE_QUEUE, ProviderCatalogue
from pointsman.client import RouterClient
from pointsman.config_file import load
from workers.embedded.scripted.script import Reply
from workers.settings import Settings
from workers.wiring import build, build_measuring, make_completers

_NEW_MODEL = f"{MODEL}-new"
_REPLY_AFTER_S = 0.33
_PAUSE_S = 0.7
_PLAN = UpgradePlan(
    id="benchmark",
    provider=PROVIDER,
    base=MODEL,
    model=_NEW_MODEL,
    stage="shadowing",
    sample=1.0,
    daily_cost_cap_usd=1e6,
)


async def measure(stack: Stack, size: Size, tell: Callable[[str], None]) -> list[Figure]:
    """Ask in turns with the upgrade under way and without it; one question after another, as the pace allows."""
    tell("questions that are shadowed, beside others")
    stack.providers.script(PROVIDER, Reply(delay_s=_REPLY_AFTER_S))
    client, settings = stack.server.client, Settings.of(load(stack.config))
    catalogue = ProcessCatalogue(settings.configuration)
    workers = [
        *await build(client, settings, make_completers(settings), catalogue=catalogue),
        build_measuring(client, settings),
    ]
    router = RouterClient(client)
    entity = await client.start_workflow(
        ProviderCatalogue.run, None, id=CATALOGUE_ENTITY_ID, task_queue=CATALOGUE_QUEUE
    )
    shadowed, alone = Way(lambda: router.ask(PROMPT)), Way(lambda: router.ask(PROMPT))
    ways = {True: shadowed, False: alone}
    version = 0
    async with AsyncExitStack() as running:
        for worker in workers:
            await running.enter_async_context(worker)
        for number in range(size.rounds):
            for shadow in (True, False) if number % 2 else (False, True):
                version += 1
                plans = {PROVIDER: _PLAN} if shadow else {}
                catalogue.accept(CatalogueSnapshot(epoch=1, version=version, upgrades=plans))
                await ways[shadow].run_one_by_one(size, pause_s=_PAUSE_S)
        catalogue.accept(CatalogueSnapshot(epoch=1, version=version + 1, upgrades={PROVIDER: _PLAN}))
        question_id = await router.start(PROMPT)
        await router.answer(question_id)
        spent = await expense(client, question_id)
        await entity.terminate()
    hits = sum(hit.model == _NEW_MODEL.partition("/")[2] for hit in stack.providers.hits(PROVIDER))
    stack.providers.reset()
    asked = size.rounds * size.one_by_one
    return _figures(shadowed, alone, hits / asked, spent.events, spent.actions)


def _figures(shadowed: Way, alone: Way, shadows: float, events: int, actions: int) -> list[Figure]:
    p50s = [way.percentile_ms(50) for way in (shadowed, alone)]
    rounds = [median(one) / median(other) for one, other in zip(shadowed.round_ms, alone.round_ms, strict=True)]
    return [
        Figure(
            "shadowed_p50_ratio",
            "shadowed question, p50 over one that is not",
            p50s[0] / p50s[1],
            at_most=1.05,
            beside=(
                Neighbour("shadowed_p50_ms", "shadowed", p50s[0], "ms"),
                Neighbour("unshadowed_p50_ms", "not", p50s[1], "ms"),
                Neighbour("shadowed_p50_ratio_median_round", "median of the rounds", median(rounds)),
            ),
        ),
        Figure("shadows_per_question", "  shadows a question, of those that were to have one", shadows, at_least=0.95),
        Figure("shadowed_events", "shadowed question, events", events),
        Figure("shadowed_actions", "shadowed question, billable actions", actions),
    ]
