"""Programs: the same but for their form, the same but for one thing, or something else."""

from __future__ import annotations

import pytest

from pointsman.divergence.detector import compare

ASKED = "Write a Python function mean that gives the mean of a list."
PLAIN = "def mean(values):\n    total = sum(values)\n    return total / len(values)\n"


@pytest.mark.parametrize(
    "other",
    [
        "def mean(xs):\n    s = sum(xs)\n    return s / len(xs)",
        "def mean(v: list[float]) -> float:\n    '''The mean.'''\n    total = sum(v)\n    return total / len(v)",
        "# The mean.\ndef mean(values):\n\n    total = sum(values)  # first\n    return (total / len(values))",
        "def mean(v):\n    t = sum(v)\n    return t / len(v)\n\nprint(mean([1, 2]))\nassert mean([2]) == 2",
        "Here it is:\n\n```python\ndef mean(v):\n    t = sum(v)\n    return t / len(v)\n```\n\nIt divides the sum.",
        "def mean(v):\n    t = sum(v)\n    return t / len(v)\n\nif __name__ == '__main__':\n    print(mean([1]))",
    ],
)
def test_form_says_nothing(other: str) -> None:
    assert compare(PLAIN, other, question=ASKED).verdict == "agree"


@pytest.mark.parametrize(
    ("other", "a", "b"),
    [
        (PLAIN.replace("/", "//"), "Div", "FloorDiv"),
        (PLAIN.replace("sum", "max"), "sum", "max"),
        (PLAIN.replace("def mean", "def average"), "mean", "name 1"),
    ],
)
def test_one_shape_with_another_name_or_operator_disagrees_and_says_where(other: str, a: str, b: str) -> None:
    found = compare(PLAIN, other, question=ASKED)
    assert (found.verdict, found.detector) == ("disagree", "code")
    assert {(point.a, point.b) for point in found.differences} <= {(a, b), *_renamed(a)}
    assert 0 < found.similarity < 1


def _renamed(kept: str) -> set[tuple[str, str]]:
    # Where a function's name is not the one asked for it is a name like any other, and the count moves on.
    return {(f"name {i}", f"name {i + 1}") for i in range(1, 4)} if kept == "mean" else set()


def test_another_shape_may_do_the_same_so_nobody_can_tell() -> None:
    other = (
        "def mean(values):\n    total = 0\n    for one in values:\n        total += one\n    return total / len(values)"
    )
    found = compare(PLAIN, other, question=ASKED)
    assert found.verdict == "cannot_tell"
    assert ("", "total = 0") in [(point.a, point.b) for point in found.differences]


def test_a_statement_that_moves_out_of_its_block_is_seen() -> None:
    inside = "def f(x):\n    for i in x:\n        g(i)\n        h(i)"
    outside = "def f(x):\n    for i in x:\n        g(i)\n    h(i)"
    assert compare(inside, outside, question="Write a function f.").verdict != "agree"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("SELECT name FROM users\nWHERE id = 1", "SELECT name FROM users WHERE id = 1", "agree"),
        ("SELECT name FROM users WHERE id = 1", "SELECT name FROM users WHERE id = 2", "disagree"),
        ("SELECT name FROM users", "SELECT u.name FROM users AS u", "cannot_tell"),
        ("function f(a) { return a + 1; } // one", "function f(a) {\n  return a + 1;\n} // one", "agree"),
    ],
)
def test_other_languages_are_compared_by_their_tokens(a: str, b: str, expected: str) -> None:
    assert compare(a, b, question="Write the code.").verdict == expected


def test_a_fence_in_the_answer_to_another_question_is_no_program() -> None:
    a, b = "```python\nx = 6 * 7\n```\nSo it is 42.", "```python\nx = 40 + 2\n```\nThat makes 42."
    assert compare(a, b, question="How many are 6 times 7?").detector == "number"
