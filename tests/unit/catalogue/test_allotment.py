"""Which questions the new model gets: always the same ones, and as many as its share says."""

from __future__ import annotations

from math import sqrt

from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.catalogue.allotment import answered_by_new, shadowed_by_new
from pointsman.catalogue.upgrade import Stage, UpgradePlan
from tests.upgrades import BASE, NEW

_N = 20_000
_SHARES = st.sampled_from([0.01, 0.05, 0.1, 0.5, 0.9])


def _plan(share: float = 0.0, sample: float = 0.0, upgrade_id: str = "u-1") -> UpgradePlan:
    stage: Stage = "promoting" if share else "shadowing"
    return UpgradePlan(id=upgrade_id, provider="alpha", base=BASE, model=NEW, stage=stage, share=share, sample=sample)


def _near(found: int, share: float) -> bool:
    """Within five standard deviations of a fair draw."""
    return abs(found - share * _N) <= 5 * sqrt(_N * share * (1 - share))


@settings(max_examples=25, deadline=None)
@given(_SHARES, st.text(min_size=1, max_size=20))
def test_a_share_holds_within_sampling_error(share: float, upgrade_id: str) -> None:
    plan = _plan(share, upgrade_id=upgrade_id)
    assert _near(sum(answered_by_new(plan, f"q-{number}") for number in range(_N)), share)


@settings(max_examples=25, deadline=None)
@given(_SHARES, st.text(min_size=1, max_size=20))
def test_a_sample_holds_within_sampling_error(sample: float, upgrade_id: str) -> None:
    plan = _plan(sample=sample, upgrade_id=upgrade_id)
    assert _near(sum(shadowed_by_new(plan, f"q-{number}") for number in range(_N)), sample)


@given(st.text(max_size=50), _SHARES, _SHARES)
def test_who_is_in_a_share_is_in_every_larger_one(question_id: str, one: float, other: float) -> None:
    small, large = sorted((one, other))
    assert answered_by_new(_plan(large), question_id) or not answered_by_new(_plan(small), question_id)


@given(st.text(max_size=50))
def test_a_question_is_told_the_same_each_time_and_all_are_in_a_whole_share(question_id: str) -> None:
    plan = _plan(0.5)
    assert answered_by_new(plan, question_id) == answered_by_new(plan.model_copy(), question_id)
    assert answered_by_new(_plan(1.0), question_id)


def test_the_place_of_a_question_is_the_same_in_every_release() -> None:
    taken = [number for number in range(40) if answered_by_new(_plan(0.1), f"q-{number}")]
    assert taken == [8, 25, 30, 38]


def test_promotion_and_sampling_are_drawn_apart() -> None:
    ids = [f"q-{number}" for number in range(_N)]
    both = sum(answered_by_new(_plan(0.1), one) and shadowed_by_new(_plan(sample=0.1), one) for one in ids)
    assert _near(both, 0.01)


def test_a_stage_that_does_not_serve_gives_the_new_model_nothing() -> None:
    for stage in ("evaluating", "shadowing", "refused", "rolled_back"):
        plan = _plan().model_copy(update={"stage": stage, "share": 1.0})
        assert not answered_by_new(plan, "q")
    assert not shadowed_by_new(_plan(0.5, sample=1.0), "q")
