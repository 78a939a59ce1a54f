"""The catalogue fits into one message of Temporal's, whatever is sent to it; what does not fit is refused."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic_core import to_json

from pointsman.catalogue import entity, room
from pointsman.catalogue.commands import ImportCatalogue, PromoteUpgrade, RollBackUpgrade
from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.entity import CommandRefused
from pointsman.catalogue.observations import Observations
from pointsman.catalogue.room import ROOM, TooLarge
from pointsman.catalogue.state import CatalogueState
from tests import upgrades
from tests.catalogues import NOON, evaluation, holding, profile, seen, served, state

BLOB_LIMIT = 2_000_000
"""Bytes of a message that Temporal takes, rounded down."""


def _at(index: int) -> datetime:
    return NOON + timedelta(seconds=index)


def _full() -> CatalogueState:
    """One to which more of everything has been sent than it has room for."""
    held = state(
        *(profile(f"p{index}", measured_at=_at(index)) for index in range(400)),
        *(evaluation(f"p{index}", evaluated_at=_at(index)) for index in range(800)),
        *(served(f"p{index}", since=_at(index)) for index in range(550)),
    )
    for index in range(400, 550):
        held, _ = entity.take_profile(held, profile(f"p{index}", measured_at=_at(index)), now=_at(index))
    for index in range(800, 1000):
        held, _ = entity.take_evaluation(held, evaluation(f"p{index}", evaluated_at=_at(index)), now=_at(index))
    for index in range(550, 950):
        for model in ("a", "b"):
            held, _ = entity.take_served(held, seen(f"model-{model}", f"p{index}", at=_at(index)), now=_at(index))
    return held


def test_endless_messages_leave_the_state_within_what_temporal_takes() -> None:
    held = _full()
    assert len(to_json(held)) < BLOB_LIMIT
    assert len(to_json(held.snapshot())) < BLOB_LIMIT
    for table, room_ in ROOM.items():
        assert room_ * 0.95 < len(to_json(getattr(held.document, table))) <= room_ + 2
    for entries, last in (
        (held.document.profiles, 550),
        (held.document.evaluations, 1000),
        (held.document.served, 950),
    ):
        names = {entry.provider for entry in entries.values()}
        assert names == {f"p{index}" for index in range(last - len(names), last)}, "the oldest make room"
        assert len(names) > 400


def test_a_thousand_models_as_they_usually_are_would_pass_the_limit() -> None:
    """Why there are bounds: a thousand models with the results of three suites are more than a message may hold."""
    names = [f"provider-{index}" for index in range(1000)]
    results = [evaluation(name, task) for name in names for task in ("classify", "extract", "synthesise")]
    everything = holding(*map(profile, names), *results, *map(served, names))
    assert len(to_json(everything)) > BLOB_LIMIT


def test_a_state_that_is_full_of_the_longest_of_everything_is_within_it_too() -> None:
    held, note = state(), "\u0001" * 500
    long = "m" * 3000
    for index in range(250):
        name, at = f"{index}", NOON + timedelta(seconds=index)
        held, _ = entity.take_profile(held, profile(name, model=f"x/{long}", measured_at=at), now=at)
        held, _ = entity.take_evaluation(held, evaluation(name, model=f"x/{long}", evaluated_at=at), now=at)
        for model in ("a", "b"):
            held, _ = entity.take_served(held, seen(model + long, name, at=at, dated=True), now=at)
    for index in range(1200):
        worker = f"{index}".ljust(room.WORKER_ID_CHARACTERS, "w")[: room.WORKER_ID_CHARACTERS]
        held, _ = entity.take_observations(held, Observations(worker_id=worker, seq=1, arms={}), now=NOON)
    for index in range(room.UPGRADES_KEPT):
        full = upgrades.shown(upgrades.shadowing(provider=f"p{index}", daily_cost_cap_usd=100), provider=f"p{index}")
        held = held.model_copy(
            update={
                "document": held.document.model_copy(update={"upgrades": {**held.document.upgrades, f"p{index}": full}})
            }
        )
        for percent in range(1, 60):
            command = PromoteUpgrade(provider=f"p{index}", share=percent / 100, operator="o" * 100, note=note)
            held, _ = entity.promote(held, command, now=NOON)
    assert len(held.document.upgrades) == room.UPGRADES_KEPT
    assert max(len(to_json(one)) for one in held.document.upgrades.values()) <= room.UPGRADE_BYTES
    assert len(to_json(held)) < BLOB_LIMIT


def test_the_bounds_add_up_to_less_than_the_limit() -> None:
    most = sum(ROOM.values()) + room.UPGRADES_KEPT * room.UPGRADE_BYTES + room.EVENTS_BYTES
    reporters = 1000 * (room.WORKER_ID_CHARACTERS + 20)
    assert most + reporters < BLOB_LIMIT


@pytest.mark.parametrize("what", [profile(model=f"x/{'m' * 20_000}"), evaluation(task="t" * 20_000)])
def test_an_entry_that_nothing_of_ours_would_write_is_refused_and_drops_no_other(what: Any) -> None:
    held = state(profile("p0"), evaluation("p0"))
    take = entity.take_profile if hasattr(what, "figures") else entity.take_evaluation
    with pytest.raises(TooLarge, match="bytes, 10000 fit"):
        take(held, what, now=NOON)


def test_a_process_without_end_to_its_name_is_refused() -> None:
    with pytest.raises(TooLarge, match="worker_id"):
        entity.take_observations(state(), Observations(worker_id="w" * 201, seq=1, arms={}), now=NOON)


def test_the_last_events_are_kept_and_fewer_where_they_are_long() -> None:
    held = state()
    for number in range(250):
        held, _ = entity.note_refused(held, f"{number}", now=NOON)
    assert [event.detail for event in held.events] == [f"{number}" for number in range(50, 250)]
    for number in range(300):
        held, _ = entity.note_refused(held, f"{number} {'x' * 3000}", now=NOON)
    assert 50 < len(held.events) < 200
    assert held.events[-1].detail.startswith("299 ")
    assert len(to_json(held.events)) <= room.EVENTS_BYTES + 2


def test_beyond_twenty_upgrades_those_that_are_over_make_room_and_never_one_under_way() -> None:
    held = state()
    for index in range(room.UPGRADES_KEPT):
        held, _ = entity.begin_upgrade(held, upgrades.order(provider=f"p{index}"), now=NOON)
    late = upgrades.order(provider="late")
    with pytest.raises(CommandRefused, match="20 upgrades are kept and none of them is over"):
        entity.begin_upgrade(held, late, now=NOON)
    held, _ = entity.roll_back(held, RollBackUpgrade(provider="p7"), now=NOON)
    held, _ = entity.begin_upgrade(held, late, now=NOON)
    assert len(held.document.upgrades) == room.UPGRADES_KEPT
    assert "p7" not in held.document.upgrades


def test_an_import_for_which_there_is_no_room_is_refused_with_the_tables_name() -> None:
    many = [served(f"p{index}") for index in range(1000)]
    tall = upgrades.begun(note="x" * 400)
    steps = tall.model_copy(update={"steps": tall.steps * 60})
    ended = {f"p{index}": upgrades.begun(provider=f"p{index}") for index in range(21)}
    for told, sentence in (
        (holding(*many), r"served: 1000 entries of \d+ bytes, 150000 bytes fit; leave some out"),
        (holding(profile(model=f"x/{'m' * 20_000}")), "an entry of .* fit; leave it out"),
        (CatalogueDocument(upgrades={"alpha": steps}), "upgrades.alpha: larger than 24000 bytes"),
        (CatalogueDocument(upgrades=ended), "upgrades: there are 21, 20 fit"),
    ):
        with pytest.raises(CommandRefused, match=sentence):
            entity.import_catalogue(state(), ImportCatalogue(document=told), now=NOON)


def test_whatever_the_catalogue_holds_it_takes_back() -> None:
    """An export of a full catalogue can be imported: nothing grows beyond what an import may hold."""
    held = _full()
    after, _ = entity.import_catalogue(state(), ImportCatalogue(document=held.document), now=held.now)
    assert after.document == held.document
