"""A result against an earlier one: only what chance would hardly do is a regression."""

from __future__ import annotations

import pytest

from pointsman.examination.marks import MarkedAs
from pointsman.measuring.eval_report import EvalReport, model_report
from pointsman.measuring.regression import NothingToCompare, regressions
from tests.builders import NOON
from tests.unit.measuring.results import plan, result, sitting_result

_OUTCOMES: dict[str, MarkedAs] = {"+": "passed", "-": "failed", "?": "error"}


def _report(task: str = "sums", suite: str = "d", **outcomes: str) -> EvalReport:
    """By provider: a sign a case."""
    models = [
        model_report(
            sitting_result(*(result(f"c{at}", _OUTCOMES[sign]) for at, sign in enumerate(signs)), provider=provider),
            plan(),
        )
        for provider, signs in outcomes.items()
    ]
    return EvalReport(task=task, suite=suite, threshold=0.9, evaluated_at=NOON, models=tuple(models))


@pytest.mark.parametrize(
    ("before", "now", "lost", "won", "significant"),
    [
        ("++++++++", "++++++++", 0, 0, False),
        ("++++++++", "----++++", 4, 0, False),
        ("++++++++", "-----+++", 5, 0, True),
        ("++++++---", "-----++++", 5, 3, False),
        ("--------", "++++++++", 0, 8, False),
    ],
)
def test_five_lost_and_none_won_is_significant(
    before: str,
    now: str,
    lost: int,
    won: int,
    significant: bool,  # noqa: FBT001 - a table's column
) -> None:
    (found,) = regressions(_report(alpha=now), _report(alpha=before))
    assert (len(found.lost), len(found.won), found.significant) == (lost, won, significant)


def test_lost_cases_are_named() -> None:
    (found,) = regressions(_report(alpha="+-+-"), _report(alpha="++++"))
    assert (found.lost, found.compared) == (("c1", "c3"), 4)


def test_cases_without_an_answer_in_either_are_left_out() -> None:
    (found,) = regressions(_report(alpha="+?+-"), _report(alpha="?+++"))
    assert (found.compared, found.lost) == (2, ("c3",))


def test_cases_that_only_one_has_are_left_out() -> None:
    (found,) = regressions(_report(alpha="+-"), _report(alpha="++++", suite="e"))
    assert (found.compared, found.lost, found.suite_changed) == (2, ("c1",), True)


def test_a_lone_model_is_compared_with_a_lone_one_whatever_their_providers() -> None:
    (found,) = regressions(_report(beta="-+"), _report(alpha="++"))
    assert (found.provider, found.before) == ("beta", "alpha")


def test_of_several_those_of_the_same_provider_are_compared() -> None:
    found = regressions(_report(alpha="++", gamma="++"), _report(alpha="++", beta="++"))
    assert [one.provider for one in found] == ["alpha"]


def test_a_result_of_errors_alone_is_compared_with_nothing() -> None:
    with pytest.raises(NothingToCompare, match="alpha has no case in common"):
        regressions(_report(alpha="??"), _report(alpha="++"))


def test_results_with_nothing_in_common_are_refused() -> None:
    with pytest.raises(NothingToCompare, match="it holds none of these providers; it has alpha, beta"):
        regressions(_report(gamma="++"), _report(alpha="++", beta="++"))
    with pytest.raises(NothingToCompare, match="it is a result of 'other' and not of 'sums'"):
        regressions(_report(alpha="++"), _report(task="other", alpha="++"))
