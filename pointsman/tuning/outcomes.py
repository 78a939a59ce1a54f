"""Questions and what came of them at each provider: gathered from rows, one row a question and provider."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pointsman.errors import InvalidOutcomes
from pointsman.provider import Price
from pointsman.query_types import QueryType

_SEED = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question at one provider: a score from 0 to 1, and what it took."""

    score: float
    cost_usd: float
    latency_ms: float | None = None
    output_tokens: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One outcome as a reader found it, and where."""

    line: int
    question: str
    provider: str
    outcome: Outcome
    text: str = ""
    """Of the question; empty where the file has none."""
    query_type: QueryType | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its outcomes, in the order of the providers; `None` is a gap."""

    question: str
    text: str
    outcomes: tuple[Outcome | None, ...]
    query_type: QueryType | None = None
    task: str | None = None


@dataclass(frozen=True)
class Outcomes:
    """All questions of a file. Cost is in USD, latency in milliseconds."""

    providers: tuple[str, ...]
    asked: tuple[Asked, ...]
    prices: Mapping[str, Price] = field(default_factory=dict[str, Price])
    """List prices that the data itself is made of; without one a provider's price follows from what it cost."""
    notes: tuple[str, ...] = ()
    """What is to be known of the data."""

    @property
    def complete(self) -> bool:
        """Whether every provider was asked every question."""
        return not any(outcome is None for one in self.asked for outcome in one.outcomes)

    @property
    def timed(self) -> bool:
        """Whether the latency of every answer is known."""
        return all(outcome is None or outcome.latency_ms is not None for one in self.asked for outcome in one.outcomes)

    def noting(self, *notes: str) -> Outcomes:
        """With further notes."""
        return replace(self, notes=(*self.notes, *notes))

    def typed(self, kind: Callable[[Asked], QueryType]) -> Outcomes:
        """With a query type for every question that has none."""
        asked = (one if one.query_type else replace(one, query_type=kind(one)) for one in self.asked)
        return replace(self, asked=tuple(asked))

    def sampled(self, most: int) -> Outcomes:
        """`most` questions at most, picked by chance with a fixed seed; a note says so."""
        if len(self.asked) <= most:
            return self
        picked = sorted(random.Random(_SEED).sample(range(len(self.asked)), most))  # noqa: S311 - no secret
        note = f"{most:,} of {len(self.asked):,} questions were picked by chance (--sample N takes more)"
        return replace(self, asked=tuple(self.asked[number] for number in picked)).noting(note)

    def without_gaps(self) -> Outcomes:
        """Only the questions that every provider was asked."""
        return replace(self, asked=tuple(one for one in self.asked if None not in one.outcomes))


@dataclass
class _Gathered:
    """A question while its rows come in."""

    row: Row
    outcomes: dict[str, tuple[int, Outcome]]


def gathered(rows: Iterable[Row], *, allow_gaps: bool) -> Outcomes:
    """The rows by question.

    Raises:
        InvalidOutcomes: a row is there twice, there are fewer than two providers, or a gap that is not allowed.
    """
    found: dict[str, _Gathered] = {}
    providers: dict[str, int] = {}
    for row in rows:
        providers.setdefault(row.provider, row.line)
        one = found.setdefault(row.question, _Gathered(row, {}))
        earlier = one.outcomes.setdefault(row.provider, (row.line, row.outcome))
        if earlier[0] != row.line:
            raise InvalidOutcomes(
                f"line {row.line}: question: {row.question!r:.60} was answered by {row.provider!r} on line "
                f"{earlier[0]} already; keep one of the two"
            )
    _compare_something(providers, found)
    if not allow_gaps:
        _have_no_gaps(providers, found)
    asked = tuple(_asked(one, providers) for one in found.values())
    return Outcomes(tuple(providers), asked)


def _asked(one: _Gathered, providers: Iterable[str]) -> Asked:
    outcomes = tuple(one.outcomes[name][1] if name in one.outcomes else None for name in providers)
    return Asked(one.row.question, one.row.text, outcomes, one.row.query_type, one.row.task)


def _compare_something(providers: Mapping[str, int], found: Mapping[str, _Gathered]) -> None:
    if not found:
        raise InvalidOutcomes("it holds no outcome; give one row a question and provider")
    if len(providers) == 1:
        [(name, line)] = providers.items()
        raise InvalidOutcomes(f"line {line}: provider: all rows are of {name!r}; two at least are needed to compare")


def _have_no_gaps(providers: Mapping[str, int], found: Mapping[str, _Gathered]) -> None:
    for one in found.values():
        lacking = [name for name in providers if name not in one.outcomes]
        if lacking:
            having = ", ".join(repr(name) for name in one.outcomes)
            raise InvalidOutcomes(
                f"line {one.row.line}: provider: question {one.row.question!r:.60} has rows of {having:.120} and none "
                f"of {lacking[0]!r}; add it, or allow for gaps by --allow-gaps"
            )
