"""Answers that share nearly all their words and still do not say the same."""

from __future__ import annotations

import pytest

from pointsman.divergence.detector import compare

SEATS = "How many seats are there?"


def verdicts(question: str | None, a: str, b: str) -> set[str]:
    """Of both orders: one, if the comparison is symmetric."""
    return {compare(a, b, question=question).verdict, compare(b, a, question=question).verdict}


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        (SEATS, "more than 7", "fewer than 7"),
        (SEATS, "at least 12", "at most 12"),
        (SEATS, "more than seven", "7"),
        (SEATS, "between 4 and 9", "4"),
        ("When was it built?", "before 1850", "after 1850"),
        ("When was it built?", "before May 1850", "1850"),
        (None, "over 40", "under 40"),
    ],
)
def test_relations_to_a_number_count(question: str | None, a: str, b: str) -> None:
    assert verdicts(question, a, b) == {"disagree"}


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        (SEATS, "more than 7", "over 7 seats"),
        (SEATS, "at most 12", "no more than 12"),
        (SEATS, "exactly 12", "12"),
        ("When does it hatch?", "after 3 days", "3 days"),
    ],
)
def test_the_same_relation_in_other_words_is_the_same(question: str | None, a: str, b: str) -> None:
    assert verdicts(question, a, b) == {"agree"}
