"""The port to the ledger, and its adapter, which keeps databases away from the event loop."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from threading import Condition, Thread
from typing import Protocol, Self

from temporalio import activity

from activities.ports import CallIdentity
from pointsman.call import ProviderCall
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.ledger.entry import NANO, LedgerEntry, LedgerUnavailable
from pointsman.outcomes import Attempt, AttemptOutcome

_log = logging.getLogger(__name__)

CANCELLED = "cancelled"
"""The kind of a probe that was cut off."""

_BATCH = 200
_FIRST_WAIT_S = 0.1
_WARN_FROM_S = 0.5
"""Two processes that write one file of SQLite may get in each other's way for a moment: that is no news."""
_LONGEST_WAIT_S = 5.0


class AttemptLedger(Protocol):
    """Takes the row of every attempt."""

    def record(self, entry: LedgerEntry) -> None:
        """Take a row; it never raises and never waits for a database."""
        ...


class NoLedger:
    """Keeps nothing: for tests, and where `[ledger]` is not enabled."""

    def record(self, entry: LedgerEntry) -> None:
        """Forget the row."""


class LedgerRows(Protocol):
    """Where rows are kept for good; `pointsman.ledger.database.Ledger` is one."""

    def write(self, entries: Sequence[LedgerEntry]) -> None:
        """Write all of them or raise."""
        ...


class BackgroundLedger:
    """Writes rows from one thread, in order, and tries again for as long as there is room for those that wait."""

    def __init__(self, rows: LedgerRows, *, room: int = 10_000, warn_every_s: float = 60.0) -> None:
        """Hold at most `room` rows that are not written yet; a database that is away for longer loses the newest."""
        self._rows = rows
        self._room = room
        self._warn_every_s = warn_every_s
        self._waiting = deque[LedgerEntry]()
        self._changed = Condition()
        self._give_up_at: float | None = None
        self._next_warning_at = 0.0
        self._lost = 0
        self._thread = Thread(target=self._run, name="ledger", daemon=True)
        self._thread.start()

    @property
    def lost(self) -> int:
        """Rows that were not kept, since the start."""
        return self._lost

    def record(self, entry: LedgerEntry) -> None:
        """Take a row to be written."""
        with self._changed:
            if self._give_up_at is None and len(self._waiting) < self._room:
                self._waiting.append(entry)
                self._changed.notify_all()
                return
        self._lose(1, "no room is left for rows that wait")

    def close(self, within_s: float = 5.0) -> None:
        """Write what waits; what is left after `within_s`, for which this blocks at most, is lost."""
        with self._changed:
            self._give_up_at = time.monotonic() + within_s
            self._changed.notify_all()
        self._thread.join(within_s)
        with self._changed:
            left = len(self._waiting)
            self._waiting.clear()
        if left:
            self._next_warning_at = 0.0
            self._lose(left, "the process ends")

    def _run(self) -> None:
        wait_s = _FIRST_WAIT_S
        while batch := self._next():
            try:
                self._write(batch)
            except LedgerUnavailable as fault:
                if wait_s >= _WARN_FROM_S:
                    self._warn(str(fault))
                if not self._slept(wait_s):
                    return
                wait_s = min(_LONGEST_WAIT_S, 2 * wait_s)
            else:
                wait_s = _FIRST_WAIT_S
                self._done(len(batch))

    def _next(self) -> list[LedgerEntry]:
        """The oldest rows that wait; none once this is closed and nothing waits."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._give_up_at is not None)
            return list(islice(self._waiting, _BATCH))

    def _write(self, batch: Sequence[LedgerEntry]) -> None:
        try:
            self._rows.write(batch)
        except LedgerUnavailable:
            raise
        except Exception as fault:  # noqa: BLE001 - a row that no database takes must not keep back the others
            if len(batch) == 1:
                self._lose(1, f"a row was not taken, {type(fault).__name__}")
                return
            for entry in batch:
                self._write([entry])

    def _done(self, count: int) -> None:
        with self._changed:
            for _ in range(min(count, len(self._waiting))):
                self._waiting.popleft()

    def _slept(self, seconds: float) -> bool:
        """Wait before the next try; `False` where the time to end has come first."""
        with self._changed:
            if self._give_up_at is None:
                self._changed.wait_for(lambda: self._give_up_at is not None, seconds)
            else:
                self._changed.wait(min(seconds, max(0.0, self._give_up_at - time.monotonic())))
            return self._give_up_at is None or time.monotonic() < self._give_up_at

    def _lose(self, count: int, reason: str) -> None:
        with self._changed:
            self._lost += count
        self._warn(reason)

    def _warn(self, reason: str) -> None:
        now = time.monotonic()
        with self._changed:
            if now < self._next_warning_at:
                return
            self._next_warning_at = now + self._warn_every_s
            waiting, lost = len(self._waiting), self._lost
        _log.warning("the ledger is not written (%s): %d rows wait, %d are lost so far", reason, waiting, lost)


@dataclass(frozen=True)
class ProbeRun:
    """The one attempt of a probe: how it is named at its provider and in the ledger."""

    identity: CallIdentity
    run_id: str
    started_at: datetime

    @classmethod
    def of_activity(cls) -> Self:
        """The probe that runs here as an activity."""
        info = activity.info()
        run_id = info.workflow_run_id or ""
        identity = CallIdentity(info.workflow_id or "", info.activity_id, info.attempt, run_id)
        return cls(identity, run_id, info.started_time)

    def entry(self, request: ProbeRequest, result: ProbeResult) -> LedgerEntry:
        """Its entry in the ledger; its tokens are few, and only their cost is told."""
        return LedgerEntry(
            workflow_id=self.identity.workflow_id,
            run_id=self.run_id,
            leg=self.identity.activity_id,
            attempt=self.identity.attempt,
            provider=request.provider,
            model=request.model,
            purpose="probe",
            outcome=_outcome(result),
            kind=result.kind or None,
            started_at=self.started_at,
            latency_ms=None if result.latency_s is None else round(result.latency_s * 1000, 1),
            usage_source="estimated",
            cost_nano_usd=None if result.cost_usd is None else round(result.cost_usd * NANO),
        )


def _outcome(result: ProbeResult) -> AttemptOutcome:
    if result.outcome is ProbeOutcome.SUCCESS:
        return "answered"
    return "cancelled" if result.kind == CANCELLED else "failed"


def entry_of(call: ProviderCall, row: Attempt) -> LedgerEntry:
    """The ledger's entry for an attempt of the activity that runs here."""
    info = activity.info()
    return LedgerEntry.of(
        row,
        workflow_id=info.workflow_id or "",
        run_id=info.workflow_run_id or "",
        leg=info.activity_id,
        started_at=info.started_time,
        query_type=call.query_type or None,
        task=call.question.task,
        # Who measures a model does so at no tenant's cost.
        tenant=None if call.measures else call.question.tenant,
    )
