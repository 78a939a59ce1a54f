"""Live answers told to the catalogue: each once, whatever becomes of a report."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from activities.process_catalogue import ProcessCatalogue
from pointsman.catalogue import entity
from pointsman.catalogue.observation_builder import ObservationBuilder
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.state import CatalogueState
from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.outcomes import ErrorClass, Purpose
from tests.builders import attempt, call, configuration
from tests.upgrades import BASE, NEW, NOON, arm, shown


def test_nothing_seen_is_nothing_to_tell() -> None:
    assert ObservationBuilder("w").due() is None


def test_a_report_is_due_again_until_it_is_known_to_have_arrived() -> None:
    builder = ObservationBuilder("w")
    builder.add("u", NEW, arm(1))
    first = builder.due()
    builder.add("u", NEW, arm(2))
    assert first is not None
    assert builder.due() == first
    builder.arrived(first.seq)
    second = builder.due()
    assert second is not None
    assert (second.seq, second.arms["u"][NEW].calls) == (2, 2)
    builder.arrived(1)
    assert builder.due() == second


def test_the_catalogue_takes_a_report_that_comes_twice_once() -> None:
    upgrade = shown().model_copy(update={"stage": "promoting", "share": 0.1})
    document = CatalogueState(epoch=1, now=NOON).document.model_copy(update={"upgrades": {"alpha": upgrade}})
    state = CatalogueState(epoch=1, now=NOON, document=document)
    builder = ObservationBuilder("w")
    builder.add("u-1", NEW, arm(3))
    report = builder.due()
    assert report is not None
    for _ in range(2):
        state, _ = entity.take_observations(state, report, now=NOON)
    assert state.document.upgrades["alpha"].live_new.calls == 3


def _process(stage: str) -> ProcessCatalogue:
    plan = {"id": "u", "provider": "alpha", "base": BASE, "model": NEW, "stage": stage, "share": 0.5}
    process = ProcessCatalogue(configuration())
    process.accept(CatalogueSnapshot(epoch=1, version=1, upgrades={"alpha": UpgradePlan.model_validate(plan)}))
    return process


@pytest.mark.parametrize(("stage", "told"), [("promoting", True), ("shadowing", False), ("rolled_back", False)])
def test_live_answers_are_told_while_a_new_model_serves(stage: str, *, told: bool) -> None:
    process = _process(stage)
    process.ended(call(), attempt())
    assert (process.observations.due() is not None) is told


@pytest.mark.parametrize("purpose", ["shadow", "eval", "profile", "classification"])
def test_only_answers_are_told(purpose: Purpose) -> None:
    process = _process("promoting")
    process.ended(call().model_copy(update={"purpose": purpose}), attempt())
    assert process.observations.due() is None


def test_other_models_and_our_own_faults_are_not_told() -> None:
    process = _process("promoting")
    process.ended(call(), attempt(model="openai/another"))
    process.ended(call(), attempt("beta"))
    process.ended(call(), attempt(outcome="cancelled", error_class=ErrorClass.CANCEL))
    assert process.observations.due() is None


def test_a_promoted_model_is_told_of_until_it_is_not_watched_any_more() -> None:
    process = _process("promoted")
    held = process.snapshot.upgrades["alpha"]
    until = datetime(2026, 12, 8, tzinfo=UTC)
    process.snapshot = process.snapshot.model_copy(
        update={"upgrades": {"alpha": held.model_copy(update={"watched_until": until})}}
    )
    process.clock = lambda: until.timestamp() + 1
    process.ended(call(), attempt())
    assert process.observations.due() is None
    process.clock = lambda: until.timestamp() - 1
    process.ended(call(), attempt())
    assert process.observations.due() is not None
