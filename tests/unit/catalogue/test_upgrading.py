"""The course of an upgrade: what leads where, what is refused, and what no order of events can do."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.catalogue.commands import PromoteUpgrade, RollBackUpgrade
from pointsman.catalogue.tally import MEMORY, ArmTally
from pointsman.catalogue.upgrade import Stage, Upgrade
from pointsman.catalogue.upgrading import (
    STEPS_KEPT,
    Course,
    UpgradeRefused,
    begin,
    broke,
    evaluated,
    observed,
    plan,
    promote,
    roll_back,
    shadowed,
)
from tests.upgrades import (
    BASE,
    NEW,
    NOON,
    arm,
    begun,
    order,
    report,
    result,
    shadowing,
    shown,
    side,
)

_PROMOTE = PromoteUpgrade(provider="alpha", operator="ada", note="looks well")
_ROLL_BACK = RollBackUpgrade(provider="alpha", operator="ada")


def _promoting(share: float = 0.1) -> Upgrade:
    return promote(shown(), PromoteUpgrade(provider="alpha", share=share), NOON)[0]


def test_an_upgrade_begins_with_its_evaluation_and_the_name_of_who_wanted_it() -> None:
    upgrade, events = begin(None, order(note="cheaper"), NOON)
    assert (upgrade.stage, upgrade.steps[0].operator, upgrade.steps[0].note) == ("evaluating", "ada", "cheaper")
    assert [(event.kind, event.operator) for event in events] == [("upgrade_begun", "ada")]


@pytest.mark.parametrize("stage", ["evaluating", "shadowing", "promoting"])
def test_a_second_upgrade_is_refused_while_one_is_under_way(stage: Stage) -> None:
    held = begun().model_copy(update={"stage": stage})
    with pytest.raises(UpgradeRefused, match=f"is {stage}; end it with"):
        begin(held, order(id="u-2"), NOON)


def test_the_same_word_that_comes_twice_begins_one_upgrade() -> None:
    held = shadowing()
    assert begin(held, order(), NOON) == (held, ())


def test_an_upgrade_over_a_promoted_one_is_refused_until_the_configuration_names_its_model() -> None:
    held = begun().model_copy(update={"stage": "promoted", "share": 1.0})
    with pytest.raises(UpgradeRefused, match="write that model into the configuration"):
        begin(held, order(id="u-2", model="openai/other-2026-12-01"), NOON)
    after, _ = begin(held, order(id="u-2", base=NEW, model="openai/other-2026-12-01"), NOON)
    assert after.base == NEW


def test_an_upgrade_to_the_configured_model_is_refused() -> None:
    with pytest.raises(UpgradeRefused, match="configured with"):
        begin(None, order(model=BASE), NOON)


@pytest.mark.parametrize("stage", ["refused", "rolled_back"])
def test_another_upgrade_may_follow_one_that_is_over(stage: Stage) -> None:
    assert begin(begun().model_copy(update={"stage": stage}), order(id="u-2"), NOON)[0].id == "u-2"


def test_a_failed_suite_refuses_the_new_model() -> None:
    upgrade, events = evaluated(begun(), report("passed", "failed"), NOON)
    assert upgrade.stage == "refused"
    assert [(event.kind, event.detail) for event in events] == [("upgrade_refused", "it failed the suite of task-1")]


def test_a_suite_without_a_verdict_leaves_the_upgrade_to_be_begun_again() -> None:
    upgrade, events = evaluated(begun(), report("inconclusive", "passed"), NOON)
    assert (upgrade.stage, events) == ("evaluating", ())
    assert "task-0 came to no verdict" in upgrade.steps[-1].reason
    assert begin(upgrade, order(id="u-2"), NOON)[0].id == "u-2"


@pytest.mark.parametrize("verdicts", [(), ("passed",), ("passed", "passed")])
def test_passed_suites_or_none_lead_to_shadowing(verdicts: tuple[str, ...]) -> None:
    upgrade, events = evaluated(begun(), report(*verdicts), NOON)
    assert (upgrade.stage, [event.kind for event in events]) == ("shadowing", ["upgrade_shadowing"])


def test_an_evaluation_that_comes_twice_changes_nothing() -> None:
    held = shadowing()
    assert evaluated(held, report("failed"), NOON) == (held, ())


def test_a_shadow_counts_on_both_sides_and_in_the_days_money() -> None:
    upgrade = shown(times=2, new=side(schema_valid=False, answered=False), agreement=None)
    assert (upgrade.shadows.base.answered, upgrade.shadows.new.schema_invalid) == (2, 2)
    assert plan(upgrade, NOON).spent_usd == pytest.approx(0.002)


def test_a_shadow_without_a_comparison_counts_in_the_money_alone() -> None:
    upgrade, _ = shadowed(shadowing(), result(spent_usd=0.01).model_copy(update={"base": None}), NOON)
    assert (upgrade.shadows.new.calls, upgrade.shadows.unpaired, upgrade.spend.today) == (0, 1, 10_000)


def test_the_days_cap_is_told_once_a_day() -> None:
    upgrade, told = shadowing(daily_cost_cap_usd=0.002), []
    for hour in (0, 1, 2, 3, 24, 25, 26):
        upgrade, events = shadowed(upgrade, result(), NOON + timedelta(hours=hour))
        told += [(hour, event.kind) for event in events]
    assert told == [(1, "upgrade_capped"), (25, "upgrade_capped")]


def test_a_new_day_has_its_money_without_a_word_from_anybody() -> None:
    spent, _ = shadowed(shadowing(daily_cost_cap_usd=0.001), result(), NOON)
    told = plan(spent, NOON)
    assert (told.free_usd("2026-12-01"), told.free_usd("2026-12-02")) == (0.0, 0.001)


def test_promotion_goes_by_the_steps_of_the_settings() -> None:
    upgrade, shares = shown(), []
    for _ in range(3):
        upgrade, _ = promote(upgrade, _PROMOTE, NOON)
        shares.append((upgrade.stage, upgrade.share))
    assert shares == [("promoting", 0.1), ("promoting", 0.5), ("promoted", 1.0)]
    assert [step.operator for step in upgrade.steps[-3:]] == ["ada"] * 3
    with pytest.raises(UpgradeRefused, match="answers all questions"):
        promote(upgrade, _PROMOTE, NOON)


def test_a_share_that_is_named_is_taken_and_a_smaller_one_too() -> None:
    upgrade = _promoting(0.3)
    assert promote(upgrade, PromoteUpgrade(provider="alpha", share=0.05), NOON)[0].share == 0.05


def test_beyond_the_last_step_a_share_is_to_be_named() -> None:
    upgrade = _promoting(0.5).model_copy(update={"settings": order(settings={"steps": [10, 50]}).settings})
    with pytest.raises(UpgradeRefused, match="give --share"):
        promote(upgrade, _PROMOTE, NOON)


def test_promotion_is_refused_before_the_evaluation_has_ended() -> None:
    with pytest.raises(UpgradeRefused, match="its evaluation has not ended"):
        promote(begun(), _PROMOTE, NOON)


def test_promotion_is_refused_with_too_few_comparisons() -> None:
    with pytest.raises(UpgradeRefused, match="has 29 comparisons and 30 are wanted"):
        promote(shown(times=29), _PROMOTE, NOON)


def test_promotion_is_refused_where_the_new_model_is_worse_and_says_in_what() -> None:
    worse = shown(new=side(answered=False, schema_valid=None, latency_ms=None), agreement=None)
    with pytest.raises(UpgradeRefused, match="is worse in errors by 30 comparisons"):
        promote(worse, _PROMOTE, NOON)


def test_promotion_waits_where_chance_may_explain_the_difference() -> None:
    upgrade = shown(times=29)
    unclear, _ = shadowed(upgrade, result(new=side(answered=False, schema_valid=None), agreement=None), NOON)
    strict = order(settings={"max_error_increase": 0.0}).settings
    with pytest.raises(UpgradeRefused, match="in errors, which may be chance"):
        promote(unclear.model_copy(update={"settings": strict}), _PROMOTE, NOON)


@pytest.mark.parametrize("stage", ["evaluating", "shadowing", "promoting", "promoted"])
def test_rolling_back_works_from_every_stage_that_is_not_over(stage: Stage) -> None:
    held = begun().model_copy(update={"stage": stage, "share": 0.5})
    upgrade, events = roll_back(held, _ROLL_BACK, NOON)
    assert (upgrade.stage, upgrade.share, plan(upgrade, NOON).sample) == ("rolled_back", 0.0, 0.0)
    assert [(event.kind, event.operator) for event in events] == [("upgrade_rolled_back", "ada")]
    with pytest.raises(UpgradeRefused, match="over already"):
        roll_back(upgrade, _ROLL_BACK, NOON)


def test_live_answers_that_break_a_threshold_roll_the_new_model_back() -> None:
    upgrade, events = observed(_promoting(), {BASE: arm(200), NEW: arm(20, failed=6)}, NOON)
    assert (upgrade.stage, upgrade.share) == ("rolled_back", 0.0)
    assert events[0].detail == "after 20 live calls the new model is worse in errors"
    assert upgrade.steps[-1].operator == ""


@pytest.mark.parametrize(
    ("bad", "row"),
    [
        ({"schema_invalid": 20}, "schema valid"),
        ({"refused": 20}, "refusals"),
        ({"latency_ms": 2000.0}, "latency p95 ms"),
        ({"micro": 3000}, "cost usd"),
    ],
)
def test_each_live_threshold_rolls_back(bad: dict[str, Any], row: str) -> None:
    upgrade, _ = observed(_promoting(), {BASE: arm(200), NEW: arm(100, **bad)}, NOON)
    assert (upgrade.stage, row in upgrade.steps[-1].reason) == ("rolled_back", True)


def test_too_few_live_answers_roll_nothing_back() -> None:
    upgrade, _ = observed(_promoting(), {BASE: arm(200), NEW: arm(19, failed=19)}, NOON)
    assert upgrade.stage == "promoting"


def test_a_fault_that_both_models_show_rolls_nothing_back() -> None:
    upgrade, _ = observed(_promoting(), {BASE: arm(180, failed=90), NEW: arm(20, failed=10)}, NOON)
    assert upgrade.stage == "promoting"


def test_with_all_questions_the_new_model_is_held_against_what_its_base_did_beside_it() -> None:
    promoted, _ = promote(shown(times=40), PromoteUpgrade(provider="alpha", share=1.0), NOON)
    assert observed(promoted, {NEW: arm(40, failed=20)}, NOON)[0].stage == "rolled_back"


def test_a_promoted_model_is_watched_for_some_days_and_then_no_more() -> None:
    promoted, _ = promote(shown(times=40), PromoteUpgrade(provider="alpha", share=1.0), NOON)
    later = NOON + timedelta(days=8)
    assert (plan(promoted, NOON).watched(NOON), plan(promoted, later).watched(later)) == (True, False)
    assert observed(promoted, {NEW: arm(40, failed=40)}, later)[0].stage == "promoted"


def test_late_trouble_does_not_drown_in_old_success() -> None:
    upgrade = _promoting()
    upgrade, _ = observed(upgrade, {BASE: arm(100_000), NEW: arm(100_000)}, NOON)
    assert upgrade.live_new.calls <= MEMORY
    for _ in range(3):
        upgrade, _ = observed(upgrade, {BASE: arm(50), NEW: arm(50, failed=50)}, NOON)
    assert upgrade.stage == "rolled_back"


def test_two_equal_models_are_rarely_rolled_back() -> None:
    chance, rolled_back = random.Random(7), 0
    for _ in range(100):
        upgrade = _promoting()
        for _ in range(40):
            arms = {BASE: _drawn(chance, 45), NEW: _drawn(chance, 5)}
            upgrade, _ = observed(upgrade, arms, NOON)
        rolled_back += upgrade.stage == "rolled_back"
    assert rolled_back <= 5


def _drawn(chance: random.Random, calls: int) -> ArmTally:
    """Calls of a model of which every twentieth fails, and whose latency spreads widely."""
    found = ArmTally()
    for _ in range(calls):
        one = arm(1, failed=1) if chance.random() < 0.05 else arm(1, latency_ms=chance.lognormvariate(6, 0.7))
        found = found.merge(one)
    return found


_ALLOWED: dict[Stage, set[Stage]] = {
    "evaluating": {"evaluating", "shadowing", "refused", "rolled_back"},
    "shadowing": {"shadowing", "promoting", "promoted", "rolled_back"},
    "promoting": {"promoting", "promoted", "rolled_back"},
    "promoted": {"promoted", "rolled_back"},
    "refused": {"refused"},
    "rolled_back": {"rolled_back"},
}
_MOVES = st.one_of(
    st.tuples(st.just("evaluated"), st.lists(st.sampled_from(["passed", "failed", "inconclusive"]), max_size=2)),
    st.tuples(st.just("shadowed"), st.booleans()),
    st.tuples(st.just("observed"), st.integers(0, 40)),
    st.tuples(st.just("promote"), st.sampled_from([None, 0.05, 0.5, 1.0])),
    st.tuples(st.just("roll_back"), st.none()),
    st.tuples(st.just("begin"), st.none()),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_MOVES, max_size=25), st.integers(0, 40))
def test_no_words_and_observations_leave_the_moves_that_are_allowed(
    moves: list[tuple[str, Any]], comparisons: int
) -> None:
    upgrade = shown(shadowing() if comparisons else begun(), comparisons)
    for number, (name, told) in enumerate(moves):
        after = _moved(upgrade, name, told, number)
        if after.id == upgrade.id:
            assert after.stage in _ALLOWED[upgrade.stage]
        else:
            assert upgrade.over or upgrade.inconclusive
        assert (after.share > 0) == (after.stage in ("promoting", "promoted"))
        assert (after.share == 1) == (after.stage == "promoted")
        assert Upgrade.model_validate_json(after.model_dump_json()) == after
        assert len(after.steps) <= STEPS_KEPT
        upgrade = after


def _moved(upgrade: Upgrade, name: str, told: Any, number: int) -> Upgrade:
    now = NOON + timedelta(hours=number)
    moves: dict[str, Callable[[], Course]] = {
        "evaluated": lambda: evaluated(upgrade, report(*told), now),
        "shadowed": lambda: shadowed(upgrade, result(new=side(answered=told, schema_valid=None)), now),
        "observed": lambda: observed(upgrade, {BASE: arm(40), NEW: arm(40, failed=told)}, now),
        "promote": lambda: promote(upgrade, PromoteUpgrade(provider="alpha", share=told), now),
        "roll_back": lambda: roll_back(upgrade, _ROLL_BACK, now),
        "begin": lambda: begin(upgrade, order(id=f"u-{number + 2}"), now),
    }
    with suppress(UpgradeRefused):
        return moves[name]()[0]
    return upgrade


def test_the_record_of_an_upgrade_stays_small() -> None:
    upgrade, chance = _promoting(0.5), random.Random(1)
    for number in range(300):
        told = {"latency_ms": chance.lognormvariate(6, 2), "cost_usd": chance.random()}
        upgrade, _ = shadowed(upgrade, result(new=side(**told), base=side(**told)), NOON)
        upgrade, _ = promote(upgrade, PromoteUpgrade(provider="alpha", share=0.5 - number / 1000), NOON)
        latency_ms = 5 * 1.05 ** (number % 200)
        upgrade, _ = observed(upgrade, {BASE: arm(9, latency_ms=latency_ms), NEW: arm(9, latency_ms=latency_ms)}, NOON)
    assert len(upgrade.steps) == STEPS_KEPT
    assert len(upgrade.model_dump_json()) < 20_000


def test_an_order_that_has_been_carried_out_already_is_not_carried_out_again() -> None:
    ready = shown()
    seen = PromoteUpgrade(provider="alpha", held=ready.share)
    once, _ = promote(ready, seen, NOON)
    with pytest.raises(UpgradeRefused, match=r"alpha has 10 % of the questions by now, of another order"):
        promote(once, seen, NOON)


def test_an_open_breaker_is_nothing_to_an_upgrade_that_serves_nobody() -> None:
    assert broke(shadowing(), NOON) == (shadowing(), ())
