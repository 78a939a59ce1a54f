"""Values that people can type, from near to far: hundredths, percents, and steps of three digits between two limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

_STEPS = 100


class Grid(NamedTuple):
    """So many values, the nearest first; `value` gives the one at a place, `place` the one at a share of the way."""

    size: int
    value: Callable[[int], float]
    place: Callable[[float], int]


def hundredths_up(now: float, most: int) -> Grid:
    """The hundredths above a value, up to so many."""
    first = math.floor(round(now * 100, 6)) + 1
    return _even(most - first + 1, lambda at: (first + at) / 100)


def hundredths_down(now: float, least: int) -> Grid:
    """The hundredths below a value, down to so many."""
    first = math.ceil(round(now * 100, 6)) - 1
    return _even(first - least + 1, lambda at: (first - at) / 100)


def percents_up(most: int) -> Grid:
    """Percents of what is, above 100."""
    return _even(most - 100, lambda at: 101.0 + at)


def percents_down() -> Grid:
    """Percents of what is, below 100 and down to 0."""
    return _even(100, lambda at: 99.0 - at)


def steps(now: float, far: float) -> Grid:
    """Up or down to the far value by hundredths of the way, as a ratio. Both are above 0.

    The way's share is that of the inverse: what is a share of the value grows by it evenly.
    """
    towards = math.floor if far < now else math.ceil
    ratio = far / now

    def value(at: int) -> float:
        return far if at + 1 == _STEPS else _three_digits(now * ratio ** ((at + 1) / _STEPS), towards)

    def place(share: float) -> int:
        inverse = 1 + share * (1 / ratio - 1)
        return round(_STEPS * math.log(1 / inverse) / math.log(ratio)) - 1

    return Grid(_STEPS, value, place)


def _even(count: int, value: Callable[[int], float]) -> Grid:
    def place(share: float) -> int:
        return round(share * count) - 1

    return Grid(count, value, place)


def above(figure: float) -> float:
    """A number of three digits that is not below the figure."""
    found = _three_digits(figure, math.ceil)
    return found if found >= figure else _three_digits(figure * (1 + 1e-3), math.ceil)


def below(figure: float) -> float:
    """A number of three digits that is below the figure; 0 for 0."""
    found = _three_digits(figure, math.floor)
    return found if found < figure else _three_digits(figure * (1 - 1e-3), math.floor)


def _three_digits(figure: float, towards: Callable[[float], int]) -> float:
    if figure <= 0:
        return 0.0
    place = 2 - math.floor(math.log10(figure))
    whole = towards(round(figure * 10.0**place, 6))
    # Divided by a power of ten a whole number is the nearest float to what is written.
    return whole / 10**place if place >= 0 else float(whole * 10**-place)
