"""What no answer may do to a comparison: raise, take long, depend on an order."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pointsman.divergence.detector import compare
from pointsman.divergence.settings import DivergenceSettings
from pointsman.divergence.statement import Statement

QUESTIONS = (
    None,
    "How many minutes does it take to find the value of $x$?",
    "Which one? A) red B) blue\nA) red\nB) blue",
    "What does this program print?",
    "When was it built?",
    "Is it so?",
    "Write a function that sorts a list.",
)
MEGABYTE = 1_000_000
always = settings(derandomize=True, deadline=None, max_examples=150)

fragments = st.sampled_from(
    [
        "The answer is ",
        "#### ",
        "\\boxed{",
        "}",
        "\\frac{1}{2}",
        "$",
        "1,000",
        "50 %",
        "3:30 pm",
        "4 July 1976",
        "yes",
        "not ",
        "(B)",
        "[1, 2",
        "]",
        '{"answer": ',
        "```python\n",
        "```",
        "def f(x):\n    return ",
        ". ",
        "\n",
        " = ",
        "nan",
        "1e999",
        "\ud800",
        "\u0663\u066b\u0665",
        "\u6771\u4eac",
        "\u202e",
        "red",
    ]
)
answers = st.one_of(st.text(max_size=60), st.lists(fragments, max_size=8).map("".join))
questions = st.sampled_from(QUESTIONS)
detectors = st.sampled_from([DivergenceSettings(), DivergenceSettings(detector="jaccard")])


@always
@given(answers, answers, questions, detectors)
def test_changing_places_mirrors_the_comparison(
    a: str, b: str, question: str | None, settings: DivergenceSettings
) -> None:
    found = compare(a, b, question=question, settings=settings)
    assert compare(b, a, question=question, settings=settings) == found.mirrored()
    assert found.mirrored().mirrored() == found
    assert 0 <= found.similarity <= 1
    assert (found.verdict == "agree") == (not found.differences)
    found.model_dump_json()


@always
@given(answers, questions)
@example("", None)
@example("\ud800", None)
def test_every_answer_agrees_with_itself(answer: str, question: str | None) -> None:
    assert compare(answer, answer, question=question).verdict == "agree"
    assert compare(answer, f" {answer}\n", question=question).verdict == "agree"


@always
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_every_document_agrees_with_itself(value: object) -> None:
    assert compare(Statement("a", value), Statement("b", value), schema={}).verdict in {"agree", "disagree"}
    if isinstance(value, dict | list):
        assert compare(Statement("a", value), Statement("b", value)).verdict == "agree"


@pytest.mark.parametrize("question", QUESTIONS[:2])
@pytest.mark.parametrize(
    "unit",
    ["a", "9", " ", "(", "{", "\\", "$", "*", "`", '"', ".", "1,111,", "\\frac{", "answer is ", "\u0661", "\ud800"],
)
def test_a_megabyte_of_the_same_is_compared_in_bounded_time(unit: str, question: str | None) -> None:
    text = unit * (MEGABYTE // len(unit))
    began = time.process_time()
    compare(text, f"{text[:-1]}b", question=question)
    # Generous: what this is about takes minutes where it goes wrong.
    assert time.process_time() - began < 5


def test_answers_of_a_hundred_thousand_words_are_compared() -> None:
    long = " ".join(f"word{number}" for number in range(100_000))
    assert compare(f"{long}. The answer is 42.", "42", question="How many?").verdict == "agree"
    assert compare(f"{long} one", f"{long} two").verdict == "agree"


@pytest.mark.parametrize("opening", ["[", '{"a":', "(", "-", "f(", "not ", "lambda:", "\\frac{", "{", "1+"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_nesting_however_deep_raises_nothing(opening: str, question: str | None) -> None:
    closing = {"[": "]", '{"a":': "}", "(": ")", "f(": ")", "{": "}"}.get(opening, "")
    deep, deeper = (f"{opening * levels}1{closing * levels}" for levels in (4000, 4001))
    for text in (deep, f"def f():\n    return {deep}"):
        compare(text, text.replace(deep, deeper), question=question)
        compare(text, "def f():\n    return 2", question=question)


def test_documents_nested_as_deep_as_a_payload_goes_are_compared() -> None:
    def nested(leaf: int) -> object:
        value: object = leaf
        for level in range(1500):
            value = [value] if level % 2 else {"a": value}
        return value

    assert compare(Statement("a", nested(1)), Statement("b", nested(1))).verdict == "agree"
    assert compare(Statement("a", nested(1)), Statement("b", nested(2))).verdict == "disagree"


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "text",
    [
        "9" * 5000,
        f"0.{'9' * 5000}",
        f"1/{'9' * 5000}",
        "1e99999",
        "9^9^9^9^9",
        "2**99999",
        "0/0",
        "1/0",
        "sqrt(-1)",
        "(-8)^(1/3)",
        "nan",
        "-infinity",
        "NaN",
        f"[{'9' * 5000}]",
        f'{{"a": {"9" * 5000}}}',
        f"def f():\n    return {'9' * 5000}",
        f"def f():\n    return 0x{'f' * 5000}",
        '{"a": NaN, "b": Infinity}',
        "99:99",
        "31 February 0000",
        "0" * 5000,
        "def f():\n    return '\\d'",
        "x = '\0'",
    ],
)
def test_numbers_that_python_refuses_raise_nothing(text: str, question: str | None) -> None:
    assert compare(text, f"{text} ", question=question).verdict == "agree"
    compare(text, f"-{text}", question=question)
    compare(text, "1", question=question)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("\u6771\u4eac\u3067\u3059\u3002", "\u6771\u4eac\u3067\u3059", "agree"),
        ("\u6771\u4eac", "\u5927\u962a", "disagree"),
        ("\u0627\u0644\u0642\u0627\u0647\u0631\u0629", "\u200f\u0627\u0644\u0642\u0627\u0647\u0631\u0629.", "agree"),
        (
            "\u0627\u0644\u0642\u064e\u0627\u0647\u0650\u0631\u0629",
            "\u0627\u0644\u0642\u0627\u0647\u0631\u0629",
            "agree",
        ),
        ("\u0939\u093f\u0928\u094d\u0926\u0940\u0964", "\u0939\u093f\u0928\u094d\u0926\u0940", "agree"),
        ("\u041c\u043e\u0441\u043a\u0432\u0430", "\u043c\u043e\u0441\u043a\u0432\u0430.", "agree"),
        ("\u0661\u066c\u0660\u0660\u0660", "1000", "agree"),
        ("caf\u00e9", "cafe\u0301", "agree"),
        ("\uff21\uff22\uff23", "ABC", "agree"),
    ],
)
def test_other_scripts_are_read(a: str, b: str, expected: str) -> None:
    assert compare(a, b).verdict == expected


@pytest.mark.parametrize(
    ("latin", "cyrillic"),
    [
        ("Moscow", "\u041c\u043e\u0441\u043a\u0432\u0430"),
        (
            "The harvest failed because heavy rain in June flooded the fields and the seeds rotted in the ground.",
            (
                "\u0423\u0440\u043e\u0436\u0430\u0439 \u043f\u043e\u0433\u0438\u0431, "
                "\u043f\u043e\u0442\u043e\u043c\u0443 "
                "\u0447\u0442\u043e \u0438\u044e\u043d\u044c\u0441\u043a\u0438\u0435 \u0434\u043e\u0436\u0434\u0438 "
                "\u0437\u0430\u0442\u043e\u043f\u0438\u043b\u0438 \u043f\u043e\u043b\u044f \u0438 "
                "\u0441\u0435\u043c\u0435\u043d\u0430 \u0441\u0433\u043d\u0438\u043b\u0438."
            ),
        ),
    ],
)
def test_words_of_two_scripts_contradict_nothing(latin: str, cyrillic: str) -> None:
    assert compare(latin, cyrillic).verdict == "cannot_tell"
