"""Of each figure of a contest the nearest values at which another provider would go first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import get_args

from pointsman.catalogue.view import measured_strength
from pointsman.cost import MIN_OUTPUT_TOKENS, estimated_cost_usd, of_1k
from pointsman.explanation.change import Setting
from pointsman.explanation.contest import Contest, Entrant, Rules
from pointsman.explanation.grid import (
    above,
    below,
    hundredths_down,
    hundredths_up,
    percents_down,
    percents_up,
    steps,
)
from pointsman.explanation.what_if import Present, WhatIf, nearest, turned
from pointsman.policy import WEIGHED, WEIGHTS, PolicyName
from pointsman.provider import Price
from pointsman.scoring import formula_of

_FAR_LIMIT = 10.0
"""How many times its size a limit is looked at."""
_DEAREST = 500
"""Percent of its price up to which a provider is looked at."""
_DEAREST_USD = 100_000.0
"""USD per million tokens: five times as much may still be written down."""


def of_weights(present: Present) -> Iterator[WhatIf]:
    """Other weights of cost and latency, where the policy has them; their sum stays below 1."""
    rules = present.contest.rules
    if rules.policy not in WEIGHED:
        return
    for name, other in (("cost", rules.weights.latency), ("latency", rules.weights.cost)):
        now: float = getattr(rules.weights, name)
        most = math.ceil(round((1 - other) * 100, 6)) - 1
        for grid in (hundredths_down(now, 0), hundredths_up(now, most)):
            turn = nearest(present, now, grid, _weighing(present.contest, name))
            if turn is not None:
                yield turned("weight", turn, now, ("scoring", "weights", name))


def of_good_enough(present: Present) -> Iterator[WhatIf]:
    """Another share of the best fit that is good enough, where the policy asks for it."""
    contest = present.contest
    now = contest.rules.good_enough
    if contest.rules.policy != "cheapest_good":
        return

    def at(value: float) -> Contest:
        return _under(contest, contest.rules._replace(good_enough=value))

    for grid in (hundredths_down(now, 50), hundredths_up(now, 100)):
        turn = nearest(present, now, grid, at)
        if turn is not None:
            yield turned("good_enough", turn, now, ("scoring", "good_enough"))


def of_strengths(present: Present, query_type: str) -> Iterator[WhatIf]:
    """A stronger second one, and a weaker first one."""
    for at, one in enumerate(_first_two(present.contest)):
        grid = hundredths_up(one.declared, 100) if at else hundredths_down(one.declared, 0)
        turn = nearest(present, one.declared, grid, _strengthening(present.contest, one))
        if turn is not None:
            path = ("providers", one.name, "strengths", query_type)
            yield turned("strength", turn, one.declared, path).model_copy(update={"provider": one.name})


def of_prices(present: Present) -> Iterator[WhatIf]:
    """A cheaper second one, and a dearer first one; in percent of the price."""
    for at, one in enumerate(_first_two(present.contest)):
        if one.demand.price is None or not one.own_price or one.demand.price.output > _DEAREST_USD:
            continue
        grid = percents_down() if at else percents_up(_DEAREST)
        turn = nearest(present, 100.0, grid, _pricing(present.contest, one))
        if turn is not None:
            price = scaled(one.demand.price, turn.to).model_dump(exclude_none=True)
            setting = Setting(where="configuration", path=("providers", one.name, "price"), value=price)
            yield turned("price", turn, 100.0, ()).model_copy(update={"settings": (setting,), "provider": one.name})


def of_limits(present: Present, *, own_latency: bool) -> Iterator[WhatIf]:
    """Tighter and wider limits; `own_latency` says that the question sets the one of latency."""
    first = next((one for one in present.contest.entrants if one.name == present.first), None)
    if first is None:
        return
    latency: tuple[str, ...] = ("max_latency_ms",) if own_latency else ("scoring", "max_latency_ms")
    yield from _of_limit(present, "max_cost_per_1k", first.demand.per_1k_usd, ("scoring", "max_cost_per_1k"))
    yield from _of_limit(present, "max_latency_ms", first.demand.latency_ms, latency)
    if present.contest.rules.limits.max_cost_usd is not None:
        yield from _of_limit(present, "max_cost_usd", least_usd(first), ("max_cost_usd",))


def of_policies(present: Present) -> Iterator[WhatIf]:
    """The other policies, each with its own weights, that would put another one first."""
    rules = present.contest.rules
    policy: PolicyName
    for policy in get_args(PolicyName):
        found = _under(present.contest, rules._replace(policy=policy, weights=formula_of(WEIGHTS[policy]))).first
        if policy != rules.policy and found != present.first:
            settings = (
                Setting(where="configuration", path=("scoring", "policy"), value=policy),
                Setting(where="configuration", path=("scoring", "weights"), value={}),
            )
            yield WhatIf(about="policy", settings=settings, first=found, now=rules.policy, to=policy)


def least_usd(one: Entrant) -> float | None:
    """The least that a question may cost for the provider to be asked; `None` where its price is not known."""
    tokens = min(one.demand.max_output_tokens, MIN_OUTPUT_TOKENS)
    return estimated_cost_usd(one.demand.input_tokens, tokens, one.demand.price)


def scaled(price: Price, percent: float) -> Price:
    """The price at so many percent of it."""
    return Price.model_construct(
        input=round(price.input * percent / 100, 6),
        output=round(price.output * percent / 100, 6),
        cached_input=price.cached_input,
    )


def _of_limit(present: Present, name: str, own: float | None, path: tuple[str, ...]) -> Iterator[WhatIf]:
    now: float = getattr(present.contest.rules.limits, name)
    at = _limiting(present.contest, name)
    for far in (None if own is None else below(own), above(now * _FAR_LIMIT)):
        if far is None or far <= 0:
            continue
        turn = nearest(present, now, steps(now, far), at)
        if turn is not None:
            # A limit shuts others out one by one, and the next one with them: only that all are out is for good.
            yield turned("limit", turn._replace(lasting=turn.first is None and turn.to < now), now, path)


def _weighing(contest: Contest, name: str) -> Callable[[float], Contest]:
    rules = contest.rules
    return lambda value: _under(contest, rules._replace(weights=rules.weights._replace(**{name: value})))


def _limiting(contest: Contest, name: str) -> Callable[[float], Contest]:
    rules = contest.rules
    return lambda value: _under(contest, rules._replace(limits=rules.limits._replace(**{name: value})))


def _strengthening(contest: Contest, one: Entrant) -> Callable[[float], Contest]:
    return lambda value: _with(
        contest, one, one._replace(declared=value, strength=measured_strength(value, one.figures))
    )


def _pricing(contest: Contest, one: Entrant) -> Callable[[float], Contest]:
    def at(percent: float) -> Contest:
        demand = one.demand
        price = None if demand.price is None else scaled(demand.price, percent)
        usd = estimated_cost_usd(demand.input_tokens, one.expected_tokens, price)
        per_1k = of_1k(usd, demand.input_tokens + one.expected_tokens)
        return _with(contest, one, one._replace(demand=demand._replace(price=price, per_1k_usd=per_1k), usd=usd))

    return at


def _under(contest: Contest, rules: Rules) -> Contest:
    return Contest(contest.entrants, rules)


def _with(contest: Contest, one: Entrant, other: Entrant) -> Contest:
    return Contest(tuple([other if found is one else found for found in contest.entrants]), contest.rules)


def _first_two(contest: Contest) -> list[Entrant]:
    by_name = {one.name: one for one in contest.entrants}
    return [by_name[name] for name in contest.order()[:2]]
