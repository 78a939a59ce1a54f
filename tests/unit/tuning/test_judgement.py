"""What choices are worth, with every outcome known and with gaps."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.configuration import Scoring
from pointsman.tuning.curve import Beside, sweeping, tight
from pointsman.tuning.judgement import ByType, Paired, interval, judge_of, oracle
from tests.known_outcomes import CHEAP_USD, DEAR_USD, outcomes, row, rows


def test_by_type_and_paired_agree_on_one_provider_where_nothing_is_lacking(tmp_path: Path) -> None:
    known = outcomes(tmp_path, rows())
    everything = range(120)
    paired, by_type = Paired(known.asked), ByType(known)
    for number in (0, 1):
        choice = [number] * 120
        assert by_type.on(choice, everything) == pytest.approx(paired.on(choice, everything))
        assert by_type.resampled(choice)[3] == pytest.approx(paired.resampled(choice)[3])


def test_a_gap_is_filled_by_the_mean_of_its_type(tmp_path: Path) -> None:
    found = [
        *(row(f"q{number}", "a", score=0.5, query_type="code_task") for number in range(5)),
        *(row(f"r{number}", "b", score=0.9, cost_usd=0.3, query_type="code_task") for number in range(5)),
    ]
    judge = judge_of(outcomes(tmp_path, found, allow_gaps=True))
    assert isinstance(judge, ByType)
    assert judge.on([1] * 10, range(10)) == pytest.approx((0.9, 0.3))


def test_a_provider_never_asked_a_type_counts_by_all_of_its_answers(tmp_path: Path) -> None:
    found = [
        *(row(f"q{number}", "a", score=0.5, query_type="code_task") for number in range(5)),
        *(row(f"r{number}", "b", score=0.8, query_type="analysis") for number in range(5)),
    ]
    judge = judge_of(outcomes(tmp_path, found, allow_gaps=True))
    assert judge.on([0] * 10, range(10))[0] == pytest.approx(0.5)


def test_the_oracle_takes_the_cheapest_of_the_best(tmp_path: Path) -> None:
    known = outcomes(
        tmp_path,
        [
            *(row("q1", "a", score=1, cost_usd=2), row("q1", "b", score=1, cost_usd=1)),
            *(row("q2", "a", score=1, cost_usd=2), row("q2", "b", score=0, cost_usd=1)),
        ],
    )
    assert oracle(known.asked) == [1, 0]


def test_the_best_single_provider_is_the_measure(tmp_path: Path) -> None:
    known = outcomes(tmp_path, rows())
    beside = Beside(known, judge_of(known))
    best = beside.point("dear", beside.singles[1])
    assert (beside.best, best.quality_share, best.cost_interval) == (1, 1.0, (1.0, 1.0))
    cheap = beside.point("cheap", beside.singles[0])
    assert cheap.cost_share == pytest.approx(CHEAP_USD / DEAR_USD)
    assert cheap.quality_interval[0] < cheap.quality_share < cheap.quality_interval[1] < 1


def test_an_interval_leaves_out_the_ends() -> None:
    assert interval(range(1000)) == (25, 974)


def test_the_curves_limit_is_just_above_the_dearest_and_never_above_the_owners() -> None:
    assert tight(0.015, Scoring()) == 0.015
    assert tight(0.01501, Scoring()) == 0.016
    assert tight(0.5, Scoring()) == 0.10
    assert tight(0.0, Scoring()) == 0.10


def test_no_weight_of_the_curve_lets_cost_decide_alone() -> None:
    made, costs = sweeping(Scoring(weights={"latency": 0.45, "cost": 0.1}), 0.02)  # type: ignore[arg-type]
    assert made.formula.latency == 0.45
    assert max(costs) + 0.45 < 1
    assert len(costs) > 5
