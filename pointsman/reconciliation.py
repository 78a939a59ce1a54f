"""Several answers, one truth, or none: strategies over groups of answers that agree.

Source document, "Pattern 3": agreement takes the surer answer; a difference takes the one that is 1.5 times as sure;
anything else is for a person. Its tie that names one winner and returns the other's text is a bug there and no rule
here. A tie is never decided by the order in which answers came.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from pointsman.dissent import Dissent
from pointsman.divergence.comparison import Comparison
from pointsman.panel import OnCannotTell, Strategy

MARGIN = 1.5
"""Strict: as many times as sure as the other."""

Outcome = Literal["agree", "majority", "margin", "highest_confidence", "undecided"]


class Vote(BaseModel):
    """One member's answer and how sure of it he is."""

    model_config = ConfigDict(frozen=True)

    provider: str
    confidence: float


class Pair(NamedTuple):
    """Two votes, by their positions, and how they compare."""

    first: int
    second: int
    found: Comparison


class Reconciliation(BaseModel):
    """What the answers of a panel come to."""

    model_config = ConfigDict(frozen=True)

    strategy: Strategy
    outcome: Outcome
    why: str
    """In a sentence."""
    winner: str | None = None
    confidence: float | None = None
    divergent: bool | None
    """Whether the answers differ; `None` where that cannot be told."""
    similarity: float | None = None
    """Of the two that are least alike."""
    votes: tuple[tuple[str, ...], ...]
    """Providers whose answers agree, a group each; the largest first, a group's surest first."""
    dissent: tuple[str, ...] = ()
    """Providers outside the winner's group."""
    differences: tuple[Dissent, ...] = ()
    detector: str
    settled: bool = True
    """Whether answers that are still to come could not change it."""


def reconcile(  # noqa: PLR0913 - the votes, how they compare, and the policy
    votes: list[Vote],
    groups: list[list[int]],
    pairs: list[Pair],
    strategy: Strategy,
    *,
    on_cannot_tell: OnCannotTell = "disagree",
    outstanding: int = 0,
) -> Reconciliation:
    """Reconcile at least two votes.

    Args:
        votes: In the order of the panel.
        groups: Positions of votes that agree; every vote is in exactly one.
        pairs: All of them.
        strategy: How to decide.
        on_cannot_tell: Whether a person is asked where it is not even certain that answers differ.
        outstanding: Members that may still answer.
    """
    ranked = _ranked(votes, groups)
    divergent = _divergent(ranked, pairs)
    outcome, winner, why = _decided(votes, ranked, strategy)
    if divergent is None and on_cannot_tell == "review" and outcome != "majority":
        outcome, winner, why = "undecided", None, "whether the answers agree cannot be told"
    in_group = next((group for group in ranked if winner in group), [])
    return Reconciliation(
        strategy=strategy,
        outcome=outcome,
        why=why,
        winner=None if winner is None else votes[winner].provider,
        confidence=None if winner is None else votes[winner].confidence,
        divergent=divergent,
        similarity=min((pair.found.similarity for pair in pairs), default=None),
        votes=tuple(tuple(votes[position].provider for position in group) for group in ranked),
        dissent=()
        if winner is None
        else tuple(vote.provider for position, vote in enumerate(votes) if position not in in_group),
        differences=_dissent(votes, pairs),
        detector=", ".join(sorted({pair.found.detector for pair in pairs})),
        settled=outstanding == 0 or _certain(ranked, len(votes) + outstanding, strategy),
    )


def uncompared(providers: list[str], strategy: Strategy, outstanding: int) -> Reconciliation:
    """For answers that could not be compared at all: nobody's win, and for a person to decide."""
    return Reconciliation(
        strategy=strategy,
        outcome="undecided",
        why="the answers could not be compared",
        divergent=None,
        votes=tuple((provider,) for provider in providers),
        detector="",
        settled=outstanding == 0,
    )


_DIFFERENCES_KEPT = 20
Groups = list[list[int]]


def _ranked(votes: list[Vote], groups: Groups) -> Groups:
    """The largest first, and in each the surest first; equals stand in the panel's order, which decides nothing."""
    inside = [sorted(group, key=lambda position: (-votes[position].confidence, position)) for group in groups]
    return sorted(inside, key=lambda group: (-len(group), -votes[group[0]].confidence, group[0]))


def _decided(votes: list[Vote], ranked: Groups, strategy: Strategy) -> tuple[Outcome, int | None, str]:
    if strategy == "review":
        return "undecided", None, "this route leaves every answer to a person"
    if len(ranked) == 1:
        return "agree", ranked[0][0], f"all {len(votes)} answers agree"
    if strategy != "highest_confidence" and len(ranked[0]) * 2 > len(votes):
        return "majority", ranked[0][0], f"{len(ranked[0])} of {len(votes)} answers agree"
    by_confidence = sorted(ranked, key=lambda group: -votes[group[0]].confidence)
    first, second = (votes[group[0]] for group in by_confidence[:2])
    told = f"{first.provider} is {first.confidence:.2f} sure, {second.provider} {second.confidence:.2f}"
    if strategy == "highest_confidence" and first.confidence > second.confidence:
        return "highest_confidence", by_confidence[0][0], told
    if strategy == "tiered" and first.confidence > MARGIN * second.confidence:
        return "margin", by_confidence[0][0], f"the answers differ, and {told}: more than {MARGIN:g} times as much"
    return "undecided", None, f"the answers differ, and none outweighs the others ({told})"


def _divergent(ranked: Groups, pairs: list[Pair]) -> bool | None:
    if len(ranked) == 1:
        return False
    return True if any(pair.found.verdict == "disagree" for pair in pairs) else None


def _dissent(votes: list[Vote], pairs: list[Pair]) -> tuple[Dissent, ...]:
    found = [
        Dissent.of(difference, votes[pair.first].provider, votes[pair.second].provider)
        for pair in pairs
        for difference in pair.found.differences
    ]
    return tuple(found[:_DIFFERENCES_KEPT])


def _certain(ranked: Groups, possible: int, strategy: Strategy) -> bool:
    """Whether a group has so many votes that no other can outnumber it any more."""
    return strategy in ("tiered", "majority") and len(ranked[0]) * 2 > possible
