"""Several answers, one truth, or none."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.divergence.comparison import Comparison, Verdict
from pointsman.panel import OnCannotTell, Strategy
from pointsman.reconciliation import Pair, Reconciliation, Vote, reconcile

STRATEGIES: list[Strategy] = ["tiered", "majority", "highest_confidence", "review"]


def _reconciled(
    said: dict[str, tuple[str, float]],
    strategy: Strategy = "tiered",
    *,
    outstanding: int = 0,
    differ: Verdict = "disagree",
    on_cannot_tell: OnCannotTell = "disagree",
) -> Reconciliation:
    """Providers with what they said and how sure they are; equal texts agree."""
    votes = [Vote(provider=provider, confidence=confidence) for provider, (_, confidence) in said.items()]
    texts = [text for text, _ in said.values()]
    groups = [[n for n, text in enumerate(texts) if text == one] for one in dict.fromkeys(texts)]
    pairs = [
        Pair(one, two, Comparison(verdict=differ, similarity=0.0, detector="number"))
        if texts[one] != texts[two]
        else Pair(one, two, Comparison(verdict="agree", similarity=1.0, detector="number"))
        for one, two in combinations(range(len(votes)), 2)
    ]
    return reconcile(votes, groups, pairs, strategy, on_cannot_tell=on_cannot_tell, outstanding=outstanding)


def test_answers_that_agree_are_given_by_the_surer_one() -> None:
    found = _reconciled({"a": ("5", 0.7), "b": ("5", 0.9)})
    assert (found.outcome, found.winner, found.confidence, found.divergent) == ("agree", "b", 0.9, False)


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [(0.9, 0.5, "a"), (0.5, 0.9, "b"), (0.75, 0.5, None), (0.5, 0.75, None), (0.9, 0.9, None)],
)
def test_answers_that_differ_are_settled_by_more_than_half_as_much_confidence_again(
    first: float, second: float, winner: str | None
) -> None:
    """The source document's margin of 1.5 is strict."""
    found = _reconciled({"a": ("5", first), "b": ("6", second)})
    assert (found.winner, found.divergent) == (winner, True)
    assert found.outcome == ("undecided" if winner is None else "margin")


def test_two_of_three_are_a_majority_and_the_third_is_named() -> None:
    found = _reconciled({"a": ("6", 0.9), "b": ("5", 0.7), "c": ("5", 0.8)}, "majority")
    assert (found.outcome, found.winner, found.dissent) == ("majority", "c", ("a",))
    assert found.votes == (("c", "b"), ("a",))


@pytest.mark.parametrize("strategy", ["majority", "highest_confidence"])
def test_a_tie_is_nobodys_win_whatever_the_order(strategy: Strategy) -> None:
    said = {"a": ("5", 0.8), "b": ("6", 0.8), "c": ("5", 0.7), "d": ("6", 0.7)}
    for order in permutations(said):
        assert _reconciled({name: said[name] for name in order}, strategy).winner is None


def test_half_of_the_votes_are_no_majority() -> None:
    said = {"a": ("5", 0.8), "b": ("5", 0.8), "c": ("6", 0.8), "d": ("7", 0.8)}
    assert _reconciled(said, "majority").outcome == "undecided"


def test_the_surest_wins_where_the_route_says_so() -> None:
    found = _reconciled({"a": ("5", 0.7), "b": ("6", 0.8), "c": ("5", 0.7)}, "highest_confidence")
    assert (found.outcome, found.winner) == ("highest_confidence", "b")


def test_a_person_decides_where_the_route_says_so_even_if_all_agree() -> None:
    found = _reconciled({"a": ("5", 0.7), "b": ("5", 0.9)}, "review")
    assert (found.outcome, found.winner, found.divergent) == ("undecided", None, False)


def test_a_majority_is_certain_before_the_last_has_answered() -> None:
    agreed, differing = {"a": ("5", 0.8), "b": ("5", 0.8)}, {"a": ("5", 0.8), "b": ("6", 0.8)}
    assert _reconciled(agreed, "majority", outstanding=1).settled
    assert not _reconciled(agreed, "majority", outstanding=2).settled
    assert not _reconciled(differing, "majority", outstanding=1).settled
    assert not _reconciled(agreed, "highest_confidence", outstanding=1).settled


@pytest.mark.parametrize(("on_cannot_tell", "winner"), [("disagree", "a"), ("review", None)])
def test_where_nobody_can_tell_the_policy_does(on_cannot_tell: OnCannotTell, winner: str | None) -> None:
    found = _reconciled({"a": ("5", 0.9), "b": ("6", 0.5)}, differ="cannot_tell", on_cannot_tell=on_cannot_tell)
    assert (found.divergent, found.winner) == (None, winner)


votes = st.dictionaries(
    st.sampled_from("abcde"), st.tuples(st.sampled_from("56"), st.sampled_from([0.5, 0.6, 0.9])), min_size=2
)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(votes, st.sampled_from(STRATEGIES), st.randoms(use_true_random=False))
def test_no_order_of_the_panel_changes_which_answer_wins(
    said: dict[str, tuple[str, float]], strategy: Strategy, chance: object
) -> None:
    names = list(said)
    chance.shuffle(names)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    one, two = _reconciled(said, strategy), _reconciled({name: said[name] for name in names}, strategy)
    assert (one.winner is None) == (two.winner is None)
    if one.winner is not None and two.winner is not None:
        assert said[one.winner][0] == said[two.winner][0]
