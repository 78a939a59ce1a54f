"""Who is asked at once where the stakes are high: equals of the best candidate, of different vendors where possible.

Only providers of one tier are compared (source document, "Must not do" 4): a small model that contradicts a large one
says nothing about either.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.review import ReviewTerms

Strategy = Literal["tiered", "majority", "highest_confidence", "review"]
OnUnverifiable = Literal["answer", "review", "fail"]
OnCannotTell = Literal["disagree", "agree", "review"]
FanOut = Annotated[int, Field(ge=2, le=5)]

FEWEST = 2


class Equal(BaseModel):
    """What of a candidate decides whether, and in which order, it sits on a panel."""

    model_config = ConfigDict(frozen=True)

    provider: str
    vendor: str
    tier: str
    well: bool = True


class Panel(BaseModel):
    """A question's panel, as its decision carries it."""

    model_config = ConfigDict(frozen=True)

    members: tuple[str, ...]
    """Asked at once, the best first."""
    reserves: tuple[str, ...] = ()
    """Equals that take the place of members that fail, in order."""
    strategy: Strategy = "tiered"
    on_unverifiable: OnUnverifiable = "answer"
    on_cannot_tell: OnCannotTell = "disagree"
    review: ReviewTerms = ReviewTerms()

    @property
    def can_compare(self) -> bool:
        """Whether there are two equals at all."""
        return len(self.members) >= FEWEST


def seated(candidates: list[Equal], fan_out: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Members and reserves among the candidates, which come best first.

    Each vendor sits once before any sits twice: two models of one vendor tend to share their mistakes.
    """
    if not candidates:
        return (), ()
    equals = [found for found in candidates if found.tier == candidates[0].tier]
    # An unwell one may fail or be late: it only stands by, unless there would be nothing to compare without it.
    well = [found for found in equals if found.well]
    ready = well if len(well) >= FEWEST else [*well, *(found for found in equals if not found.well)][:FEWEST]
    seats = ready[:1]
    while len(seats) < fan_out and len(seats) < len(ready):
        vendors = [found.vendor for found in seats]
        free = [found for found in ready if found not in seats]
        seats.append(min(free, key=lambda found: (vendors.count(found.vendor), ready.index(found))))
    members = tuple(found.provider for found in seats)
    return members, tuple(found.provider for found in equals if found.provider not in members)
