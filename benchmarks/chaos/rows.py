"""Whether a row of the ledger says of a request what its provider knows of it."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.chaos.calls import CUT_OFF
from benchmarks.chaos.settings import INPUT_USD, MAX_TOKENS, MODELS, OUTPUT_USD
from pointsman.faults import WORKER_LOST
from pointsman.ledger.entry import LedgerEntry
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Behaviour, NoChoices, Reply, Tokens

_NANO_PER_TOKEN_PER_USD = 1000
_CUT_SHORT = {"timeout", "cancelled", WORKER_LOST.kind}
"""Kinds of rows, a probe's too, whose writers did not hear the provider out."""
_LONGEST_PROMPT_TOKENS = 200
"""Estimated of the longest prompt that is asked here, at most."""
_PROBE = Tokens(input=16, output=16)
"""What a probe is estimated at: `Reply with the word ok.`, and an answer of 16 tokens at most."""


def cut_short(row: LedgerEntry) -> bool:
    """Whether the row was written without the provider's last word."""
    return row.error_class in CUT_OFF or row.kind in _CUT_SHORT


def usage(told: Behaviour) -> Tokens | None:
    """The tokens that a provider has told with what it did."""
    match told:
        case Reply():
            return told.usage
        case NoChoices():
            return Tokens()
        case _:
            return None


def cost_nano_usd(tokens: Tokens) -> int:
    """What a provider bills."""
    return round(_NANO_PER_TOKEN_PER_USD * (tokens.input * INPUT_USD + tokens.output * OUTPUT_USD))


def mismatches(hit: Hit, told: Behaviour, row: LedgerEntry) -> Iterator[str]:
    """What of a row is not so: who was asked, what came of it, and what it cost."""
    if (row.provider, row.model) != (hit.name, MODELS[hit.name]):
        yield f"the row says {row.provider} ({row.model}), and {hit.name} was asked"
    if row.outcome not in _outcomes(hit, told, row):
        yield f"the row says {row.outcome} ({row.kind}), and {hit.name} did {told} ({hit.outcome})"
    if row.usage_source == "reported":
        yield from _misreported(told, row)
    else:
        yield from misestimated(row, usage(told))
        if row.purpose != "probe" and _heard(hit, told, row) and usage(told) is not None:
            yield f"the provider reported {usage(told)}, and the row ({row.outcome}, {row.kind}) estimates"


def misestimated(row: LedgerEntry, own: Tokens | None = None) -> Iterator[str]:
    """An estimate that is none: it has no cost, or more than such a call may cost, or another than its tokens cost."""
    if row.usage_source != "estimated":
        yield f"its usage is {row.usage_source}, and the price is known"
    if row.purpose == "probe":
        # Of a probe only the cost is kept.
        most = max(cost_nano_usd(_PROBE), cost_nano_usd(own or Tokens(0, 0)))
        if row.cost_nano_usd is None or not 0 <= row.cost_nano_usd <= most:
            yield f"{row.cost_nano_usd} nano-USD for a probe, which costs {most} at most"
        elif row.outcome == "answered" and own is not None and row.cost_nano_usd != cost_nano_usd(own):
            yield f"{row.cost_nano_usd} nano-USD for a probe, the provider counted {cost_nano_usd(own)}"
        return
    tokens = Tokens(row.input_tokens, row.output_tokens)
    if not (0 < tokens.input <= _LONGEST_PROMPT_TOKENS and 0 <= tokens.output <= MAX_TOKENS):
        yield f"estimated at {tokens.input} + {tokens.output} tokens, which no such call can have"
    if row.cost_nano_usd != cost_nano_usd(tokens):
        yield f"estimated at {row.cost_nano_usd} nano-USD, its tokens cost {cost_nano_usd(tokens)}"


def _outcomes(hit: Hit, told: Behaviour, row: LedgerEntry) -> frozenset[str]:
    """What may have come of it."""
    if cut_short(row):
        return frozenset({"failed", "cancelled"})
    if not (isinstance(told, Reply) and told.text_for(hit) and hit.outcome == "answered"):
        return frozenset({"failed"})
    return frozenset({"answered"})


def _heard(hit: Hit, told: Behaviour, row: LedgerEntry) -> bool:
    return isinstance(told, Reply) and hit.outcome == "answered" and not cut_short(row)


def _misreported(told: Behaviour, row: LedgerEntry) -> Iterator[str]:
    own = usage(told)
    if own is None and isinstance(told, Reply):
        yield "its usage is said to be reported, and the provider reported none"
        return
    tokens = own or Tokens(0, 0)
    if (row.input_tokens, row.output_tokens) != (tokens.input, tokens.output):
        yield f"{row.input_tokens} + {row.output_tokens} tokens, the provider counted {tokens}"
    elif row.cost_nano_usd != cost_nano_usd(tokens):
        yield f"{row.cost_nano_usd} nano-USD, the provider counted {cost_nano_usd(tokens)}"
