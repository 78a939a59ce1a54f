"""Where a classifier errs: by type, and what each type is taken for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.table import Table

from pointsman.query_types import QueryType

Pair = tuple[QueryType, QueryType]
"""What a question is, and what it was taken for."""


def f1(pairs: Sequence[Pair], query_type: QueryType) -> float:
    """The harmonic mean of precision and recall."""
    hits = sum(is_of == taken == query_type for is_of, taken in pairs)
    claimed = sum(taken == query_type for _, taken in pairs)
    real = sum(is_of == query_type for is_of, _ in pairs)
    return 2 * hits / (claimed + real) if hits else 0.0


def by_type(data: str, pairs: Sequence[Pair]) -> Table:
    """A line for each type: how many there are, precision, recall, F1."""
    shown = Table("type", "questions", "precision", "recall", "F1", title=f"By type, {data}", title_justify="left")
    for query_type in QueryType:
        hits = sum(is_of == taken == query_type for is_of, taken in pairs)
        claimed = sum(taken == query_type for _, taken in pairs)
        real = sum(is_of == query_type for is_of, _ in pairs)
        shares = (f"{hits / claimed:.3f}" if claimed else "", f"{hits / real:.3f}" if real else "")
        shown.add_row(query_type, str(real), *shares, f"{f1(pairs, query_type):.3f}")
    return shown


def confusion(data: str, pairs: Sequence[Pair]) -> Table:
    """A line for each type, a column for what its questions were taken for."""
    counts = Counter(pairs)
    shown = Table(f"{data}: is, taken for", *QueryType, title="What is taken for what", title_justify="left")
    for is_of in QueryType:
        shown.add_row(is_of, *(str(counts[is_of, taken]) for taken in QueryType))
    return shown


def most_usual(pairs: Sequence[Pair]) -> QueryType:
    """The type that most questions are of: what a constant would say."""
    return Counter(is_of for is_of, _ in pairs).most_common(1)[0][0]
