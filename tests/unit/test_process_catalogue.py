"""What a process notices of the models behind the names, tells the fleet, and forgets for it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from activities.process_catalogue import MODEL_CHANGED, MODEL_DIFFERS, ProcessCatalogue
from activities.process_health import ProcessHealth
from pointsman.catalogue.observations import ServedReport
from pointsman.catalogue.served import ServedModel
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.catalogue.view import UNREAD
from pointsman.hedge_delay import CallClass
from tests.builders import configuration, provider_table
from tests.catalogues import MODEL, SERVED, served
from tests.upgrades import BASE, NEW

KEY = f"alpha/{MODEL}"
OTHER = "model-2026-09-09"


@dataclass
class Process:
    """One process with a clock, and with what it was told to begin anew."""

    now: float = 1000.0
    anew: list[str] = field(default_factory=list[str])
    catalogue: ProcessCatalogue = field(init=False)

    def __post_init__(self) -> None:
        alias = provider_table(model="openai/model-latest")
        settings = configuration({"alpha": provider_table(), "alias": alias})
        self.catalogue = ProcessCatalogue(settings, on_change=self.anew.append, monotonic=lambda: self.now)

    def reads(self, version: int, *seen: ServedModel) -> None:
        held = {one.key: one for one in seen}
        self.catalogue.accept(CatalogueSnapshot(epoch=1, version=version, served=held))

    def saw(self, what: str | None, provider: str = "alpha", model: str = MODEL) -> tuple[str, ...]:
        return self.catalogue.saw(provider, model, what)

    def told(self) -> list[tuple[str, str]]:
        return [(report.provider, report.served) for report in self.catalogue.take_served()]


@pytest.fixture
def process() -> Process:
    return Process()


def test_the_first_model_served_is_told_and_is_no_change(process: Process) -> None:
    assert process.catalogue.snapshot is UNREAD
    assert process.saw(SERVED) == ()
    assert process.told() == [("alpha", SERVED)]
    assert process.told() == []
    process.reads(2, served())
    assert process.saw(SERVED) == ()
    process.now += 1000
    assert process.saw(SERVED) == ()
    assert (process.told(), process.anew) == ([], [])


def test_another_model_tags_the_answer_is_told_and_begins_the_baselines_anew_once(process: Process) -> None:
    process.reads(2, served())
    assert process.saw(SERVED) == ()
    assert process.saw(OTHER) == (MODEL_DIFFERS, MODEL_CHANGED)
    assert process.anew == [KEY]
    assert process.told() == [("alpha", OTHER)]
    assert process.saw(OTHER) == (MODEL_DIFFERS, MODEL_CHANGED)
    process.reads(3, served(served=OTHER, before=SERVED, accepted=False))
    assert process.saw(OTHER) == (MODEL_DIFFERS, MODEL_CHANGED), "until it is accepted"
    process.reads(4, served(served=OTHER, before=SERVED, accepted=True))
    assert process.saw(OTHER) == (MODEL_DIFFERS,), "it still contradicts its dated name"
    assert process.anew == [KEY]


def test_a_name_without_a_date_is_contradicted_by_no_model(process: Process) -> None:
    assert process.saw("model-v1", "alias", "openai/model-latest") == ()
    assert process.saw("model-v2", "alias", "openai/model-latest") == ()
    assert process.anew == ["alias/openai/model-latest"]


def test_the_new_model_of_an_upgrade_is_a_name_of_its_own(process: Process) -> None:
    process.reads(2, served())
    process.saw(SERVED)
    assert process.saw("model-2026-11-01", model="openai/model-2026-11-01") == ()
    assert process.anew == []
    (report,) = process.catalogue.take_served()
    assert (report.model, report.dated) == ("openai/model-2026-11-01", True)


def test_a_process_hears_of_a_change_from_the_others_and_begins_anew_too(process: Process) -> None:
    process.reads(2, served())
    process.saw(SERVED)
    process.reads(3, served(served=OTHER, before=SERVED, accepted=False))
    assert process.anew == [KEY]
    process.saw(OTHER)
    assert process.anew == [KEY]


def test_a_snapshot_that_has_not_heard_of_it_yet_changes_nothing_of_what_a_process_saw(process: Process) -> None:
    process.reads(2, served())
    process.saw(SERVED)
    process.saw(OTHER)
    for version in range(3, 9):
        process.reads(version, served())
        process.saw(OTHER)
    assert process.anew == [KEY]


def test_what_the_first_snapshot_says_is_no_change(process: Process) -> None:
    process.saw(OTHER)
    process.reads(2, served())
    process.reads(3, served(served=OTHER, before=SERVED, accepted=False))
    assert process.anew == []


def test_a_vendor_that_serves_two_models_in_turn_is_told_of_twice_a_minute(process: Process) -> None:
    process.reads(2, served())
    told = 0
    for _ in range(600):
        process.saw(SERVED)
        process.saw(OTHER)
        told += len(process.told())
        process.now += 0.5
    assert told == 10


def test_what_is_held_back_is_told_when_its_time_has_come_without_another_answer(process: Process) -> None:
    for number in range(3):
        process.saw(f"model-{number}")
        assert process.told() == ([("alpha", f"model-{number}")] if number < 2 else [])
    process.now += 59
    assert process.told() == []
    process.now += 1
    assert process.told() == [("alpha", "model-2")]


def test_what_is_held_back_and_holds_no_more_is_not_told(process: Process) -> None:
    process.reads(2, served())
    for what in ("b", "c", "d"):
        process.saw(what)
        process.told()
    process.saw(SERVED)
    process.now += 61
    assert process.told() == []


def test_a_change_right_after_the_first_report_is_told_at_once(process: Process) -> None:
    process.saw(SERVED)
    assert process.told() == [("alpha", SERVED)]
    process.reads(2, served())
    process.saw(OTHER)
    assert process.told() == [("alpha", OTHER)]


def test_one_provider_that_is_told_of_does_not_silence_another(process: Process) -> None:
    process.saw(SERVED)
    process.saw("model-v1", "alias", "openai/model-latest")
    assert process.told() == [("alpha", SERVED), ("alias", "model-v1")]


def test_what_may_not_have_arrived_is_told_again_unless_there_is_something_newer(process: Process) -> None:
    process.saw(SERVED)
    due = process.catalogue.take_served()
    process.catalogue.give_back(due)
    assert process.catalogue.take_served() == due
    process.now += 61
    process.saw(OTHER)
    process.catalogue.give_back(due)
    assert process.told() == [("alpha", OTHER)]


@pytest.mark.parametrize("what", [None, ""])
def test_a_vendor_that_does_not_say_what_it_serves_is_no_change(process: Process, what: str | None) -> None:
    process.reads(2, served())
    process.saw(SERVED)
    assert process.saw(what) == ()
    assert (process.told(), process.anew) == ([], [])


@pytest.mark.parametrize("what", ["m" * 100_000, "\ud800", "\x00\u202e"])
def test_whatever_a_vendor_says_it_serves_costs_no_answer_and_fits_into_a_report(process: Process, what: str) -> None:
    process.saw(what)
    (report,) = process.catalogue.take_served()
    assert 0 < len(report.served) <= 300
    assert ServedReport.model_validate_json(report.model_dump_json()) == report


def test_a_provider_that_the_configuration_does_not_have_is_nobodys_business(process: Process) -> None:
    assert process.saw(SERVED, "omega") == ()
    assert process.told() == []


def test_beginning_anew_forgets_one_model_of_one_provider() -> None:
    health = ProcessHealth.of(configuration(), "worker")
    classes = [CallClass("alpha", MODEL, "analysis", 1), CallClass("alpha", "openai/new", "analysis", 1)]
    classes.append(CallClass("beta", MODEL, "analysis", 1))
    for call in classes:
        health.samples.record(call, "success", 0.5, 1.0)
    health.begin_anew(KEY)
    assert [health.samples.count(call, 1.0) for call in classes] == [0, 1, 1]


@pytest.mark.parametrize(
    ("open_models", "told"), [({NEW}, ("u-1",)), ({NEW, BASE}, ()), ({BASE}, ()), (set[str](), ())]
)
def test_a_breaker_of_the_new_model_that_is_open_alone_is_told(open_models: set[str], told: tuple[str, ...]) -> None:
    plan = UpgradePlan(id="u-1", provider="alpha", base=BASE, model=NEW, stage="promoting", share=0.5)
    catalogue = ProcessCatalogue(configuration(), is_open=lambda key: key.partition("/")[2] in open_models)
    catalogue.accept(CatalogueSnapshot(epoch=1, version=1, upgrades={"alpha": plan}))
    catalogue.look_at_breakers()
    due = catalogue.observations.due()
    assert (() if due is None else due.broken) == told
