"""What would send the question elsewhere: of each figure the nearest value at which another provider goes first.

The search asks the contest itself, by halves, on a grid that people can type: hundredths of a weight or a strength,
percents of a price, steps of a hundredth between two limits. At `until` the choice still is what it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict

from pointsman.cost import MIN_OUTPUT_TOKENS, cost_usd, estimated_cost_usd, per_1k_usd
from pointsman.explanation.change import Setting
from pointsman.explanation.contest import Contest, Entrant, Rules
from pointsman.outcomes import Usage
from pointsman.policy import WEIGHED, WEIGHTS, PolicyName
from pointsman.provider import Price

About = Literal["weight", "good_enough", "strength", "price", "limit", "policy", "type", "opening"]

_FAR_LIMIT = 10.0
"""How many times its size a limit is looked at."""
_DEAREST = 1000
"""Percent of its price up to which a provider is looked at."""


class WhatIf(BaseModel):
    """If these settings held, `first` would be asked first; `None` is nobody.

    About an "opening", who is kept out now would be a candidate: `candidate`, first or not.
    """

    model_config = ConfigDict(frozen=True)

    about: About
    settings: tuple[Setting, ...]
    first: str | None = None
    candidate: str | None = None
    now: float | str | None = None
    """What the figure is."""
    to: float | str | None = None
    """What it would have to be; of prices in percent of the present one."""
    until: float | None = None
    """The value next to it on the grid, at which the choice does not change."""
    provider: str | None = None
    """Whose strength or price it is."""


class _Turn(NamedTuple):
    to: float
    until: float
    first: str | None


def nearest(values: Sequence[float], now: float, at: Callable[[float], Contest], first: str | None) -> _Turn | None:
    """The value, of these from near to far, from which on another goes first than `first`; `None` if not even at last.

    Found by halves, which is right where the choice turns once.
    """
    if not values or at(values[-1]).first == first:
        return None
    same, other = -1, len(values) - 1
    while other - same > 1:
        middle = (same + other) // 2
        if at(values[middle]).first == first:
            same = middle
        else:
            other = middle
    return _Turn(values[other], now if same < 0 else values[same], at(values[other]).first)


def of_weights(contest: Contest) -> Iterator[WhatIf]:
    """Other weights of cost and latency, where the policy has them; their sum stays below 1."""
    rules = contest.rules
    if rules.policy not in WEIGHED:
        return
    for name, other in (("cost", rules.weights.latency), ("latency", rules.weights.cost)):
        now: float = getattr(rules.weights, name)
        most = math.ceil(round((1 - other) * 100, 6)) - 1
        for values in (_hundredths_down(now, 0), _hundredths_up(now, most)):
            turn = nearest(values, now, _weighing(contest, name), contest.first)
            if turn is not None:
                yield _turned("weight", turn, now, ("scoring", "weights", name))


def of_good_enough(contest: Contest) -> Iterator[WhatIf]:
    """Another share of the best fit that is good enough, where the policy asks for it."""
    now = contest.rules.good_enough
    if contest.rules.policy != "cheapest_good":
        return
    for values in (_hundredths_down(now, 50), _hundredths_up(now, 100)):
        turn = nearest(
            values, now, lambda value: _under(contest, replace(contest.rules, good_enough=value)), contest.first
        )
        if turn is not None:
            yield _turned("good_enough", turn, now, ("scoring", "good_enough"))


def of_strengths(contest: Contest, query_type: str) -> Iterator[WhatIf]:
    """A stronger second one, and a weaker first one."""
    for at, one in enumerate(_first_two(contest)):
        values = _hundredths_up(one.declared, 100) if at else _hundredths_down(one.declared, 0)
        turn = nearest(values, one.declared, _strengthening(contest, one), contest.first)
        if turn is not None:
            path = ("providers", one.name, "strengths", query_type)
            yield _turned("strength", turn, one.declared, path).model_copy(update={"provider": one.name})


def of_prices(contest: Contest) -> Iterator[WhatIf]:
    """A cheaper second one, and a dearer first one; in percent of the price."""
    for at, one in enumerate(_first_two(contest)):
        if one.demand.price is None or not one.own_price:
            continue
        values = [float(percent) for percent in (range(99, -1, -1) if at else range(101, _DEAREST + 1))]
        turn = nearest(values, 100.0, _pricing(contest, one), contest.first)
        if turn is not None:
            price = scaled(one.demand.price, turn.to).model_dump(exclude_none=True)
            setting = Setting(where="configuration", path=("providers", one.name, "price"), value=price)
            yield _turned("price", turn, 100.0, ()).model_copy(update={"settings": (setting,), "provider": one.name})


def of_limits(contest: Contest, *, own_latency: bool) -> Iterator[WhatIf]:
    """Tighter and wider limits; `own_latency` says that the question sets the one of latency."""
    first = next((one for one in contest.entrants if one.name == contest.first), None)
    if first is None:
        return
    limits = contest.rules.limits
    latency: tuple[str, ...] = ("max_latency_ms",) if own_latency else ("scoring", "max_latency_ms")
    yield from _of_limit(contest, "max_cost_per_1k", first.demand.per_1k_usd, ("scoring", "max_cost_per_1k"))
    yield from _of_limit(contest, "max_latency_ms", first.demand.latency_ms, latency)
    if limits.max_cost_usd is not None:
        yield from _of_limit(contest, "max_cost_usd", least_usd(first), ("max_cost_usd",))


def of_policies(contest: Contest) -> Iterator[WhatIf]:
    """The other policies, each with its own weights, that would put another one first."""
    policy: PolicyName
    for policy in get_args(PolicyName):
        found = _under(contest, replace(contest.rules, policy=policy, weights=WEIGHTS[policy])).first
        if policy != contest.rules.policy and found != contest.first:
            settings = (
                Setting(where="configuration", path=("scoring", "policy"), value=policy),
                Setting(where="configuration", path=("scoring", "weights"), value={}),
            )
            yield WhatIf(about="policy", settings=settings, first=found, now=contest.rules.policy, to=policy)


def least_usd(one: Entrant) -> float | None:
    """The least that a question may cost for the provider to be asked; `None` where its price is not known."""
    tokens = min(one.demand.max_output_tokens, MIN_OUTPUT_TOKENS)
    usage = Usage(input_tokens=one.demand.input_tokens, output_tokens=tokens, source="estimated")
    return cost_usd(usage, one.demand.price)


def scaled(price: Price, percent: float) -> Price:
    """The price at so many percent of it."""
    return price.model_copy(
        update={"input": round(price.input * percent / 100, 6), "output": round(price.output * percent / 100, 6)}
    )


def above(figure: float) -> float:
    """A number of three digits that is not below the figure."""
    return _three_digits(figure, math.ceil)


def below(figure: float) -> float:
    """A number of three digits that is below the figure; 0 or less for 0."""
    found = _three_digits(figure, math.floor)
    return found if found < figure else _three_digits(figure * (1 - 1e-3), math.floor)


def _of_limit(contest: Contest, name: str, own: float | None, path: tuple[str, ...]) -> Iterator[WhatIf]:
    now: float = getattr(contest.rules.limits, name)
    at = _limiting(contest, name)
    for far in (None if own is None else below(own), above(now * _FAR_LIMIT)):
        if far is None or far <= 0:
            continue
        turn = nearest(_steps(now, far), now, at, contest.first)
        if turn is not None:
            yield _turned("limit", turn, now, path)


def _turned(about: About, turn: _Turn, now: float, path: tuple[str, ...]) -> WhatIf:
    where: Literal["configuration", "question"] = "question" if len(path) == 1 else "configuration"
    settings = (Setting(where=where, path=path, value=turn.to),) if path else ()
    return WhatIf(about=about, settings=settings, first=turn.first, now=now, to=turn.to, until=turn.until)


def _weighing(contest: Contest, name: str) -> Callable[[float], Contest]:
    rules = contest.rules
    return lambda value: _under(contest, replace(rules, weights=rules.weights.model_copy(update={name: value})))


def _limiting(contest: Contest, name: str) -> Callable[[float], Contest]:
    rules = contest.rules
    return lambda value: _under(contest, replace(rules, limits=rules.limits._replace(**{name: value})))


def _strengthening(contest: Contest, one: Entrant) -> Callable[[float], Contest]:
    return lambda value: _with(contest, one, replace(one, declared=value))


def _pricing(contest: Contest, one: Entrant) -> Callable[[float], Contest]:
    def at(percent: float) -> Contest:
        demand = one.demand
        price = None if demand.price is None else scaled(demand.price, percent)
        per_1k = per_1k_usd(demand.input_tokens, one.expected_tokens, price)
        usd = estimated_cost_usd(demand.input_tokens, one.expected_tokens, price)
        return _with(contest, one, replace(one, demand=demand._replace(price=price, per_1k_usd=per_1k), usd=usd))

    return at


def _under(contest: Contest, rules: Rules) -> Contest:
    return replace(contest, rules=rules)


def _with(contest: Contest, one: Entrant, other: Entrant) -> Contest:
    return replace(contest, entrants=tuple(other if found is one else found for found in contest.entrants))


def _first_two(contest: Contest) -> list[Entrant]:
    by_name = {one.name: one for one in contest.entrants}
    return [by_name[name] for name in contest.order()[:2]]


def _hundredths_up(now: float, most: int) -> list[float]:
    return [number / 100 for number in range(math.floor(round(now * 100, 6)) + 1, most + 1)]


def _hundredths_down(now: float, least: int) -> list[float]:
    return [number / 100 for number in range(math.ceil(round(now * 100, 6)) - 1, least - 1, -1)]


def _steps(now: float, far: float) -> list[float]:
    """From the value to the far one in steps of a hundredth of the way, each of three digits."""
    ratio, found = far / now, list[float]()
    for step in range(1, 100):
        value = _three_digits(now * ratio ** (step / 100), math.floor if far < now else math.ceil)
        if value not in (now, far) and (not found or value != found[-1]):
            found.append(value)
    return [*found, far]


def _three_digits(figure: float, towards: Callable[[float], int]) -> float:
    if figure <= 0:
        return 0.0
    place = 2 - math.floor(math.log10(figure))
    return float(f"{towards(round(figure * 10.0**place, 6)) / 10.0**place:.9g}")
