"""The catalogue's rules: what a measurement, an observation and an operator change, and what they do not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from pointsman.catalogue import entity
from pointsman.catalogue.commands import (
    AcceptModel,
    BeginUpgrade,
    ImportCatalogue,
    PromoteUpgrade,
    RollBackUpgrade,
)
from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.entity import CommandRefused, OfTheFuture
from pointsman.catalogue.observations import Observations
from pointsman.catalogue.state import REPORTERS_KEPT, CatalogueState
from pointsman.query_types import QueryType
from tests import upgrades
from tests.catalogues import MODEL, NOON, SERVED, evaluation, figures, holding, profile, seen, served, state

LATER = NOON + timedelta(hours=1)
KEY = f"alpha/{MODEL}"
OTHER = "model-2026-09-09"


def kinds(events: tuple[Any, ...]) -> list[str]:
    return [event.kind for event in events]


def test_a_profile_is_kept_and_told_and_raises_the_version() -> None:
    after, events = entity.take_profile(state(), profile(), now=LATER)
    assert after.document.profiles == {KEY: profile()}
    assert (kinds(events), events[0].target, events[0].at) == (["profiled"], KEY, LATER)
    assert (after.version, after.now, after.events) == (2, LATER, events)


def test_a_newer_profile_takes_the_place_of_the_older_and_never_the_other_way_round() -> None:
    old, new = profile(), profile(answered=3, measured_at=LATER)
    after, _ = entity.take_profile(state(old), new, now=LATER)
    assert after.document.profiles == {KEY: new}
    assert entity.take_profile(after, old, now=LATER) == (after, ())


def test_a_profile_of_what_is_served_now_accepts_it() -> None:
    waiting = served(served=OTHER, before=SERVED, accepted=False)
    of_now, of_before = profile(model_served=OTHER), profile()
    assert entity.take_profile(state(waiting), of_now, now=NOON)[0].document.served[KEY].accepted
    assert not entity.take_profile(state(waiting), of_before, now=NOON)[0].document.served[KEY].accepted


def test_what_is_dated_in_the_future_is_refused_since_it_would_never_grow_old() -> None:
    future = NOON + timedelta(days=2)
    with pytest.raises(OfTheFuture, match="lies in the future"):
        entity.take_profile(state(), profile(measured_at=future), now=NOON)
    with pytest.raises(OfTheFuture, match="lies in the future"):
        entity.take_evaluation(state(), evaluation(evaluated_at=future), now=NOON)
    for told in (profile(measured_at=future), evaluation(evaluated_at=future), served(since=future)):
        with pytest.raises(CommandRefused, match="2026-12-03 lies in the future; correct it"):
            entity.import_catalogue(state(), ImportCatalogue(document=holding(told)), now=NOON)
    assert entity.take_profile(state(), profile(measured_at=LATER), now=NOON)[1], "clocks may differ a little"


def test_an_evaluation_takes_the_place_of_the_last_one_of_its_task_and_model() -> None:
    other = evaluation(task="classify")
    failed = evaluation(passed=3, verdict="failed", evaluated_at=LATER)
    after, events = entity.take_evaluation(state(evaluation(), other), failed, now=LATER)
    assert after.document.evaluations == {f"extract/{KEY}": failed, f"classify/{KEY}": other}
    assert (kinds(events), events[0].detail) == (["evaluated"], "3 of 20 cases passed, failed")
    assert after.version == 2


@pytest.mark.parametrize(
    "found", [evaluation(verdict="inconclusive", evaluated_at=LATER), evaluation(evaluated_at=NOON - timedelta(1))]
)
def test_an_inconclusive_or_older_evaluation_is_told_and_leaves_the_earlier_one(found: Any) -> None:
    held = state(evaluation())
    after, events = entity.take_evaluation(held, found, now=LATER)
    assert (after.document, after.version) == (held.document, held.version)
    assert kinds(events) == kinds(after.events) == ["evaluated"]


def test_the_first_model_served_is_noted_without_an_event() -> None:
    after, events = entity.take_served(state(), seen(), now=NOON)
    assert after.document.served == {KEY: served()}
    assert (events, after.version) == ((), 2)
    assert entity.take_served(after, seen(at=LATER), now=LATER) == (after, ())


def test_a_change_of_the_model_served_is_an_event_and_waits_to_be_accepted() -> None:
    after, events = entity.take_served(state(served()), seen(OTHER, at=LATER), now=LATER)
    assert after.document.served[KEY] == served(served=OTHER, since=LATER, before=SERVED, accepted=False)
    assert (kinds(events), events[0].alarming) == (["model_changed"], True)
    assert events[0].detail == f"{SERVED} before, {OTHER} now"


def test_a_report_that_comes_late_does_not_turn_the_model_served_back() -> None:
    held, _ = entity.take_served(state(served()), seen(OTHER, at=LATER), now=LATER)
    late = seen(SERVED, at=LATER - timedelta(seconds=1))
    assert entity.take_served(held, late, now=LATER) == (held, ())


def test_a_process_whose_clock_is_ahead_does_not_silence_the_others() -> None:
    held, _ = entity.take_served(state(), seen(at=NOON + timedelta(days=300)), now=NOON)
    assert kinds(entity.take_served(held, seen(OTHER, at=LATER), now=LATER)[1]) == ["model_changed"]


def test_a_served_model_that_contradicts_a_dated_name_is_an_event_also_the_first_time() -> None:
    assert kinds(entity.take_served(state(), seen(OTHER, dated=True), now=NOON)[1]) == ["model_differs"]
    assert entity.take_served(state(), seen(OTHER, dated=False), now=NOON)[1] == ()
    assert entity.take_served(state(), seen(SERVED, dated=True), now=NOON)[1] == ()
    both = entity.take_served(state(served()), seen(OTHER, dated=True, at=LATER), now=LATER)[1]
    assert kinds(both) == ["model_changed", "model_differs"]


def test_an_operator_accepts_what_waits_at_one_provider_with_his_name_on_record() -> None:
    waiting = served(served=OTHER, before=SERVED, accepted=False)
    elsewhere = served("beta", served=OTHER, before=SERVED, accepted=False)
    command = AcceptModel(provider="alpha", operator="ada", note="they told us")
    after, events = entity.accept_model(state(waiting, elsewhere), command, now=NOON)
    assert after.document.served[KEY] == waiting.model_copy(update={"accepted": True})
    assert after.document.served[elsewhere.key] == elsewhere
    assert [(one.kind, one.target, one.operator, one.note) for one in events] == [
        ("model_accepted", KEY, "ada", "they told us")
    ]
    with pytest.raises(CommandRefused, match="nothing that 'alpha' serves has changed; see `pointsman catalogue show`"):
        entity.accept_model(after, command, now=NOON)


def test_an_import_puts_a_document_in_place_of_all_and_keeps_events_and_epoch() -> None:
    held, _ = entity.take_profile(state(served()), profile("gamma"), now=NOON)
    told = holding(profile(), evaluation())
    after, events = entity.import_catalogue(held, ImportCatalogue(document=told, operator="ada"), now=LATER)
    assert after.document == told
    assert (after.epoch, after.version) == (held.epoch, held.version + 1)
    assert (events[0].detail, events[0].operator) == ("1 profiles, 1 evaluations, 0 upgrades", "ada")
    assert kinds(after.events) == ["profiled", "imported"]


def test_an_upgrade_goes_its_way_by_its_own_rules() -> None:
    begun, _ = entity.begin_upgrade(state(), upgrades.order(), now=NOON)
    with pytest.raises(CommandRefused, match="before another one begins"):
        entity.begin_upgrade(begun, upgrades.order(id="u-2"), now=NOON)
    shadowing, events = entity.take_upgrade_evaluation(begun, upgrades.report("passed"), now=NOON)
    assert (kinds(events), shadowing.snapshot().upgrades["alpha"].stage) == (["upgrade_shadowing"], "shadowing")
    assert list(shadowing.document.evaluations) == [f"task-0/alpha/{upgrades.NEW}"]
    over, _ = entity.roll_back(shadowing, RollBackUpgrade(provider="alpha", operator="ada"), now=NOON)
    assert over.document.upgrades["alpha"].stage == "rolled_back"
    assert over.version > shadowing.version > begun.version > 1
    again, _ = entity.begin_upgrade(over, upgrades.order(id="u-2"), now=NOON)
    assert again.document.upgrades["alpha"].id == "u-2"


def test_what_concerns_an_upgrade_that_is_not_there_changes_nothing_or_is_refused() -> None:
    held = state()
    assert entity.take_shadow(held, upgrades.result(), now=NOON) == (held, ())
    assert entity.take_upgrade_evaluation(held, upgrades.report(), now=NOON) == (held, ())
    unknown = "no upgrade of 'alpha' is on record; begin one with"
    with pytest.raises(CommandRefused, match=unknown):
        entity.promote(held, PromoteUpgrade(provider="alpha"), now=NOON)
    with pytest.raises(CommandRefused, match=unknown):
        entity.roll_back(held, RollBackUpgrade(provider="alpha"), now=NOON)


def test_a_tally_that_grows_raises_no_version_but_a_shadows_cost_does() -> None:
    held = state().model_copy(update={"document": CatalogueDocument(upgrades={"alpha": upgrades.shadowing()})})
    free, events = entity.take_shadow(held, upgrades.result(spent_usd=0.0), now=NOON)
    assert (free.version, events) == (held.version, ())
    assert free.document.upgrades["alpha"].shadows.new.calls == 1
    assert entity.take_shadow(held, upgrades.result(), now=NOON)[0].version == held.version + 1


def test_observations_that_come_twice_count_once() -> None:
    promoting = upgrades.shown().model_copy(update={"stage": "promoting", "share": 0.1})
    held = state().model_copy(update={"document": CatalogueDocument(upgrades={"alpha": promoting})})
    told = Observations(worker_id="w", seq=2, arms={"u-1": {upgrades.NEW: upgrades.arm(3)}})
    once, _ = entity.take_observations(held, told, now=NOON)
    assert once.document.upgrades["alpha"].live_new.calls == 3
    assert entity.take_observations(once, told, now=NOON) == (once, ())
    earlier = told.model_copy(update={"seq": 1})
    assert entity.take_observations(once, earlier, now=NOON) == (once, ())
    assert entity.take_observations(once, told.model_copy(update={"worker_id": "v"}), now=NOON)[0] != once


def test_the_last_thousand_reporters_are_remembered() -> None:
    held = state()
    for number in range(REPORTERS_KEPT + 5):
        held, _ = entity.take_observations(held, Observations(worker_id=f"w{number}", seq=1, arms={}), now=NOON)
        if number == 3:
            held, _ = entity.take_observations(held, Observations(worker_id="w0", seq=2, arms={}), now=NOON)
    assert len(held.reporters) == REPORTERS_KEPT
    assert "w4" not in held.reporters
    assert list(held.reporters)[-1] == f"w{REPORTERS_KEPT + 4}"


def test_a_refused_message_is_told_and_changes_nothing_else() -> None:
    held = state(profile())
    after, events = entity.note_refused(held, "Profile: ValidationError", now=NOON)
    assert (after.document, after.version) == (held.document, held.version)
    assert (kinds(events), events[0].alarming) == (["message_refused"], True)


def test_time_never_goes_back() -> None:
    held = entity.take_profile(state(), profile(), now=LATER)[0]
    back, _ = entity.take_served(held, seen(), now=NOON)
    assert back.now == LATER
    assert isinstance(back, CatalogueState)


def test_figures_and_results_that_contradict_themselves_are_refused() -> None:
    for changes in ({"passed": 13}, {"samples": 11}):
        with pytest.raises(ValidationError, match="passed must not exceed answered, nor answered samples"):
            figures(**changes)
    with pytest.raises(ValidationError, match="passed and errors together must not exceed cases"):
        evaluation(errors=2)


def test_what_stands_under_another_key_is_refused_with_the_right_one() -> None:
    with pytest.raises(ValidationError, match=f"profiles.beta holds what belongs to {KEY}; give it that key"):
        CatalogueDocument(profiles={"beta": profile()})


def test_a_command_without_a_provider_is_refused() -> None:
    for kind in (AcceptModel, PromoteUpgrade, RollBackUpgrade, BeginUpgrade):
        with pytest.raises(ValidationError):
            kind.model_validate({})


def test_a_profile_that_was_hardly_answered_leaves_the_one_before_and_is_told() -> None:
    good, bad = profile(), profile(answered=2, measured_at=LATER)
    after, events = entity.take_profile(state(good), bad, now=LATER)
    assert after.document.profiles == {KEY: good}
    assert kinds(events) == ["profile_kept"]
    assert events[0].detail.startswith("fewer than 3 answers to analysis, code_task,")


def test_a_first_profile_is_kept_however_little_was_answered() -> None:
    after, _ = entity.take_profile(state(), profile(answered=1), now=LATER)
    assert after.document.profiles[KEY].figures[QueryType.ANALYSIS].answered == 1


def test_an_evaluation_that_comes_twice_is_told_once() -> None:
    once, events = entity.take_evaluation(state(), evaluation(), now=LATER)
    assert kinds(events) == ["evaluated"]
    assert entity.take_evaluation(once, evaluation(), now=LATER) == (once, ())


def test_a_new_model_whose_breaker_opens_alone_is_rolled_back() -> None:
    promoted = upgrades.shown().model_copy(update={"stage": "promoting", "share": 0.5})
    held = CatalogueState(epoch=1, now=NOON, document=CatalogueDocument(upgrades={"alpha": promoted}))
    told = Observations(worker_id="w", seq=1, arms={}, broken=("u-1",))
    after, events = entity.take_observations(held, told, now=NOON)
    assert after.document.upgrades["alpha"].stage == "rolled_back"
    assert kinds(events) == ["upgrade_rolled_back"]
    assert entity.take_observations(after, told.model_copy(update={"seq": 2}), now=NOON)[1] == ()
