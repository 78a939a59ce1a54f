"""A vendor that begins to serve another model under the same name: what its answers are tagged with."""

from __future__ import annotations

from typing import Any

from activities.process_catalogue import MODEL_CHANGED, MODEL_DIFFERS, ProcessCatalogue
from activities.process_health import ProcessHealth
from pointsman.catalogue.served import ServedModel
from pointsman.catalogue.snapshot import CatalogueSnapshot
from tests.builders import configuration, provider_table
from tests.catalogues import NOON
from tests.wire.asking import MODELS, NAME, each_dialect
from tests.wire.calling import Activity
from workers.embedded.scripted.script import Reply, Tokens
from workers.embedded.scripted.server import ScriptedProviders


def activity(providers: ScriptedProviders, dialect: str = "openai", **throttling: Any) -> Activity:
    """One whose provider the process knows, with everything wired as in a worker."""
    settings = configuration({NAME: provider_table(model=MODELS[dialect])}, throttling=throttling)
    health, catalogue = ProcessHealth.of(settings, "worker"), ProcessCatalogue(settings)
    catalogue.on_change = health.begin_anew
    return Activity(providers, dialect, health=health, catalogue=catalogue)


@each_dialect
async def test_a_change_of_the_served_model_tags_the_answer_and_is_told(
    providers: ScriptedProviders, dialect: str
) -> None:
    asked = activity(providers, dialect)
    assert asked.catalogue is not None
    first = await asked.run(Reply("fine"))
    (report,) = asked.catalogue.take_served()
    assert (report.provider, report.served, first.model_notes) == (NAME, first.model_served, ())
    held = ServedModel(provider=NAME, model=MODELS[dialect], served=report.served, since=NOON)
    asked.catalogue.accept(CatalogueSnapshot(epoch=1, version=2, served={held.key: held}))
    again = await asked.run(Reply("fine"))
    assert again.model_notes == ()
    other = await asked.run(Reply("fine", model="something-else"))
    assert other.model_served == "something-else"
    assert other.model_notes == (MODEL_CHANGED,)


async def test_a_model_that_contradicts_its_dated_name_tags_the_first_answer(providers: ScriptedProviders) -> None:
    asked = activity(providers)
    named = "openai/gpt-5.2-2026-08-15"
    asked.model = named
    right = await asked.run(Reply("fine", model="gpt-5.2-2026-08-15"))
    assert right.model_notes == ()
    wrong = await asked.run(Reply("fine", model="gpt-5.2-2026-11-01"))
    assert wrong.model_notes == (MODEL_DIFFERS,)


async def test_a_change_of_the_served_model_begins_the_baselines_anew(providers: ScriptedProviders) -> None:
    """Answers of a new length are held against the old ones, unless another model gives them."""
    long, short = " ".join(f"word{number}" for number in range(60)), "short"
    asked = activity(providers, length_ratio=0.5, latency_factor=1e6)
    for _ in range(6):
        await asked.run(Reply(long, model="first", usage=Tokens(output=60)))
    assert (await asked.run(Reply(short, model="first", usage=Tokens(output=2)))).flags != ()
    await asked.run(Reply(short, model="second", usage=Tokens(output=2)))
    for _ in range(3):
        assert (await asked.run(Reply(short, model="second", usage=Tokens(output=2)))).flags == ()
