"""Answers that say the same are one class, whatever order they come in."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.divergence.comparison import Comparison, Verdict
from pointsman.divergence.equivalence import classes_of, partition_of

always = settings(derandomize=True, deadline=None)


def _comparison(verdict: Verdict) -> Comparison:
    return Comparison(verdict=verdict, similarity=0.0, detector="prose")


def test_equal_values_in_different_spellings_are_one_class() -> None:
    answers = ["1,000", "999", "one thousand", "The answer is 1e3.", "999.0"]
    partition = partition_of(answers, question="How many seats are there?")
    assert partition.classes == ((0, 2, 3), (1, 4))
    assert partition.comparisons[0, 1].verdict == "disagree"
    assert len(partition.comparisons) == 10


def test_an_answer_without_any_text_is_an_answer() -> None:
    assert partition_of(["", "Oslo", " "], question="What is the capital of Norway?").classes == ((0, 2), (1,))
    assert partition_of(["..."]).classes == ((0,),)
    assert partition_of([]).classes == ()


def test_the_classes_do_not_depend_on_the_order_of_the_answers() -> None:
    answers = ["50", "50 %", "1/2", "fifty", "0.25"]
    expected = {frozenset(answers[i] for i in one) for one in partition_of(answers).classes}
    for permuted in permutations(answers):
        found = partition_of(permuted).classes
        assert {frozenset(permuted[i] for i in one) for one in found} == expected


def test_an_answer_between_two_that_disagree_stands_alone() -> None:
    partition = partition_of(["50", "50 %", "0.5"])
    assert [partition.comparisons[pair].verdict for pair in ((0, 1), (0, 2), (1, 2))] == ["agree", "disagree", "agree"]
    assert partition.classes == ((0,), (1,), (2,))


def test_cannot_tell_never_merges_not_even_by_way_of_a_third() -> None:
    pairs = {(0, 1): _comparison("agree"), (1, 2): _comparison("agree"), (0, 2): _comparison("cannot_tell")}
    assert classes_of(3, pairs) == ((0,), (1,), (2,))
    assert classes_of(2, {(0, 1): _comparison("cannot_tell")}) == ((0,), (1,))


@pytest.mark.parametrize("verdict", ["disagree", "cannot_tell"])
def test_a_stranger_to_all_leaves_the_others_together(verdict: Verdict) -> None:
    pairs = {(i, j): _comparison("agree" if j < 3 else verdict) for i in range(4) for j in range(i + 1, 4)}
    assert classes_of(4, pairs) == ((0, 1, 2), (3,))


verdicts = st.sampled_from(["agree", "agree", "disagree", "cannot_tell"])


@always
@given(st.lists(verdicts, min_size=10, max_size=10), st.permutations(range(5)))
def test_whatever_the_comparisons_say_members_agree_and_order_does_not_matter(
    said: list[Verdict], order: list[int]
) -> None:
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    comparisons = {pair: _comparison(verdict) for pair, verdict in zip(pairs, said, strict=True)}
    classes = classes_of(5, comparisons)
    assert sorted(member for one in classes for member in one) == list(range(5))
    assert all(comparisons[i, j].verdict == "agree" for one in classes for i in one for j in one if i < j)
    moved = {(min(i, j), max(i, j)): comparisons[min(order[i], order[j]), max(order[i], order[j])] for i, j in pairs}
    found = classes_of(5, moved)
    assert {frozenset(order[i] for i in one) for one in found} == {frozenset(one) for one in classes}
