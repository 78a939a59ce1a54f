"""Numbers, units, words for numbers, expressions: what is read, and when it is the same."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pydantic import ValidationError

from pointsman.divergence.comparison import excerpt
from pointsman.divergence.dates import Moment, moments
from pointsman.divergence.expressions import evaluated
from pointsman.divergence.final_answer import final_answer
from pointsman.divergence.final_number import final_number
from pointsman.divergence.latex import plain
from pointsman.divergence.number_words import with_digits
from pointsman.divergence.quantity import quantities
from pointsman.divergence.settings import DivergenceSettings
from pointsman.divergence.statement import Statement
from pointsman.divergence.text import folded, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("twenty-five apples", "25 apples"),
        ("one thousand two hundred and six", "1206"),
        ("a hundred men", "100 men"),
        ("two million", "2000000"),
        ("two thirds", "2/3"),
        ("half an hour and a quarter", "half an hour and 1/4"),
        ("a dozen", "12"),
        ("five twenty", "five twenty"),
        ("someone is often alone", "someone is often alone"),
        ("1.5 million", "1.5 million"),
    ],
)
def test_written_numbers_become_digits(text: str, expected: str) -> None:
    assert with_digits(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", Fraction(7)),
        ("2(3 + 4)", Fraction(14)),
        ("-2^2", Fraction(-4)),
        ("2^-1", Fraction(1, 2)),
        ("1/3 + 1/6", Fraction(1, 2)),
        ("--3", Fraction(3)),
        ("sqrt(16)", 4.0),
        ("10^500", None),
        ("1/0", None),
        ("sqrt(-1)", None),
        ("two words", None),
        ("", None),
        ("(1", None),
        ("((((((((((((((((((((((((((((1))))))))))))))))))))))))))))", None),
    ],
)
def test_expressions_have_a_value(text: str, expected: object) -> None:
    assert evaluated(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\frac{1}{2}", "((1)/(2))"),
        ("\\dfrac12", "((1)/(2))"),
        ("\\frac{\\sqrt{3}}{2}", "((sqrt(3))/(2))"),
        ("1{,}000", "1,000"),
        ("\\text{even}", " even "),
        ("5\\%", "5%"),
    ],
)
def test_latex_is_read(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1,234.50 and 7", [Fraction(2469, 2), 7]),
        ("-3 to 5-2", [-3, 5, 2]),
        ("1 1/2 cups", [Fraction(3, 2)]),
        ("5 feet 6 inches", [Fraction(11, 2)]),
        ("1.234,50 euros", [Fraction(2469, 2)]),
        ("H2O and x25", []),
        ("3e2, 4 * 10^3", [300, 4000]),
        ("9" * 500, []),
        ("5/0", []),
    ],
)
def test_amounts_are_found_in_a_sentence(text: str, expected: list[object]) -> None:
    assert [quantity.value for quantity in quantities(text)] == expected


WORDS = "Lea has 12 jars with 30 beads each and gives 60 away. How many beads does she keep in 4 weeks?"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("12 * 30 = 360, and 360 - 60 = 300 beads.", 300),
        ("So she keeps 300 beads of the 12 jars.", 300),
        ("After 4 weeks she has 300 beads.", 300),
        ("She keeps 300 beads after 4 weeks.", 300),
        ("The answer is 300. It follows from 12 jars.", 300),
        ("#### 300", 300),
        ("$\\boxed{300}$ in 4 weeks", 300),
        ("1. There are 360.\n2. She gives 60.\n3. She keeps three hundred.", 300),
        ("<answer>300 beads</answer>", 300),
        ("Thus $360 - 60 = 300$ remain from 12.", 300),
        ("nothing", None),
    ],
)
def test_the_final_number_is_found_without_an_answer_line(answer: str, expected: int | None) -> None:
    found = final_number(Statement(answer), WORDS)
    assert (found.items[0].value if found else None) == expected


def test_a_fact_is_said_first_and_explained_then() -> None:
    answer = Statement("The tower is 98 metres high. It was finished in 1482.")
    found = final_number(answer, "How high is the tower?")
    assert found is not None
    assert found.items[0].value == 98


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Steps.\n\\boxed{\\frac{1}{2}} and more", "\\frac{1}{2}"),
        ("Steps.\n#### 5\n", "5"),
        ("The answer is 3.5 m. Bye.", "3.5 m"),
        ("Answer:\n\n7", "7"),
        ("**Final Answer:** Oslo", "Oslo"),
        ("<answer> x </answer>", "x"),
        ('{"reasoning": "a", "answer": "b \\"c\\""}', 'b "c"'),
        ("The answer is 4. No, the answer is 5.", "5"),
    ],
)
def test_a_marked_answer_is_found(text: str, expected: str) -> None:
    found = final_answer(text)
    assert (found.text, found.explicit) == (expected, True)


def test_the_last_sentence_stands_in_for_a_mark() -> None:
    found = final_answer("Dr. Ito came at 3.30 pm. It rained!\n\n")
    assert (found.text, found.explicit) == ("It rained", False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("May 5, 1990", [Moment(1990, 5, 5)]),
        ("the 5th of May", [Moment(None, 5, 5)]),
        ("May 1990", [Moment(1990, 5)]),
        ("03/04/1990", [Moment(1990, 3, 4), Moment(1990, 4, 3)]),
        ("30.04.1990", [Moment(1990, 4, 30)]),
        ("1990-05-05T10:00:00Z", [Moment(1990, 5, 5, (10, 0, 0))]),
        ("in 1990", [Moment(1990)]),
        ("12 am", [Moment(time=(0, 0, 0))]),
        ("at midnight", [Moment(time=(0, 0, 0))]),
        ("17:05:09", [Moment(time=(17, 5, 9))]),
        ("it may rain", []),
        ("1990.5", []),
    ],
)
def test_dates_are_read(text: str, expected: list[Moment]) -> None:
    assert list(moments(text)) == expected


def test_texts_have_one_spelling() -> None:
    assert folded("\u201cx\u201d \u2013 \u0663\u066b\u0665 \u00bd") == '"x" - 3.5 1/2'
    assert folded("a\r\nb") == "a\nb"


def test_words_are_found_without_spaces_and_with_vowel_signs() -> None:
    assert tokens("The 3.5 \u6771\u4eac\u90fd!") == ("the", "3.5", "\u6771\u4eac", "\u4eac\u90fd")
    hindi = ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u0948")
    assert tokens(f"{hindi[0]} {hindi[1]}\u0964") == hindi


def test_an_excerpt_can_be_shown_and_sent() -> None:
    assert excerpt("a\n b\ud800") == "a b\ufffd"
    assert len(excerpt("x" * 1000)) < 210


@pytest.mark.parametrize(
    "table",
    [
        {"detector": "levenshtein"},
        {"threshold": 1.1},
        {"number_tolerance": -1},
        {"number_tolerance": float("nan")},
        {"prose_threshold": 2},
        {"treshold": 0.8},
    ],
)
def test_settings_that_make_no_sense_are_refused(table: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DivergenceSettings.model_validate(table)
