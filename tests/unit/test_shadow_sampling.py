"""Which questions are shadowed: small ones of the base model, at the fleet's pace, within the day's money."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.decision import Decision
from pointsman.health.spend import day_of
from pointsman.messages import Parameters, Question
from pointsman.shadow_allowance import SHADOWS_PER_S, ShadowAllowance
from pointsman.shadow_sampling import shadow_plan
from pointsman.standing import Standing
from tests.builders import decision
from tests.upgrades import BASE, NEW

_NOW = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()


def _plan(**changes: Any) -> UpgradePlan:
    told = {"id": "u", "provider": "alpha", "base": BASE, "model": NEW, "stage": "shadowing", "sample": 1.0}
    return UpgradePlan.model_validate({**told, "daily_cost_cap_usd": 1.0, **changes})


def _first(decided: Decision, **changes: Any) -> Decision:
    first, *others = decided.candidates
    return decided.model_copy(update={"candidates": (first.model_copy(update=changes), *others)})


def test_a_shadow_is_the_first_candidate_with_the_new_model_and_its_price() -> None:
    decided = decision()
    found = shadow_plan(
        Question(prompt="hello"), "q", decided, _plan(price={"input": 2.0, "output": 20.0}), max_concurrent=50
    )
    assert found is not None
    assert (found.candidate.model, found.candidate.task_queue) == (NEW, decided.candidates[0].task_queue)
    assert found.candidate.price is not None
    assert found.most_usd == pytest.approx(1024 * 20e-6, rel=0.01)


@pytest.mark.parametrize(
    ("question", "changes"),
    [
        ({"parameters": Parameters(tools=({"type": "function"},))}, {}),
        ({"system": "x" * 100_000}, {}),
        ({}, {"model": NEW}),
        ({}, {"provider": "beta"}),
        ({}, {"in_flight": 25}),
        ({}, {"standing": Standing(cooling="throttle")}),
    ],
)
def test_what_could_not_be_compared_or_would_take_a_users_room_is_not_shadowed(
    question: dict[str, Any], changes: dict[str, Any]
) -> None:
    asked = Question(prompt="hello", **question)
    assert shadow_plan(asked, "q", _first(decision(), **changes), _plan(), max_concurrent=50) is None


def test_nothing_is_shadowed_where_nobody_can_be_asked() -> None:
    nobody = decision().model_copy(update={"candidates": ()})
    assert shadow_plan(Question(prompt="hello"), "q", nobody, _plan(), max_concurrent=50) is None


def _grant(allowance: ShadowAllowance, plan: UpgradePlan, usd: float = 0.0, **changes: Any) -> bool:
    told: dict[str, Any] = {"hold_s": 240.0, "now": _NOW, "heard_at": _NOW, "processes": 1, **changes}
    return allowance.grant(plan, usd, **told)


@pytest.mark.parametrize("processes", [1, 4, 50])
def test_a_fleet_shadows_no_more_than_its_pace(processes: int) -> None:
    fleet = [ShadowAllowance() for _ in range(processes)]
    seconds = 60
    granted = sum(
        _grant(one, _plan(), now=_NOW + tick / 10, processes=processes) for tick in range(seconds * 10) for one in fleet
    )
    # Each process may also spend what it has saved at the start.
    assert granted <= SHADOWS_PER_S * (seconds + 1) + processes
    assert granted >= 0.8 * SHADOWS_PER_S * seconds


def test_a_spent_day_ends_shadowing_until_the_next() -> None:
    spent = _plan(spent_usd=1.0, spent_on=day_of(_NOW))
    assert not _grant(ShadowAllowance(), spent)
    assert _grant(ShadowAllowance(), spent, now=_NOW + 86_400)


def test_money_is_held_until_the_catalogue_has_been_heard_of_after_it_must_have_been_told() -> None:
    allowance = ShadowAllowance()
    assert _grant(allowance, _plan(), 0.7)
    later = _NOW + 1000
    assert not _grant(allowance, _plan(), 0.7, now=later, heard_at=_NOW + 200)
    assert _grant(allowance, _plan(), 0.7, now=later, heard_at=later)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.sampled_from([0.001, 0.02, 0.3]), st.integers(1, 120))
def test_a_fleet_never_spends_more_than_the_days_cap(seed: int, processes: int, usd: float, age_s: int) -> None:
    """However old snapshots are and however late results come, within the time that money is held for."""
    chance, fleet = random.Random(seed), [ShadowAllowance() for _ in range(processes)]
    told, heard = [_plan() for _ in fleet], [0.0 for _ in fleet]
    due: list[float] = []
    spent = promised = 0.0
    for tick in range(400):
        now = _NOW + 3 * tick
        spent += usd * sum(at <= now for at in due)
        due = [at for at in due if at > now]
        for number, allowance in enumerate(fleet):
            if chance.random() < 3 / age_s:
                told[number], heard[number] = _plan(spent_usd=spent, spent_on=day_of(now)), now
            if _grant(allowance, told[number], usd, now=now, heard_at=heard[number], processes=processes):
                promised += usd
                due.append(now + chance.uniform(0, 240))
    assert promised <= 1.0 + 1e-6
