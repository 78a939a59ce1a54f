"""Whether the ledger matches what the providers themselves have counted, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.chaos import kills
from benchmarks.chaos.calls import Call, call_of
from benchmarks.chaos.rows import cost_nano_usd, cut_short, misestimated, mismatches, usage
from benchmarks.chaos.witness import Evidence
from pointsman.faults import WORKER_LOST
from pointsman.ledger.entry import LedgerEntry
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Behaviour, Reply, Tokens

_NEVER_SENT = "connection"
"""The kind of a call whose request did not reach its provider."""


@dataclass
class Accounts:
    """The ledger beside the providers' own count."""

    reported: int = 0
    """Rows with the tokens that the provider has told."""
    reported_nano_usd: int = 0
    counted_nano_usd: int = 0
    """What the providers say that those calls cost."""
    estimated: int = 0
    unheard: int = 0
    """Estimated rows of answers that were given, and that nobody was there to hear any more."""
    unsent: int = 0
    """Rows of calls that were cut off before they were sent."""
    lost: int = 0
    """Requests of a process that was killed before their row was in the file."""
    at_risk: int = 0
    """Requests of a process that was killed while they were under way, or had just ended."""
    faults: list[str] = field(default_factory=list[str])


def accounts(evidence: Evidence) -> Accounts:
    """Compare request by request."""
    found = Accounts()
    rows = {call_of_row(row): row for row in evidence.rows}
    hits = {call_of(hit): hit for hit in evidence.hits}
    completed = {one.call for run in evidence.runs for one in run.recorded if one.how == "completed"}
    for call, hit in hits.items():
        found.at_risk += kills.unwritten(evidence, hit, hit.ended)
        row = rows.get(call)
        if row is not None:
            told = evidence.behaviour(hit)
            _count(hit, told, row, found)
            faults = [*mismatches(hit, told, row), *_unfinished(evidence, hit, row, completed)]
            found.faults += [f"{call}: {fault}" for fault in faults]
        elif kills.unwritten(evidence, hit, hit.started):
            found.lost += 1
        else:
            found.faults.append(f"{call}: no row, and its process was not killed then")
    for call, row in rows.items():
        if call not in hits:
            found.unsent += 1
            found.faults += [f"{call}: {fault}" for fault in _without_request(evidence, row)]
    return found


def call_of_row(row: LedgerEntry) -> Call:
    """Whose row this is."""
    return Call(row.workflow_id, row.leg, row.attempt, row.run_id)


def _count(hit: Hit, told: Behaviour, row: LedgerEntry, found: Accounts) -> None:
    own = usage(told)
    if row.usage_source == "reported":
        found.reported += 1
        found.reported_nano_usd += row.cost_nano_usd or 0
        found.counted_nano_usd += cost_nano_usd(own or Tokens(0, 0))
    else:
        found.estimated += 1
        told_in_vain = row.purpose != "probe" and isinstance(told, Reply) and own is not None
        found.unheard += told_in_vain and hit.outcome == "answered"


def _unfinished(evidence: Evidence, hit: Hit, row: LedgerEntry, completed: set[Call]) -> Iterator[str]:
    """A row that was never brought to its end, and one that does not tell of the answer that is in history."""
    if row.kind == WORKER_LOST.kind:
        if not kills.unwritten(evidence, hit, hit.ended):
            yield "the row is left at worker_lost, and its process was not killed then"
    elif call_of(hit) in completed and row.outcome != "answered":
        yield f"the row says {row.outcome} ({row.kind}), and its completion is in history"


def _without_request(evidence: Evidence, row: LedgerEntry) -> Iterator[str]:
    if row.usage_source != "reported":
        yield from misestimated(row)
    elif row.cost_nano_usd != 0:
        yield f"{row.cost_nano_usd} nano-USD are said to be reported, and there was no request"
    if not cut_short(row) and row.kind != _NEVER_SENT:
        yield f"a row ({row.outcome}, {row.kind}) and no request"
    elif row.outcome == "answered":
        yield f"a row that was answered ({row.kind}) and no request"
    elif row.kind == WORKER_LOST.kind and not kills.unsent(evidence, row.started_at):
        yield "a row that is left at worker_lost without a request, and no worker was killed then"
