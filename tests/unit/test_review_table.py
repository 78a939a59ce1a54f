"""How reviews look on a terminal."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pointsman.cli.review_table import age, print_list, print_review
from pointsman.dissent import Dissent
from pointsman.review import PendingReview, ProposedAnswer
from pointsman.review_client import WaitingReview
from tests.builders import NOON

WIDTH = 100


def _pending(*texts: str) -> PendingReview:
    names = ("alpha", "beta", "gamma", "delta")
    return PendingReview(
        question="How many apples are left?",
        why="the answers differ",
        answers=tuple(
            ProposedAnswer(provider=name, model="m", text=text, confidence=0.8)
            for name, text in zip(names, texts, strict=False)
        ),
        differences=(Dissent(what="number", why="the numbers differ", providers=("alpha", "beta"), says=("5", "6")),),
        opened_at=NOON,
        decide_by=NOON + timedelta(days=3),
        on_timeout="extend",
    )


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        (timedelta(seconds=75), "1 min 15 s"),
        (timedelta(hours=3, minutes=5), "3 h 5 min"),
        (timedelta(days=2, hours=7), "2 d 7 h"),
        (timedelta(seconds=-3), "0 min 0 s"),
    ],
)
def test_an_age_is_told_in_its_two_largest_units(passed: timedelta, told: str) -> None:
    assert age(passed) == told


def test_lines_that_another_answer_does_not_have_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    print_review("q-1", _pending("Seven less two.\nIt is 5.", "Seven less two.\nIt is 6."), full=False)
    shown = capsys.readouterr().out
    assert shown.count("≠ ") == 2
    assert "≠ It is 5." in shown
    assert "number: the numbers differ (alpha: '5'; beta: '6')" in shown
    assert "pointsman reviews decide q-1 --choose alpha|beta" in shown
    assert "it waits on" in shown
    assert max(map(len, shown.splitlines())) <= WIDTH


def test_more_than_three_answers_stand_one_below_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    print_review("q-1", _pending("one", "two", "three", "four"), full=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("≠ ")] == ["≠ one", "≠ two", "≠ three", "≠ four"]


def test_a_long_answer_is_cut_unless_all_of_it_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    long = "\n".join(f"line {number}" for number in range(500))
    print_review("q-1", _pending(long, "short"), full=False)
    cut = capsys.readouterr().out
    assert "--full" in cut
    assert "line 499" not in cut
    print_review("q-1", _pending(long, "short"), full=True)
    assert "line 499" in capsys.readouterr().out


def test_what_an_answer_writes_is_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    print_review("q-1", _pending("\x1b[2J[bold]five[/bold]", "six"), full=False)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "[bold]five[/bold]" in shown


def test_the_list_names_each_question_with_its_age(capsys: pytest.CaptureFixture[str]) -> None:
    print_list([], NOON)
    assert "Nothing waits" in capsys.readouterr().out
    waiting = WaitingReview(id="q-1", run_id="r", opened_at=NOON, task="extract", question="How many?")
    print_list([waiting], NOON + timedelta(hours=5))
    assert capsys.readouterr().out.splitlines()[1].split("  ") == ["5 h 0 min", "q-1", "extract", "How many?", ""]
