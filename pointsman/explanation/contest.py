"""Who goes first among the members of a chain, asked again and again with other figures: a decision without its data.

The formula, the policies and the limits are those of `pointsman.routing`; the tests hold the two together.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from pointsman.candidacy import Candidacy
from pointsman.catalogue.profile import TypeFigures
from pointsman.catalogue.view import measured_strength
from pointsman.configuration import Configuration, Scoring
from pointsman.cost import estimated_cost_usd
from pointsman.limits import Demand, Limits, beyond
from pointsman.policy import WEIGHED, PolicyName, Worth, ranked
from pointsman.scoring import Formula, Merits, formula_of, share_of_money, share_of_price, weighed


class Entrant(NamedTuple):
    """A member of the chain against whom nothing speaks but, perhaps, a limit."""

    name: str
    place: int
    in_flight: int
    preference: tuple[int, float]
    barred: bool
    declared: float
    """Its strength for the type as configured; `figures` are what was measured besides, where that counts."""
    strength: float
    """What comes of both."""
    figures: TypeFigures | None
    match: float
    error_rate: float
    demand: Demand
    expected_tokens: int
    usd: float | None
    own_price: bool
    """Whether its price is the configuration's, and not that of an upgrade."""


class Rules(NamedTuple):
    """What the members are ordered by."""

    order: Literal["score", "chain"]
    policy: PolicyName
    weights: Formula
    good_enough: float
    limits: Limits


class Contest(NamedTuple):
    """The members and the rules; `first` is who would be asked first, `None` where nobody may be."""

    entrants: tuple[Entrant, ...]
    rules: Rules

    @property
    def first(self) -> str | None:
        """As the decision's first candidate, figures and rules being these."""
        return min(self._keyed(), default=(None, None))[1]

    def order(self) -> list[str]:
        """As the decision's candidates."""
        return [name for _, name in sorted(self._keyed())]

    def lead(self, name: str) -> float | None:
        """By how much score one leads the best of the others who are well; `None` where scores do not say."""
        rules = self.rules
        if rules.policy not in WEIGHED:
            return None
        scores = {one.name: _worth(one, rules).score for one in self._inside() if not one.barred}
        own = scores.pop(name, None)
        return None if own is None or not scores else own - max(scores.values())

    def _inside(self) -> list[Entrant]:
        limits = self.rules.limits
        return [one for one in self.entrants if next(beyond(one.demand, limits), None) is None]

    def _keyed(self) -> list[tuple[tuple[float, ...], str]]:
        rules, inside = self.rules, self._inside()
        if rules.order == "chain":
            return [((*one.preference, one.place), one.name) for one in inside if not one.barred]
        places = ranked([_worth(one, rules) for one in inside], rules.policy, rules.good_enough)
        return [
            ((*one.preference, *rank, one.in_flight, one.place), one.name)
            for one, rank in zip(inside, places, strict=True)
            if not one.barred
        ]


def contest_of(candidacy: Candidacy, configuration: Configuration) -> Contest:
    """The contest that the candidacy's decision settles."""
    found = [_entrant(candidacy, configuration, place) for place in range(len(candidacy.route.chain))]
    return Contest(
        entrants=tuple(one for one in found if one is not None),
        rules=rules_of(candidacy.scoring, candidacy.route.order, candidacy.limits),
    )


def rules_of(scoring: Scoring, order: Literal["score", "chain"], limits: Limits) -> Rules:
    """The rules of a configuration for one question."""
    return Rules(order, scoring.policy, formula_of(scoring.formula), scoring.good_enough, limits)


def _entrant(candidacy: Candidacy, configuration: Configuration, place: int) -> Entrant | None:
    name = candidacy.route.chain[place]
    declared = configuration.providers[name]
    provider = candidacy.effective(name, declared)
    if next(candidacy.unfit(name, provider), None) is not None:
        return None
    strength = declared.strength(candidacy.classification.query_type)
    figures = candidacy.figures(name, provider)
    standing = candidacy.circumstances.health.standing(name, provider.model, 0.0)
    demand = candidacy.demand(name, provider)
    _, expected = candidacy.output_tokens(name, provider)
    return Entrant(
        name=name,
        place=place,
        in_flight=candidacy.circumstances.in_flight(name),
        preference=standing.preference,
        barred=standing.barred is not None,
        declared=strength,
        strength=measured_strength(strength, figures),
        figures=figures,
        match=min(1.0, provider.reasoning_depth / candidacy.classification.complexity),
        error_rate=candidacy.live(name).error_rate or 0.0,
        demand=demand,
        expected_tokens=expected,
        usd=estimated_cost_usd(demand.input_tokens, expected, provider.price),
        own_price=provider.price == declared.price,
    )


def _worth(one: Entrant, rules: Rules) -> Worth:
    limits, demand = rules.limits, one.demand
    share = share_of_money(rules.policy, one.usd, limits.max_cost_usd)
    if share is None:
        share = share_of_price(demand.per_1k_usd, limits.max_cost_per_1k)
    merits = Merits(one.strength, one.match, one.error_rate, share, demand.latency_ms, limits.max_latency_ms)
    found = weighed(merits, rules.weights)
    return Worth(found.score, round(found.fit, 4), one.usd)
