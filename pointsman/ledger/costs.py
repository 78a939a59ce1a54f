"""What the attempts of a time cost, by one thing or another: sums that say what they are made of.

    report = CostReport.of("task", ledger.totals("task"))
    report.rows[0].total_words    # "at least $1.25"

Reported, estimated and unknown costs stand apart; a sum that lacks an unknown one says so. Money is in nano-USD.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Self

from pydantic import BaseModel, ConfigDict, computed_field

from pointsman.ledger.entry import NANO
from pointsman.ledger.sums import Dimension, Total

_FEWEST_PLACES = 2
_MOST_PLACES = 9


class CostRow(BaseModel):
    """The attempts of one group: hedge losers, failed and cancelled ones among them."""

    model_config = ConfigDict(frozen=True)

    name: str | None
    """`None` for attempts that have no such thing, a question without a task say."""
    attempts: int = 0
    reported_nano_usd: int = 0
    """Of tokens that the provider has reported."""
    estimated_nano_usd: int = 0
    """Of calls that were cut off, or whose provider told no tokens."""
    estimated_attempts: int = 0
    unknown_attempts: int = 0
    """Attempts whose cost nobody knows: they are in no sum."""
    input_tokens: int = 0
    output_tokens: int = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total_usd(self) -> float:
        """Reported and estimated costs in USD."""
        return self.total_nano_usd / NANO

    @computed_field  # type: ignore[prop-decorator]
    @property
    def at_least(self) -> bool:
        """Whether the sum lacks the cost of an attempt."""
        return self.unknown_attempts > 0

    @property
    def total_nano_usd(self) -> int:
        """Reported and estimated costs."""
        return self.reported_nano_usd + self.estimated_nano_usd

    def plus(self, other: CostRow | Total) -> Self:
        """With the attempts of another group, or of one source of usage, added."""
        if isinstance(other, Total):
            other = _row(other)
        added = {
            field: getattr(self, field) + getattr(other, field) for field in CostRow.model_fields if field != "name"
        }
        return self.model_copy(update=added)


class CostReport(BaseModel):
    """Sums by one dimension, and over all of them."""

    model_config = ConfigDict(frozen=True)

    by: Dimension
    since: date | None = None
    """The first UTC day; `None` is from the ledger's beginning."""
    until: date | None = None
    """The last UTC day."""
    rows: tuple[CostRow, ...]
    """Days in their order, anything else by what it cost, the most first."""
    total: CostRow

    @classmethod
    def of(cls, by: Dimension, totals: Iterable[Total], since: date | None = None, until: date | None = None) -> Self:
        """The report from sums per value of `by` and source of usage."""
        rows: dict[str | None, CostRow] = {}
        for total in totals:
            name = None if total.group[0] is None else str(total.group[0])
            rows[name] = rows.get(name, CostRow(name=name)).plus(total)
        ordered = sorted(rows.values(), key=lambda row: row.name or "")
        if by != "day":
            ordered.sort(key=lambda row: -row.total_nano_usd)
        everything = CostRow(name="all")
        for row in ordered:
            everything = everything.plus(row)
        return cls(by=by, since=since, until=until, rows=tuple(ordered), total=everything)


def total_words(row: CostRow, places: int) -> str:
    """A sum with what is to be known of it: it lacks something, or some of it is estimated."""
    kind = "at least " if row.at_least else "about " if row.estimated_attempts else ""
    return f"{kind}{dollars(row.total_nano_usd, places)}"


def dollars(nano_usd: int, places: int) -> str:
    """An amount in USD with so many places, exact where `places_of` has given them."""
    whole, fraction = divmod(nano_usd, NANO)
    return f"${whole:,}.{f'{fraction:0{_MOST_PLACES}d}'[:places]}"


def places_of(amounts: Sequence[int]) -> int:
    """The fewest places, two at least, with which each of these amounts of nano-USD is told exactly."""
    digits = max((len(f"{nano % NANO:0{_MOST_PLACES}d}".rstrip("0")) for nano in amounts), default=0)
    return max(_FEWEST_PLACES, digits)


def _row(total: Total) -> CostRow:
    reported = total.usage_source == "reported"
    return CostRow(
        name=None,
        attempts=total.attempts,
        reported_nano_usd=total.cost_nano_usd if reported else 0,
        estimated_nano_usd=0 if reported else total.cost_nano_usd,
        estimated_attempts=0 if reported else total.attempts - total.unknown,
        unknown_attempts=total.unknown,
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
    )
