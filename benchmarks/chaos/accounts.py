"""Whether the ledger matches what the providers themselves have counted, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.chaos.calls import CUT_OFF, Call, call_of
from benchmarks.chaos.settings import INPUT_USD, OUTPUT_USD
from benchmarks.chaos.witness import Evidence
from pointsman.ledger.entry import LedgerEntry
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Behaviour, NoChoices, Reply, Tokens

_NANO_PER_TOKEN_PER_USD = 1000
WRITTEN_WITHIN_S = 6.0
"""Until a row is in the file: another process may hold it for the 5 s that SQLite is patient."""


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
    faults: list[str] = field(default_factory=list[str])


def accounts(evidence: Evidence) -> Accounts:
    """Compare request by request."""
    found = Accounts()
    rows = {_call(row): row for row in evidence.rows}
    hits = {call_of(hit): hit for hit in evidence.hits}
    for call, hit in hits.items():
        row = rows.get(call)
        if row is not None:
            found.faults += [f"{call}: {fault}" for fault in _compare(hit, evidence.behaviour(hit), row, found)]
        elif _killed_meanwhile(evidence, hit):
            found.lost += 1
        else:
            found.faults.append(f"{call}: no row, and no worker was killed then")
    for call, row in rows.items():
        if call in hits:
            continue
        if row.error_class in CUT_OFF or row.kind in {"timeout", "cancelled", "connection"}:
            found.unsent += 1
        else:
            found.faults.append(f"{call}: a row ({row.outcome}, {row.kind}) and no request")
    return found


def _compare(hit: Hit, told: Behaviour, row: LedgerEntry, found: Accounts) -> Iterator[str]:
    own = _tokens(told)
    if row.purpose == "probe":
        # Of a probe only the cost is kept, and that estimated.
        found.estimated += 1
    elif row.usage_source == "reported":
        tokens = own or Tokens(0, 0)
        found.reported += 1
        found.reported_nano_usd += row.cost_nano_usd or 0
        found.counted_nano_usd += cost_nano_usd(tokens)
        if (row.input_tokens, row.output_tokens) != (tokens.input, tokens.output):
            yield f"{row.input_tokens} + {row.output_tokens} tokens, the provider counted {tokens}"
        elif row.cost_nano_usd != cost_nano_usd(tokens):
            yield f"{row.cost_nano_usd} nano-USD, the provider counted {cost_nano_usd(tokens)}"
    else:
        found.estimated += 1
        if isinstance(told, Reply) and own is not None and hit.outcome == "answered":
            found.unheard += 1
            if row.error_class not in CUT_OFF and row.kind != "timeout":
                yield f"the provider reported {own}, and the row ({row.outcome}, {row.kind}) estimates"


def cost_nano_usd(tokens: Tokens) -> int:
    """What a provider bills."""
    return round(_NANO_PER_TOKEN_PER_USD * (tokens.input * INPUT_USD + tokens.output * OUTPUT_USD))


def _tokens(told: Behaviour) -> Tokens | None:
    match told:
        case Reply():
            return told.usage
        case NoChoices():
            return Tokens()
        case _:
            return None


def _killed_meanwhile(evidence: Evidence, hit: Hit) -> bool:
    return any(
        killed.target == "worker" and hit.started <= killed.at + 1 and killed.at <= hit.started + WRITTEN_WITHIN_S
        for killed in evidence.killed
    )


def _call(row: LedgerEntry) -> Call:
    return Call(row.workflow_id, row.leg, row.attempt, row.run_id)
