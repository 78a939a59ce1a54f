"""How much the catalogue may hold. Temporal takes no message of more than 2 MB, and the whole state is one.

The bounds below add up to less than 2 MB. They are in bytes of JSON, since entries differ: a usual profile of five
query types takes 1.1 kB, an evaluation 0.4 kB, a served model 0.2 kB, so that there is room for about 480, 900 and 700.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel
from pydantic_core import to_json

from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.events import EVENTS_KEPT, CatalogueEvent
from pointsman.catalogue.upgrade import Upgrade

ROOM = {"profiles": 550_000, "evaluations": 350_000, "served": 150_000}
"""Bytes of each table."""
ENTRY_BYTES = 10_000
"""Of one entry of these tables."""
UPGRADES_KEPT = 20
UPGRADE_BYTES = 24_000
EVENTS_BYTES = 200_000
WORKER_ID_CHARACTERS = 200

_Entry = TypeVar("_Entry", bound=BaseModel)


class TooLarge(ValueError):
    """Something for which the catalogue has no room; the sentence says what."""


def fitting(
    entries: Mapping[str, _Entry], key: str, entry: _Entry, *, room: int, taken_at: Callable[[_Entry], datetime]
) -> dict[str, _Entry]:
    """The entries with this one as the latest; where they outgrow the room, those that were taken first are dropped.

    Raises:
        TooLarge: the entry is no entry that anything of ours would write.
    """
    _check_entry(key, entry)
    sizes = {other: _size(other, held) for other, held in entries.items() if other != key}
    left = room - _size(key, entry) - sum(sizes.values())
    for other in sorted(sizes, key=lambda name: taken_at(entries[name])) if left < 0 else ():
        if left >= 0:
            break
        left += sizes.pop(other)
    return {**{other: entries[other] for other in sizes}, key: entry}


def shortened(upgrade: Upgrade) -> Upgrade:
    """The upgrade without its oldest steps, where it would outgrow its room.

    Raises:
        TooLarge: it does so with one step, too.
    """
    while _size(upgrade.provider, upgrade) > UPGRADE_BYTES:
        if len(upgrade.steps) <= 1:
            raise TooLarge(f"the record of the upgrade of {upgrade.provider[:64]} is larger than {UPGRADE_BYTES} bytes")
        upgrade = upgrade.model_copy(update={"steps": upgrade.steps[1:]})
    return upgrade


def with_upgrade(upgrades: Mapping[str, Upgrade], upgrade: Upgrade) -> dict[str, Upgrade]:
    """The upgrades with this one; beyond 20 those make room that are over, the oldest first.

    Raises:
        TooLarge: none of them is over.
    """
    kept = {**upgrades, upgrade.provider: shortened(upgrade)}
    while len(kept) > UPGRADES_KEPT:
        over = next((name for name, held in kept.items() if held.over and name != upgrade.provider), None)
        if over is None:
            raise TooLarge(
                f"{UPGRADES_KEPT} upgrades are kept and none of them is over; write the model of a promoted one into "
                "the configuration and end it with `pointsman upgrade rollback`"
            )
        del kept[over]
    return kept


def latest(events: tuple[CatalogueEvent, ...]) -> tuple[CatalogueEvent, ...]:
    """The last 200 events, or fewer where they are long."""
    kept, left = list[CatalogueEvent](), EVENTS_BYTES
    for event in reversed(events[-EVENTS_KEPT:]):
        left -= len(to_json(event)) + 1
        if left < 0:
            break
        kept.append(event)
    return tuple(reversed(kept))


def check(document: CatalogueDocument) -> None:
    """Whether there is room for a whole document.

    Raises:
        TooLarge: there is not; the sentence names the table and what to do.
    """
    for table, room in ROOM.items():
        entries: dict[str, BaseModel] = getattr(document, table)
        for key, entry in entries.items():
            _check_entry(key, entry)
        size = sum(_size(key, entry) for key, entry in entries.items())
        if size > room:
            raise TooLarge(f"{table}: {len(entries)} entries of {size} bytes, {room} bytes fit; leave some out")
    if len(document.upgrades) > UPGRADES_KEPT:
        raise TooLarge(
            f"upgrades: there are {len(document.upgrades)}, {UPGRADES_KEPT} fit; leave those out that are over"
        )
    for key, upgrade in document.upgrades.items():
        if _size(key, upgrade) > UPGRADE_BYTES:
            raise TooLarge(f"upgrades.{key[:64]}: larger than {UPGRADE_BYTES} bytes; leave out its oldest steps")


def _check_entry(key: str, entry: BaseModel) -> None:
    size = _size(key, entry)
    if size > ENTRY_BYTES:
        raise TooLarge(f"{key[:100]}: an entry of {size} bytes, {ENTRY_BYTES} fit; leave it out")


def _size(key: str, entry: BaseModel) -> int:
    """Bytes of an entry in the JSON of its table, with colon and comma."""
    return len(to_json(key)) + len(to_json(entry)) + 2
