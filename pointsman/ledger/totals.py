"""Sums over the ledger: what was reported and what was estimated stand apart, and unknown costs are counted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection, func, select

from pointsman.ledger.entry import NANO
from pointsman.ledger.sums import Dimension, Spent, Total
from pointsman.ledger.table import attempts


def totals_of(
    connection: Connection, by: Sequence[Dimension], since: date | None = None, until: date | None = None
) -> list[Total]:
    """Sums per value of `by` and source of usage, in the order of these values."""
    row = attempts.c
    groups = [*(row[name] for name in by), row.usage_source]
    summed = (row.input_tokens, row.output_tokens, row.cached_tokens, row.reasoning_tokens, row.cost_nano_usd)
    statement: Any = select(
        *groups,
        func.count(),
        func.count() - func.count(row.cost_nano_usd),
        *(func.coalesce(func.sum(column), 0) for column in summed),
    )
    if since is not None:
        statement = statement.where(row.day >= since)
    if until is not None:
        statement = statement.where(row.day <= until)
    found = connection.execute(statement.group_by(*groups).order_by(*groups))
    width = len(by)
    # PostgreSQL gives sums of whole numbers as decimals.
    return [Total(tuple(values[:width]), values[width], *map(int, values[width + 1 :])) for values in found]


def spent_of(connection: Connection, provider: str, day: date) -> Spent:
    """What a provider's attempts of a UTC day cost."""
    row = attempts.c
    known = func.coalesce(func.sum(row.cost_nano_usd), 0)
    statement = (
        select(row.usage_source, known, func.count() - func.count(row.cost_nano_usd))
        .where(row.day == day, row.provider == provider)
        .group_by(row.usage_source)
    )
    found = {source: (int(nano_usd), int(unknown)) for source, nano_usd, unknown in connection.execute(statement)}
    return Spent(
        reported_usd=found.get("reported", (0, 0))[0] / NANO,
        estimated_usd=sum(nano_usd for source, (nano_usd, _) in found.items() if source != "reported") / NANO,
        unknown=sum(unknown for _, unknown in found.values()),
    )
