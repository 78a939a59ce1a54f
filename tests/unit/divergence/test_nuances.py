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
        ("What must one have at least?", "at least 12", "12"),
        ("When does it hatch?", "after 3 days", "3 days"),
    ],
)
def test_the_same_relation_in_other_words_is_the_same(question: str | None, a: str, b: str) -> None:
    assert verdicts(question, a, b) == {"agree"}


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        (None, "20 mg", "20 mcg"),
        (None, "20 mg", "20 \N{MICRO SIGN}g"),
        ("What does it cost?", "80 USD", "80 CAD"),
        ("What does it cost?", "$80 USD", "$80 CAD"),
        ("What does it cost?", "80 EUR", "80 CHF"),
        (None, "7 kWh", "7 kW"),
        (None, "64 GB", "64 Gb"),
        ("What is the dose?", "15 mg/kg", "15 mg"),
        ("What is the dose?", "15 mg/kg", "15 mg/l"),
    ],
)
def test_another_unit_is_another_amount(question: str | None, a: str, b: str) -> None:
    assert verdicts(question, a, b) == {"disagree"}


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        (None, "20 mg", "20"),
        (None, "2 mg", "2000 \N{MICRO SIGN}g"),
        ("What does it cost?", "$80", "80 CAD"),
        ("How many cents are that?", "5 USD", "500"),
        ("What does it cost?", "$80 per night", "$80"),
        ("What is the dose per kilogram?", "15 mg/kg", "15 mg"),
        ("What is the dose?", "15 mg/kg", "15 mg per kilogram"),
        (SEATS, "12 seats", "12 chairs"),
    ],
)
def test_the_same_amount_in_other_units_or_without_is_the_same(question: str | None, a: str, b: str) -> None:
    assert verdicts(question, a, b) == {"agree"}


LONG = "the valve beside the second tank of the plant near the harbour until the pressure gauge shows green"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (f"Open {LONG}.", f"Close {LONG}.", "disagree"),
        (f"Rinse {LONG}.", f"Heat {LONG}.", "cannot_tell"),
        (f"Turn {LONG}.", f"Turns {LONG}.", "agree"),
        ("Reject the claim", "Accept the claim", "disagree"),
        ("The request was approved", "The request was rejected", "disagree"),
        ("Mars is smaller than Venus", "Venus is smaller than Mars", "cannot_tell"),
        ("Ahmed beat Lopez", "Lopez beat Ahmed", "cannot_tell"),
        (
            "After the long war of nine winters the northern tribes finally defeated their southern neighbours.",
            "After the long war of nine winters the southern tribes finally defeated their northern neighbours.",
            "cannot_tell",
        ),
        ("red, green and blue", "blue, green and red", "agree"),
        ("in Lima on Monday", "on Monday in Lima", "agree"),
        ("Ines Moreau", "Moreau Ines", "agree"),
    ],
)
def test_one_word_or_its_place_can_turn_a_statement_around(a: str, b: str, expected: str) -> None:
    assert verdicts(None, a, b) == {expected}


@pytest.mark.parametrize(
    ("question", "a", "b", "expected"),
    [
        ("Which language?", "C", "C++", "disagree"),
        ("Which language?", "It is written in C#.", "C++", "disagree"),
        ("Which language?", "C++", "It is written in C++.", "agree"),
        ("Which language?", "I use C", "C++", "disagree"),
        ("Which file?", "/srv/www/a", "/srv/www/b", "disagree"),
        ("Which file?", "/srv/www/a", "It is `/srv/www/a`.", "agree"),
        ("When does it open?", "9:15 am EST", "9:15 am PST", "disagree"),
        ("When does it open?", "9:15 am EST", "9:15 am", "agree"),
        ("When does it open?", "9:15 am EST", "14:15 UTC", "cannot_tell"),
        ("When does it open?", "9:15 GMT", "09:15 UTC", "agree"),
        ("When was it built?", "2/8/1931", "8/2/1931", "cannot_tell"),
        ("When was it built?", "2/8/1931", "2 August 1931", "agree"),
        ("Which version is needed?", "4.20", "4.2", "disagree"),
        ("Which version is needed?", "v4.20", "Version 4.20.", "agree"),
        (None, "[]", "{}", "disagree"),
        (None, '{"postcode": "00420"}', '{"postcode": 420}', "disagree"),
        (None, '{"version": "4.20"}', '{"version": "4.2"}', "disagree"),
        (None, '{"v": "4.20"}', '{"v": "v4.20"}', "agree"),
        (None, '{"price": "4.20"}', '{"price": 4.2}', "agree"),
        (None, "Yes", "Yes, unless it snows", "cannot_tell"),
        ("Is it open?", "Yes.", "Yes, but no.", "cannot_tell"),
        ("Is it open?", "Yes.", "Yes, it is.", "agree"),
        ("Is it open?", "Yes.", "Yes, but not on Sundays.", "cannot_tell"),
        ("Is it open?", "Yes.", "Yes, but most people think that it is closed.", "agree"),
    ],
)
def test_a_sign_or_a_clause_can_make_another_answer(question: str | None, a: str, b: str, expected: str) -> None:
    assert verdicts(question, a, b) == {expected}
