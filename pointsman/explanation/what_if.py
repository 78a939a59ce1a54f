"""What would send the question elsewhere, and the search for the nearest such value of a figure.

The search asks the contest itself, on a grid that people can type: hundredths of a weight or a strength, percents of a
price, steps of a hundredth between two limits. At `until` the choice still is what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from pointsman.explanation.change import Setting
from pointsman.explanation.contest import Contest
from pointsman.explanation.grid import Grid

About = Literal["weight", "good_enough", "strength", "price", "limit", "policy", "type", "opening"]

_GUESSES = 4


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
    lasting: bool = False
    """Whether the same holds of every value beyond `to`: farther on a third one may go first."""
    provider: str | None = None
    """Whose strength or price it is."""


class Turn(NamedTuple):
    """A value at which another one goes first, who that is, and the value before it."""

    to: float
    until: float
    first: str | None
    lasting: bool
    """Whether that one still goes first at the far end."""


class Present(NamedTuple):
    """The contest as it is, who goes first in it, and by how much."""

    contest: Contest
    first: str | None
    lead: float | None

    @classmethod
    def of(cls, contest: Contest) -> Present:
        """Of a contest, for all that is asked of it."""
        first = contest.first
        return cls(contest, first, None if first is None else contest.lead(first))


def nearest(present: Present, now: float, grid: Grid, at: Callable[[float], Contest]) -> Turn | None:
    """The value, from near to far, from which on another goes first than now does; `None` if not even at last.

    The first guesses go by the lead, which most figures change evenly; the others by halves, which is right where the
    choice turns once. What counts is who goes first at the values found.
    """
    if grid.size < 1:
        return None
    far = at(grid.value(grid.size - 1))
    same, other, first = -1, grid.size - 1, far.first
    if first == present.first:
        return None
    guess = _guessed(present, far, grid)
    guesses = _GUESSES
    while other - same > 1:
        guessing = guesses > 0 and same < guess < other
        middle = guess if guessing else (same + other) // 2
        guesses -= 1
        found = at(grid.value(middle)).first
        if found == present.first:
            same, guess = middle, middle + 1
        else:
            other, first, guess = middle, found, middle - 1
    return Turn(grid.value(other), now if same < 0 else grid.value(same), first, lasting=far.first == first)


def _guessed(present: Present, far: Contest, grid: Grid) -> int:
    """Where the lead would be gone; the last place but one where it is not told."""
    left = None if present.first is None else far.lead(present.first)
    if left is None or present.lead is None or left >= present.lead:
        return grid.size - 2
    # Beyond the ends where another goes first for its health: the lead then says nothing of the choice.
    return max(0, grid.place(min(1.0, max(0.0, present.lead / (present.lead - left)))))


def turned(about: About, turn: Turn, now: float, path: tuple[str, ...]) -> WhatIf:
    """The turn of a figure as what it says. A path of one key is the question's, a longer one the configuration's."""
    where: Literal["configuration", "question"] = "question" if len(path) == 1 else "configuration"
    settings = (Setting(where=where, path=path, value=turn.to),) if path else ()
    return WhatIf(
        about=about, settings=settings, first=turn.first, now=now, to=turn.to, until=turn.until, lasting=turn.lasting
    )
