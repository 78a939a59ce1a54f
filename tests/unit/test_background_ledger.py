"""The ledger's own thread: no call waits for a database, and rows are lost only where it stays away."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

import pytest

from activities.ledger import BackgroundLedger
from pointsman.ledger.entry import LedgerEntry, LedgerUnavailable
from tests.builders import ledger_entry as entry

LONG_S = 30.0


@dataclass
class Rows:
    """A database: away until `back` is set, and one that takes no row of the attempts in `refused`."""

    back: Event = field(default_factory=Event)
    tried: Event = field(default_factory=Event)
    refused: tuple[int, ...] = ()
    written: list[int] = field(default_factory=list[int])

    def write(self, entries: Sequence[LedgerEntry]) -> None:
        self.tried.set()
        if not self.back.is_set():
            raise LedgerUnavailable("it is away")
        numbers = [row.attempt for row in entries]
        if set(numbers) & set(self.refused):
            raise ValueError("no such row")
        self.written.extend(numbers)


def _back(refused: tuple[int, ...] = ()) -> Rows:
    rows = Rows(refused=refused)
    rows.back.set()
    return rows


def test_closing_writes_what_waits_in_order() -> None:
    rows = _back()
    ledger = BackgroundLedger(rows)
    for number in range(1000):
        ledger.record(entry(number))
    ledger.close(LONG_S)
    assert (rows.written, ledger.lost) == (list(range(1000)), 0)


def test_rows_wait_for_a_database_that_comes_back() -> None:
    rows = Rows()
    ledger = BackgroundLedger(rows)
    ledger.record(entry(1))
    assert rows.tried.wait(LONG_S)
    ledger.record(entry(2))
    rows.back.set()
    ledger.close(LONG_S)
    assert (rows.written, ledger.lost) == ([1, 2], 0)


def test_what_has_no_room_is_lost_counted_and_warned_about_once(caplog: pytest.LogCaptureFixture) -> None:
    rows = Rows()
    ledger = BackgroundLedger(rows, room=2)
    for number in range(10):
        ledger.record(entry(number))
    assert ledger.lost == 8
    (warning,) = caplog.records
    assert (warning.levelno, "2 rows wait, 1 are lost so far" in warning.getMessage()) == (logging.WARNING, True)
    rows.back.set()
    ledger.close(LONG_S)
    assert rows.written == [0, 1]


def test_closing_without_a_database_ends_and_says_what_is_lost(caplog: pytest.LogCaptureFixture) -> None:
    ledger = BackgroundLedger(Rows())
    ledger.record(entry(1))
    ledger.close(within_s=0.05)
    assert ledger.lost == 1
    assert "the process ends" in caplog.text
    ledger.record(entry(2))
    assert ledger.lost == 2


def test_a_row_that_no_database_takes_keeps_none_back(caplog: pytest.LogCaptureFixture) -> None:
    rows = _back(refused=(3, 5))
    ledger = BackgroundLedger(rows, warn_every_s=0)
    for number in range(8):
        ledger.record(entry(number))
    ledger.close(LONG_S)
    assert (rows.written, ledger.lost) == ([0, 1, 2, 4, 6, 7], 2)
    assert "a row was not taken, ValueError" in caplog.text


def test_an_idle_ledger_ends_at_once() -> None:
    ledger = BackgroundLedger(_back())
    ledger.close(LONG_S)
    assert ledger.lost == 0
