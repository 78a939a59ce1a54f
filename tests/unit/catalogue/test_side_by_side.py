"""Two models side by side: what each row says, how sure it is, and what they come to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pointsman.catalogue.side_by_side import Agreement, Row, SideBySide, side_by_side
from pointsman.catalogue.tally import ArmTally
from pointsman.catalogue.thresholds import UpgradeSettings
from pointsman.outcomes import ErrorClass
from tests.builders import attempt
from tests.upgrades import arm


def _compared(base: ArmTally, new: ArmTally, agreement: Agreement | None = None) -> SideBySide:
    return side_by_side(base, new, UpgradeSettings(), wanted=30, agreement=agreement)


def _row(found: SideBySide, name: str) -> Row:
    return next(row for row in found.rows if row.name == name)


def test_a_model_beside_itself_is_equal() -> None:
    found = _compared(arm(200), arm(200), Agreement(agreed=190, disagreed=10))
    assert found.verdict == "better_or_equal"
    assert {row.verdict for row in found.rows if row.limit is not None and row.n} == {"within"}


def test_nothing_measured_is_too_few_and_no_row_has_a_verdict() -> None:
    found = _compared(ArmTally(), ArmTally(), Agreement())
    assert (found.verdict, {row.verdict for row in found.rows}) == ("too_few", {None})


def test_schema_validity_is_shown_as_a_share_that_may_not_fall() -> None:
    row = _row(_compared(arm(100), arm(100, schema_invalid=30)), "schema_valid")
    assert (row.base, row.new, row.limit, row.verdict) == (1.0, 0.7, -0.02, "worse")
    assert row.low is not None
    assert row.high is not None
    assert row.low < -0.3 < row.high < -0.02


def test_groundedness_is_the_mean_share_of_supported_statements() -> None:
    base, new = (arm(100, grounded=100, grounded_sum=total) for total in (95.0, 60.0))
    row = _row(_compared(base, new), "grounded")
    assert row.verdict == "worse"
    assert [row.base, row.new] == pytest.approx([0.95, 0.6])


@pytest.mark.parametrize(("agreed", "verdict"), [(95, "within"), (76, "unclear"), (50, "worse")])
def test_agreement_is_held_against_its_least_share(agreed: int, verdict: str) -> None:
    found = _compared(arm(100), arm(100), Agreement(agreed=agreed, disagreed=100 - agreed, undecided=7))
    assert (_row(found, "agreement").verdict, _row(found, "agreement").n) == (verdict, 100)


@pytest.mark.parametrize(("calls", "judged", "shown"), [(59, "p50", "p95"), (60, "p95", "p50")])
def test_a_slower_model_is_told_by_its_median_until_there_are_answers_enough_for_a_p95(
    calls: int, judged: str, shown: str
) -> None:
    found = _compared(arm(100), arm(calls, latency_ms=2000))
    assert _row(found, f"latency_{judged}_ms").verdict == "worse"
    assert (_row(found, f"latency_{shown}_ms").limit, _row(found, f"latency_{shown}_ms").verdict) == (None, None)
    assert _row(found, f"latency_{shown}_ms").new == pytest.approx(2000, rel=0.05)


def test_a_few_slow_answers_among_few_hold_up_nothing() -> None:
    """Of thirty answers a p95 is the second slowest."""
    slow = arm(27).merge(arm(3, latency_ms=5000))
    assert _compared(arm(30), slow).verdict == "better_or_equal"


def test_cost_is_a_ratio_of_means() -> None:
    row = _row(_compared(arm(100, micro=1000), arm(100, micro=2000)), "cost_usd")
    assert (row.base, row.new, row.verdict) == (0.001, 0.002, "worse")
    assert row.low == pytest.approx(2.0)


def test_a_free_model_beside_a_free_model_has_no_ratio() -> None:
    row = _row(_compared(arm(100, micro=0), arm(100, micro=0)), "cost_usd")
    assert (row.base, row.new, row.low, row.verdict) == (0.0, 0.0, None, None)


def test_an_unknown_cost_is_never_zero() -> None:
    found = _compared(arm(100), arm(100, priced=0, micro=0))
    assert _row(found, "cost_usd").new is None


def test_a_model_that_is_better_in_everything_is_not_worse() -> None:
    found = _compared(arm(100, failed=20, refused=20), arm(100, latency_ms=100, micro=10))
    assert found.verdict == "better_or_equal"


@pytest.mark.parametrize(
    ("fields", "counted"),
    [
        ({}, {"calls": 1, "failed": 0, "with_schema": 1, "refused": 0}),
        ({"outcome": "refused"}, {"calls": 1, "with_schema": 0, "refused": 1}),
        (_failed := {"outcome": "failed", "error_class": ErrorClass.FAILURE}, {"calls": 1, "failed": 1}),
        ({**_failed, "error_class": ErrorClass.CONFIG}, {"failed": 1}),
        ({**_failed, "error_class": ErrorClass.QUALITY, "kind": "not_json"}, {"failed": 0, "schema_invalid": 1}),
    ],
)
def test_an_attempt_counts_for_its_model(fields: dict[str, Any], counted: dict[str, int]) -> None:
    tally = ArmTally.of_attempt(attempt(latency_ms=100.0, **fields), with_schema=True)
    assert tally is not None
    assert {name: getattr(tally, name) for name in counted} == counted


@pytest.mark.parametrize(
    "error_class", [ErrorClass.LOCAL, ErrorClass.CANCEL, ErrorClass.INFRASTRUCTURE, ErrorClass.QUOTA]
)
def test_what_does_not_speak_of_the_model_is_not_counted(error_class: ErrorClass) -> None:
    row = attempt(outcome="failed", error_class=error_class)
    assert ArmTally.of_attempt(row, with_schema=False) is None


def test_a_faded_tally_keeps_its_shares() -> None:
    tally = arm(10_001, failed=1_001, refused=101, grounded=10_001, grounded_sum=10_001.0).faded()
    assert tally.calls <= 2_000
    assert tally.failed / tally.calls == pytest.approx(0.1, abs=0.01)
    assert tally.grounded_sum <= tally.grounded


@pytest.mark.parametrize(
    "counts",
    [
        {"failed": 11},
        {"failed": 6, "schema_invalid": 5, "with_schema": 5},
        {"refused": 11},
        {"with_schema": 0, "schema_invalid": 1},
        {"grounded": 1, "grounded_sum": 1.5},
        {"priced": 11},
    ],
)
def test_a_tally_that_does_not_add_up_is_refused(counts: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ArmTally(calls=10, **counts)


@settings(deadline=None)
@given(st.integers(0, 9_000), st.integers(0, 9_000), st.integers(0, 9_000), st.integers(0, 9_000))
def test_fading_never_leaves_a_tally_that_does_not_add_up(good: int, failed: int, invalid: int, refused: int) -> None:
    calls = good + failed + invalid + refused
    tally = ArmTally(
        calls=calls, failed=failed, with_schema=good + invalid, schema_invalid=invalid, refused=refused, priced=calls
    )
    assert tally.faded().calls <= 2_000


@pytest.mark.parametrize(
    ("agreed", "disagreed", "undecided", "verdict"),
    [(0, 0, 30, "unclear"), (14, 0, 15, "unclear"), (15, 0, 15, "within"), (2, 12, 15, "unclear"), (0, 0, 0, None)],
)
def test_agreement_is_unclear_where_fewer_pairs_are_decided_than_not(
    agreed: int, disagreed: int, undecided: int, verdict: str | None
) -> None:
    pairs = Agreement(agreed=agreed, disagreed=disagreed, undecided=undecided)
    found = _compared(arm(100), arm(100), pairs)
    assert _row(found, "agreement").verdict == verdict
    assert found.verdict == ("too_few" if verdict == "unclear" else "better_or_equal")
