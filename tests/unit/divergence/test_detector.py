"""Whether two answers agree, kind by kind. Every pair is compared both ways round."""

from __future__ import annotations

import pytest

from pointsman.divergence.detector import compare
from pointsman.divergence.settings import DivergenceSettings
from pointsman.divergence.statement import Statement

HOW_MANY = "A bakery fills 12 trays with 25 rolls each and sells 60 rolls. How many rolls are left?"
MINUTES = "How many minutes does the ferry take?"
PERCENT = "What percentage of the seats is taken?"
CHANCE = "What is the probability of rain?"
VALUE = "Find the value of $x^2$ for which $2x = 3$."
PICK = "Which metal is liquid at room temperature?\nA) iron\nB) mercury\nC) copper\nD) tin\nAnswer with the letter."
INLINE = "Which of these is a mammal? (A) trout (B) heron (C) otter"
PRINTS = "What does this program print?\nprint(f(3))"
WHEN = "When was the bridge opened?"
YEAR = "In which year was the bridge opened?"
TIME = "What time does the train leave?"
IS_IT = "Is a tomato a fruit?"
CAPITAL = "What is the capital of Australia?"
WRITE = "Write a function that doubles a number."
OPEN = "Why did the harvest fail?"


def verdict(question: str | None, a: str, b: str) -> str:
    found = compare(a, b, question=question)
    assert compare(b, a, question=question) == found.mirrored()
    assert found.differences or found.verdict == "agree"
    return found.verdict


SAME = [
    (HOW_MANY, "240", "The bakery has 240 rolls left."),
    (HOW_MANY, "12 * 25 = 300 rolls.\n\n300 - 60 = 240.\n\nSo 240 rolls are left.", "#### 240"),
    (HOW_MANY, "\\boxed{240}", "**Answer:** 240 rolls"),
    (HOW_MANY, "Final answer: 240.", "300 - 60 = 240 rolls remain after the sale of 60."),
    (HOW_MANY, "two hundred and forty", "240"),
    (HOW_MANY, "So 240 rolls are left from the 12 trays.", "They keep 240."),
    (HOW_MANY, '{"reasoning": "300 - 60", "answer": "240"}', "240"),
    (HOW_MANY, '{"reasoning": "300 - 60", "answer": 240}', '{"reasoning": "12 trays", "answer": "240 rolls"}'),
    (HOW_MANY, '{"reasoning": "he said "hm", "answer": "240"\n}', "240"),
    (None, "1,000", "1000"),
    (None, "1e3", "one thousand"),
    (None, "1'000", "1000.0"),
    (None, "$1,250.00", "1250 dollars"),
    (None, "1/2", "0.5"),
    (None, "1/2", "50 %"),
    (None, "0.667", "2/3"),
    (None, "2\N{VULGAR FRACTION ONE HALF}", "2.5"),
    (None, "\u0661\u0662\u0663", "123"),
    (None, "\u096a\u0968", "42"),
    (None, "\uff14\uff12", "42"),
    (None, "1.5 million", "1,500,000"),
    (None, "-7", "\N{MINUS SIGN}7"),
    (None, "42", "The answer is 42."),
    (MINUTES, "90 minutes", "1 hour 30 minutes"),
    (MINUTES, "1.5 hours", "90"),
    (PERCENT, "50", "50%"),
    (CHANCE, "0.5", "50%"),
    (CHANCE, "1/4", "25 percent"),
    (VALUE, "$\\frac{9}{4}$", "2.25"),
    (VALUE, "The value is $\\boxed{\\dfrac{9}{4}}$.", "x = 3/2, so we get \\(x^2 = 9/4\\)."),
    (VALUE, "2\\sqrt{2}", "\\sqrt{8}"),
    (VALUE, "x = 2 or x = 3", "3, 2"),
    (VALUE, "x(x+3)", "$x^2 + 3x$"),
    (VALUE, "[1, \\infty)", "$[1,\\infty)$"),
    (VALUE, "\\frac{3\\pi}{4}", "3\\pi/4"),
    (PICK, "B", "b"),
    (PICK, "B)", "The correct answer is (B) mercury."),
    (PICK, "Mercury is liquid at room temperature.", "Answer: B"),
    (PICK, "**B. mercury**", "I would choose option B, because iron melts at 1538 degrees."),
    (INLINE, "C", "An otter is a mammal, so the answer is (C)."),
    (PRINTS, "[1, 2]", "[1,2]"),
    (PRINTS, "'abc'", '"abc"'),
    (PRINTS, "abc", "'abc'"),
    (PRINTS, "{'a': 1, 'b': [True]}", "{'b': [True], 'a': 1}"),
    (PRINTS, "It loops twice and returns `[3, 4]`.", "assert f(3) == [3, 4]"),
    (PRINTS, "[ANSWER]\nTrue\n[/ANSWER]", "The output is True."),
    (PRINTS, "```\n(1, 'x')\n```", "(1, 'x')"),
    (PRINTS, "true", "True"),
    (PRINTS, "1\n2\n3", "It counts:\n```\n1\n2\n3\n```"),
    (PRINTS, "assert f('a==b') == 'c'", "'c'"),
    (PRINTS, "8.5", "8.50"),
    (HOW_MANY, "12 000 rolls", "12,000"),
    (VALUE, "1 \\pm \\sqrt{2}", "1 - \\sqrt{2}, 1 + \\sqrt{2}"),
    (WHEN, "July 4, 1976", "1976-07-04"),
    (WHEN, "It was opened on the 4th of July 1976.", "4 July 1976"),
    (WHEN, "04/07/1976", "4/7/1976"),
    (YEAR, "1976", "It opened on 4 July 1976."),
    (TIME, "3:30 pm", "15:30"),
    (TIME, "noon", "12:00"),
    (IS_IT, "Yes", "Yes, botanically it is."),
    (IS_IT, "True.", "yes"),
    (CAPITAL, "Canberra", "The capital of Australia is Canberra."),
    (CAPITAL, "Canberra is Australia's capital city.", "The capital is Canberra."),
    (CAPITAL, "canberra.", "**Canberra**"),
    ("Which hue?", "the colour grey", "The color grey."),
    (CAPITAL, "I'm sorry, but I cannot help with that.", "I am unable to answer."),
    (
        WRITE,
        "```python\ndef f(x):\n    return 2 * x\n```",
        "def f(number: int) -> int:\n    '''Double.'''\n    return 2 * number",
    ),
    (OPEN, "", "  \n"),
    (
        OPEN,
        "The harvest failed because heavy rain in June flooded the fields and the seeds rotted.",
        "The harvest failed because the heavy rain in June flooded fields and seeds rotted.",
    ),
]

DIFFERENT = [
    (HOW_MANY, "240", "300"),
    (HOW_MANY, "300 - 60 = 240 rolls", "12 * 25 = 300 rolls are left."),
    (HOW_MANY, "240", "It cannot be determined."),
    (HOW_MANY, "\\boxed{240}", "#### 241"),
    (None, "1,000", "10,000"),
    (None, "9" * 5000, "9" * 4999 + "8"),
    (None, "5 kg", "5 km"),
    (MINUTES, "90 minutes", "90 hours"),
    (PERCENT, "0.5", "50%"),
    (CHANCE, "50", "50%"),
    (VALUE, "(2, 3)", "(3, 2)"),
    (VALUE, "[1, 2)", "[1, 2]"),
    (VALUE, "x + y", "x - y"),
    (VALUE, "-\\frac{1}{2}", "\\frac{1}{2}"),
    (PICK, "B", "C"),
    (PICK, "A", "I do"),
    (PICK, "B) mercury", "The correct answer is D."),
    (INLINE, "heron", "C"),
    (PRINTS, "[1, 2]", "[2, 1]"),
    (PRINTS, "'abc'", "'Abc'"),
    (PRINTS, "True", "1"),
    (PRINTS, f"0x{'f' * 4900}", "'ff'"),
    (PRINTS, f"0x{'f' * 4900}", "1.5"),
    (PRINTS, "1\n2\n3", "1\n2\n4"),
    (PRINTS, "['1']", "[1]"),
    (WHEN, "4 July 1976", "5 July 1976"),
    (TIME, "3:30 pm", "3:30 am"),
    (YEAR, "It opened in 1976.", "1967"),
    (IS_IT, "Yes", "No, it is a vegetable."),
    (IS_IT, "Yes", "A tomato is not a fruit, so the answer is no."),
    (CAPITAL, "Canberra", "Sydney"),
    (CAPITAL, "The capital of Australia is Canberra.", "The capital of Australia is not Canberra."),
    (CAPITAL, "Canberra", "I'm sorry, but I cannot help with that."),
    (CAPITAL, "", "Canberra"),
    (CAPITAL, "...", "Canberra"),
    (CAPITAL, "...", "???"),
    ("Is it so?", "possible", "impossible"),
    (WRITE, "def f(x):\n    return 2 * x", "def f(x):\n    return 3 * x"),
    (
        OPEN,
        "The harvest failed because 300 mm of rain fell in June.",
        "The harvest failed because 30 mm of rain fell in June.",
    ),
    (
        OPEN,
        "The rain in June flooded the fields. Seeds rotted.",
        "The rain in June did not flood the fields. Seeds rotted.",
    ),
]

OPEN_TO_DOUBT = [
    (
        OPEN,
        "Locusts came in spring and ate the young plants; besides, the soil had been exhausted for years.",
        "The soil was exhausted, there was too little rain and the farmers had no money for better seeds.",
    ),
    (WRITE, "def f(x):\n    return 2 * x", "def f(x):\n    y = x\n    y += x\n    return y"),
    (CAPITAL, "Canberra", "Canberra or Sydney"),
    ("Which cities?", "Oslo", "Oslo and Bergen"),
    ("What is its subject?", "macroeconomics", "microeconomics"),
]


@pytest.mark.parametrize(("question", "a", "b"), SAME)
def test_they_agree(question: str | None, a: str, b: str) -> None:
    assert verdict(question, a, b) == "agree"


@pytest.mark.parametrize(("question", "a", "b"), DIFFERENT)
def test_they_disagree(question: str | None, a: str, b: str) -> None:
    assert verdict(question, a, b) == "disagree"


@pytest.mark.parametrize(("question", "a", "b"), OPEN_TO_DOUBT)
def test_nobody_can_tell(question: str | None, a: str, b: str) -> None:
    assert verdict(question, a, b) == "cannot_tell"


GAS = "What gas do plants absorb?\nA. oxygen\nB. carbon dioxide\nC. nitrogen\nD. helium"


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("['B']", "B"),
        ("\\boxed{\\text{(B)}}", "B"),
        ("\\boxed{\\textbf{(C)}\\ nitrogen}", "C"),
        ("Option B is correct because A, C and D are not absorbed.", "B"),
        ("The answer is not A but B.", "B"),
        ("A: oxygen is what they give off.\nB: carbon dioxide is absorbed.\nSo the answer is B.", "B"),
        ("carbon dioxide (CO2)", "B"),
        ("Plants absorb carbon dioxide.", "B"),
        ("Answer: d)", "D"),
    ],
)
def test_an_option_is_found_by_its_letter_or_its_words(answer: str, label: str) -> None:
    for other in "ABCD":
        assert verdict(GAS, answer, other) == ("agree" if other == label else "disagree")


def test_options_may_be_numbered() -> None:
    numbered = "Choose the correct option.\n1) red\n2) green\nAnswer:"
    assert verdict(numbered, "2", "green") == "agree"
    named = "The lid does not fit, since the _ is too big.\nOption 1: lid\nOption 2: jar\nAnswer with 1 or 2."
    assert verdict(named, "lid", "1") == "agree"


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        ("Who was president in 1990?", "George H. W. Bush", "George W. Bush"),
        ("What is the ratio?", "3:2", "2:3"),
        ("For which x is it so?", "x \\ge 2", "x > 2"),
        ("For which x is it so?", "\\boxed{x \\ge 2}", "\\boxed{x \\le 2}"),
        ("Is 9 a prime number?", "Yes.", "9 is not a prime number."),
    ],
)
def test_what_words_alone_do_not_tell_is_told(question: str, a: str, b: str) -> None:
    assert verdict(question, a, b) == "disagree"


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        ("Who wrote Hamlet?", "William Shakespeare", "Hamlet was written by Shakespeare."),
        ("Who was president in 1962?", "John F. Kennedy", "John Kennedy"),
        ("Is 7 a prime number?", "Yes.", "7 is a prime number."),
        ("For which x is it so?", "x \\geq 2", "x \N{GREATER-THAN OR EQUAL TO} 2"),
        (None, "3\\frac{1}{2}", "3.5"),
    ],
)
def test_a_fact_may_be_said_in_a_sentence(question: str | None, a: str, b: str) -> None:
    assert verdict(question, a, b) == "agree"


def test_beside_gsm8ks_mark_the_last_number_counts_and_elsewhere_what_the_sentence_is_about() -> None:
    said = "So she needs 8 boxes for 30 days."
    asked = "Ann eats 4 nuts a day for 30 days, and a box holds 15. How many boxes does she need?"
    assert verdict(asked, said, "8 boxes") == "agree"
    assert verdict(asked, said, "#### 8") == "disagree"
    by_sense = DivergenceSettings(last_number_beside_marker=False)
    assert compare(said, "#### 8", question=asked, settings=by_sense).verdict == "agree"


def test_claims_stand_in_for_the_text_of_free_answers() -> None:
    claims = ("Heavy rain in June flooded the northern fields.", "Most of the seeds rotted in the wet ground.")
    first = Statement(
        "A long introduction that says little about what happened to the harvest in the end.", claims=claims
    )
    second = Statement("Another text altogether, with much about the weather of other years and places.", claims=claims)
    assert compare(first, second, question=OPEN).verdict == "agree"
    other = Statement(second.text, claims=("Heavy rain in June did not flood the northern fields.", claims[1]))
    assert compare(first, other, question=OPEN).differences[0].why == "one denies what the other says"
