"""What outcomes teach of providers: the configuration that they would stand in, and how long their answers are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean, median
from typing import Any

from pydantic import ValidationError

from pointsman.configuration import Configuration, Scoring
from pointsman.cost import estimated_tokens
from pointsman.errors import InvalidOutcomes
from pointsman.provider import Price, Provider
from pointsman.query_types import EXPECTED_OUTPUT_TOKENS, QueryType
from pointsman.standing import Live, Unknown
from pointsman.tuning.outcomes import Asked, Outcome, Outcomes

_TEXTLESS_TOKENS = 200
"""Assumed of a question whose text is not known."""
_MILLION = 1_000_000
_UNTIMED: dict[str, float] = {"p50_ms": 1, "p95_ms": 1}
"""All alike where no latency was measured, so that it decides nothing."""
_SLOW = 0.95

_Known = dict[tuple[int, QueryType | None], list[Outcome]]


def key(number: int) -> str:
    """The name of a provider in a configuration that is made here: the owner's own may hold anything."""
    return f"provider-{number}"


def number_of(name: str) -> int:
    """The place of the provider that has this key."""
    return int(name.removeprefix("provider-"))


class Lengths(Unknown):
    """Health that knows nothing but how long a provider's answers are."""

    def __init__(self, live: dict[tuple[str, QueryType], Live]) -> None:
        """Tell these."""
        self._live = live

    def live(self, provider: str, query_type: QueryType) -> Live:
        """The length of its answers to this type of question."""
        return self._live[provider, query_type]


@dataclass(frozen=True)
class Lesson:
    """What some of the questions teach of every provider."""

    outcomes: Outcomes
    learned: Sequence[Asked]
    owned: dict[str, Provider] = field(default_factory=dict[str, Provider])
    """The owner's configuration of providers; others are given what the outcomes tell of them."""

    def configuration(self, scoring: Scoring, *, textless: bool, among: Sequence[Asked] | None = None) -> Configuration:
        """All providers in every chain; strengths by the learned questions, or by those `among` them.

        Under "source", and where no text is known, complexity is the source document's value for the type.
        """
        providers = {key(number): self._provider(number, among) for number in range(len(self.outcomes.providers))}
        by_type = textless or scoring.policy == "source"
        return Configuration.model_validate(
            {
                "providers": providers,
                "query_types": {query_type: {"chain": list(providers)} for query_type in QueryType},
                "catalogue": {"admission": "declared"},
                "classification": {"by": "rules" if by_type else "model"},
                "scoring": scoring,
            }
        )

    @cached_property
    def lengths(self) -> Lengths:
        """How long the answers of each provider were."""
        numbers = range(len(self.outcomes.providers))
        return Lengths(
            {
                (key(number), query_type): Live(output_tokens=self._tokens(number, query_type))
                for number in numbers
                for query_type in QueryType
            }
        )

    def price(self, number: int) -> Price:
        """The owner's, else the one of the outcomes, which are `priced`."""
        name = self.outcomes.providers[number]
        owned = self.owned.get(name)
        return self.outcomes.prices[name] if owned is None or owned.price is None else owned.price

    def _provider(self, number: int, among: Sequence[Asked] | None) -> dict[str, Any]:
        name = self.outcomes.providers[number]
        known = self._known if among is None else _by_place(among, len(self.outcomes.providers))
        strengths = {query_type: _strength(known, number, query_type) for query_type in QueryType}
        latency = self._latency(number)
        owned = self.owned.get(name)
        if owned is not None:
            taken = owned.model_dump(include={"reasoning_depth", "context_tokens", "latency", "max_output_tokens"})
            taken |= {} if latency is None else {"latency": latency}
        else:
            taken = {
                "reasoning_depth": 1 + 4 * _strength(self._known, number, None),
                "context_tokens": _MILLION,
                "latency": latency or _UNTIMED,
            }
        return {
            "model": "measured/outcomes",
            "tier": "one",
            "rate_limit_per_minute": 600,
            "price": self.price(number),
            "strengths": strengths,
            **taken,
        }

    def _latency(self, number: int) -> dict[str, float] | None:
        if not self.outcomes.timed:
            return None
        found = sorted(outcome.latency_ms or 0.0 for outcome in self._known[number, None])
        if not found:
            return None
        slow = found[min(len(found) - 1, int(_SLOW * len(found)))]
        return {"p50_ms": max(1.0, median(found)), "p95_ms": max(1.0, slow)}

    def _tokens(self, number: int, query_type: QueryType) -> float | None:
        for wanted in (query_type, None):
            found = [one.output_tokens for one in self._known[number, wanted] if one.output_tokens is not None]
            if found:
                return fmean(found)
        return None

    @cached_property
    def _known(self) -> _Known:
        return _by_place(self.learned, len(self.outcomes.providers))


def priced(outcomes: Outcomes) -> Outcomes:
    """With a price for everyone: the data's, else one by which all of its answers would have cost what they did.

    Such a price, in USD per million tokens, is the same in and out, and the same in every fold.

    Raises:
        InvalidOutcomes: it is higher than a price may be.
    """
    prices = dict(outcomes.prices)
    for number, name in enumerate(outcomes.providers):
        if name not in prices:
            pairs = [(one, outcome) for one in outcomes.asked if (outcome := one.outcomes[number]) is not None]
            tokens = sum(_tokens_in(one) + _tokens_out(one, outcome) for one, outcome in pairs)
            each = _MILLION * sum(outcome.cost_usd for _, outcome in pairs) / max(1.0, tokens)
            prices[name] = _price(name, each)
    return replace(outcomes, prices=prices)


def _price(name: str, each: float) -> Price:
    try:
        return Price(input=each, output=each)
    except ValidationError:
        raise InvalidOutcomes(
            f"cost_usd: {name!r:.60} would cost {each:,.0f} USD per million tokens; give what each answer cost, in USD"
        ) from None


def by_type(outcomes: Iterable[Asked], number: int) -> dict[QueryType, tuple[float, int]]:
    """A provider's mean score and the count of its outcomes, by the types of question that it was asked."""
    found: defaultdict[QueryType, list[float]] = defaultdict(list)
    for one in outcomes:
        outcome = one.outcomes[number]
        if outcome is not None and one.query_type is not None:
            found[one.query_type].append(outcome.score)
    return {query_type: (fmean(scores), len(scores)) for query_type, scores in sorted(found.items())}


def _by_place(asked: Iterable[Asked], providers: int) -> _Known:
    """The outcomes of each provider by type of question, and all of them under `None`."""
    found: _Known = {(number, kind): [] for number in range(providers) for kind in (None, *QueryType)}
    for one in asked:
        for number, outcome in enumerate(one.outcomes):
            if outcome is not None:
                found[number, one.query_type].append(outcome)
                found[number, None].append(outcome)
    return found


def _strength(known: _Known, number: int, query_type: QueryType | None) -> float:
    """The mean score on a type of question; on all where it was asked none of it, and 0.5 where it was asked none."""
    found = known[number, query_type] or known[number, None]
    return fmean(one.score for one in found) if found else 0.5


def _tokens_in(one: Asked) -> float:
    return estimated_tokens([one.text]) if one.text else _TEXTLESS_TOKENS


def _tokens_out(one: Asked, outcome: Outcome) -> float:
    if outcome.output_tokens is not None:
        return outcome.output_tokens
    return EXPECTED_OUTPUT_TOKENS[one.query_type or QueryType.ANALYSIS]
