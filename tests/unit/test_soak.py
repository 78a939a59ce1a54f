"""How long runs are judged: what counts as a clean end, and as growth."""

from __future__ import annotations

import pytest

from benchmarks.soak.exits import Ended, Runs
from benchmarks.soak.memory import Look, figures
from benchmarks.soak.settings import question


@pytest.mark.parametrize(
    ("status", "said", "clean"),
    [
        (0, "the answer", True),
        (134, "", False),
        (-11, "", False),
        (0, "Traceback (most recent call last):", False),
        (0, "Fatal Python error: Aborted", False),
        (0, "Exception ignored in: <function>", False),
    ],
)
def test_a_process_ends_cleanly_with_0_and_without_a_word_of_an_abort(status: int, said: str, *, clean: bool) -> None:
    assert Ended(status, said).clean is clean


def test_fewer_runs_than_wanted_do_not_hold() -> None:
    runs = Runs("ask", "`pointsman ask`", wanted=2, ended=[Ended(0, "")])
    assert [figure.holds for figure in runs.figures()] == [False, True, True]
    runs.ended.append(Ended(1, "Traceback"))
    runs.unanswered.append("q: no answer")
    assert [figure.holds for figure in runs.figures()] == [True, False, False]
    assert len(runs.complaints) == 2


def test_growth_is_the_last_look_over_the_one_after_a_fourth_of_the_questions() -> None:
    looks = [Look(1000 * number, 300.0 + number) for number in range(1, 21)]
    found = {figure.key: figure for figure in figures(looks, 20_000, failed=0)}
    assert found["soak_memory_ratio"].value == pytest.approx(320 / 305)
    assert found["soak_memory_ratio"].holds is True
    assert found["soak_memory_early_mb"].value == 305
    grown = [*looks, Look(20_000, 330.0)]
    assert {figure.key: figure.holds for figure in figures(grown, 20_000, failed=1)} == {
        "soak_questions": None,
        "soak_questions_failed": False,
        "soak_memory_early_mb": None,
        "soak_memory_last_mb": None,
        "soak_memory_most_mb": None,
        "soak_memory_ratio": False,
    }


def test_of_ten_questions_one_has_high_stakes_and_three_may_be_hedged() -> None:
    tasks = [question(number)["task"] for number in range(10)]
    assert (tasks.count("verified"), tasks.count("hedged"), tasks.count(None)) == (1, 3, 6)
    assert len({question(number)["question"] for number in range(100)}) == 100
