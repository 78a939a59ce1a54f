"""From outcomes to a recommendation, or to a sentence why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.configuration import Scoring
from pointsman.errors import InvalidOutcomes
from pointsman.policy import OwnWeights
from pointsman.provider import Price
from pointsman.query_types import QueryType
from pointsman.tuning.report import TuningReport
from pointsman.tuning.tuned import Settings, tuned
from tests.builders import provider
from tests.known_outcomes import CHEAP_USD, DEAR_USD, each_good_at_one, outcomes, row, rows


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> TuningReport:
    return tuned("made up", outcomes(tmp_path_factory.mktemp("tuned"), rows()), Settings(keep=0.9))


def test_the_recommended_weight_saves_where_the_cheap_one_is_as_good(report: TuningReport) -> None:
    found = report.recommendation
    assert found is not None
    assert found.out_of_fold.cost_share == pytest.approx(1 / 3 + 2 / 3 * CHEAP_USD / DEAR_USD, abs=0.03)
    assert found.out_of_fold.quality_share >= 0.9
    low, high = found.cost_weight_interval
    assert low <= found.weights.cost <= high
    assert found.weights.latency == 0.2


def test_the_curve_begins_with_quality_alone_and_ends_where_cost_counts_most(report: TuningReport) -> None:
    costs = [point.usd_per_1k for point in report.curve]
    assert costs == sorted(costs, reverse=True)
    assert report.curve[0].quality > report.curve[-1].quality


def test_every_policy_the_best_single_provider_and_the_oracle_are_there(report: TuningReport) -> None:
    assert [point.name for point in report.policies] == ["source", "balanced", "cheapest_good", "best"]
    assert report.best_single.name == "dear"
    assert report.oracle is not None
    assert report.oracle.quality >= max(point.quality for point in report.curve)


def test_strengths_are_mean_scores_by_type(report: TuningReport) -> None:
    cheap = report.providers[0]
    assert cheap.counts == {QueryType.CODE_TASK: 40, QueryType.SIMPLE_FACTUAL: 80}
    assert cheap.strengths[QueryType.CODE_TASK] < 0.3
    assert cheap.strengths[QueryType.SIMPLE_FACTUAL] > 0.8


def test_what_was_not_measured_is_said(report: TuningReport) -> None:
    told = " ".join(report.notes)
    assert "latency is not known" in told
    assert "reasoning depth is not in the data" in told


def test_the_same_outcomes_give_the_same_report(report: TuningReport, tmp_path: Path) -> None:
    assert tuned("made up", outcomes(tmp_path, rows()), Settings(keep=0.9)) == report


@pytest.mark.parametrize("worse", [1.0, 0.2])
def test_where_every_weight_chooses_alike_none_is_recommended(worse: float, tmp_path: Path) -> None:
    found = [row(f"q{number}", name, score=1.0 if name == "a" else worse) for number in range(100) for name in "ab"]
    known = tuned("alike", outcomes(tmp_path, found), Settings())
    assert known.recommendation is None
    assert known.not_recommended == "every weight of cost chooses alike here, so that nothing tells which one fits"


def test_the_interval_of_the_weight_holds_all_that_do_as_well(tmp_path: Path) -> None:
    # "cheap" is worth nothing: every weight keeps enough up to the one by which it is taken all the same.
    found = [
        row(
            f"q{number}",
            name,
            score=0.75 if name == "dear" else 0.5,
            cost_usd=CHEAP_USD if name == "cheap" else DEAR_USD,
        )
        for number in range(100)
        for name in ("cheap", "dear")
    ]
    told = tuned("flat", outcomes(tmp_path, found), Settings()).recommendation
    assert told is not None
    low, high = told.cost_weight_interval
    assert low == 0.0 < told.weights.cost < high


def test_beside_a_best_one_that_is_free_cost_is_still_told_and_counted(tmp_path: Path) -> None:
    found = [one | ({"cost_usd": 0.0} if one["provider"] == "cheap" else {}) for one in each_good_at_one()]
    known = tuned("free", outcomes(tmp_path, found), Settings())
    assert known.best_single.name == "cheap"
    assert (known.best_single.cost_share, known.curve[0].cost_share) == (1.0, float("inf"))
    assert known.recommendation is not None
    assert known.recommendation.point.usd_per_1k == 0
    assert '"cost_share":null' in known.model_dump_json()
    assert known.model_dump(mode="json")["curve"][0]["cost_interval"] == [None, None]


def test_quality_that_is_given_up_for_less_cost_is_told(report: TuningReport, tmp_path: Path) -> None:
    assert report.given_up is None
    known = tuned("each good at one", outcomes(tmp_path, each_good_at_one()), Settings())
    assert known.recommendation is not None
    assert known.recommendation.point.quality == pytest.approx(0.7)
    assert known.given_up is not None
    assert known.given_up.quality == pytest.approx(0.9)


def test_too_few_questions_are_shown_and_nothing_is_recommended(tmp_path: Path) -> None:
    found = tuned("few", outcomes(tmp_path, rows(30)), Settings())
    assert found.recommendation is None
    assert found.not_recommended == "30 questions are too few to choose a weight by; 100 at least are needed"
    assert len(found.policies) == 4


def test_costs_that_no_price_explains_are_refused(tmp_path: Path) -> None:
    found = [row(f"q{number}", name, cost_usd=900_000) for number in range(9) for name in ("a", "b")]
    with pytest.raises(
        InvalidOutcomes, match=r"cost_usd: 'a' would cost [\d,]+ USD per million tokens; give what each"
    ):
        tuned("cents", outcomes(tmp_path, found), Settings())


def test_less_than_five_questions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOutcomes, match="question: there are 4"):
        tuned("few", outcomes(tmp_path, rows(4)), Settings())


def test_where_nobody_was_ever_right_there_is_nothing_to_choose(tmp_path: Path) -> None:
    found = [row(f"q{number}", name, score=0) for number in range(9) for name in ("a", "b")]
    with pytest.raises(InvalidOutcomes, match="score: all are 0"):
        tuned("bad", outcomes(tmp_path, found), Settings())


def test_a_wish_that_no_weight_fulfils_is_not_recommended(tmp_path: Path) -> None:
    # Each is right where the other is not, and nothing tells which: routing cannot keep what one of them has.
    found = [
        row(f"q{number}", name, score=float((number % 5 == 0) is (name == "cheap")), query_type="analysis")
        for number in range(100)
        for name in ("cheap", "dear")
    ]
    kept = tuned("hard", outcomes(tmp_path, found), Settings(keep=1.0))
    assert kept.recommendation is None or kept.recommendation.out_of_fold.quality_share >= 0.99


def test_measured_latency_is_told_and_decides(tmp_path: Path) -> None:
    found = [one | {"latency_ms": 4000 if one["provider"] == "dear" else 100} for one in rows(100)]
    known = tuned("timed", outcomes(tmp_path, found), Settings(keep=0.5))
    assert known.best_single.latency_ms == 4000
    assert known.providers[0].p50_ms == 100
    assert "what a second is worth" in " ".join(known.notes)


def test_limits_that_nobody_chose_give_way_and_say_so(tmp_path: Path) -> None:
    found = [one | {"latency_ms": 20_000} for one in rows(20)]
    known = tuned("slow", outcomes(tmp_path, found), Settings())
    assert "max_latency_ms is taken as 25000" in " ".join(known.notes)


def test_the_owners_limits_hold(tmp_path: Path) -> None:
    found = [one | {"latency_ms": 20_000} for one in rows(20)]
    with pytest.raises(InvalidOutcomes, match="over_latency"):
        tuned("slow", outcomes(tmp_path, found), Settings(scoring=Scoring(), fixed=True))


def test_the_curves_limit_shuts_out_none_of_the_owners_providers(tmp_path: Path) -> None:
    own = {"unmeasured": provider(price=Price(input=1, output=70).model_dump())}
    known = tuned("own", outcomes(tmp_path, rows(20)), Settings(owned=own, scoring=Scoring(), fixed=True))
    assert known.curve_max_cost_per_1k == 0.07


def test_weights_of_the_owners_own_are_a_point_beside_the_policies(tmp_path: Path) -> None:
    own = Scoring(policy="source", weights=OwnWeights(cost=0.7, latency=0.1))
    known = tuned("own", outcomes(tmp_path, rows(20)), Settings(scoring=own, fixed=True))
    assert known.policies[-1].name == "source, as configured"
    assert known.policies[-1].cost_share < known.policies[0].cost_share


def test_gaps_are_filled_by_type_and_told(tmp_path: Path) -> None:
    found = [one for number, one in enumerate(rows(240)) if number % 4 in {0, 3}]
    known = tuned("gaps", outcomes(tmp_path, found, allow_gaps=True), Settings(keep=0.9))
    assert (known.oracle, known.questions) == (None, 240)
    assert "Who was asked what was no chance" in known.notes[0]
    assert known.recommendation is not None


def test_enough_questions_without_gaps_are_compared_alone(tmp_path: Path) -> None:
    known = tuned("gaps", outcomes(tmp_path, rows(101)[:-1], allow_gaps=True), Settings())
    assert known.questions == 100
    assert "only these are compared" in known.notes[0]


def test_a_provider_of_whom_nothing_is_known_is_left_out(tmp_path: Path) -> None:
    found = [one for number, one in enumerate(rows(60)) if number % 4 in {0, 3}]
    known = tuned("gaps", outcomes(tmp_path, [*found, row("x", "rare")], allow_gaps=True), Settings())
    assert [one.name for one in known.providers] == ["cheap", "dear"]
    assert "left out: rare" in " ".join(known.notes)


def test_a_sample_is_the_same_each_time_and_told(tmp_path: Path) -> None:
    known = outcomes(tmp_path, rows(60))
    assert known.sampled(20) == known.sampled(20)
    assert len(known.sampled(20).asked) == 20
    assert "20 of 60 questions" in known.sampled(20).notes[0]


def test_free_providers_are_compared_by_quality(tmp_path: Path) -> None:
    known = tuned("free", outcomes(tmp_path, [one | {"cost_usd": 0} for one in rows(20)]), Settings())
    assert known.best_single.cost_share == 1.0
