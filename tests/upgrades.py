"""Upgrades to test with: every builder gives a valid one, and takes what the test is about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pointsman.catalogue.commands import BeginUpgrade
from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.observations import ShadowResult, SideOfShadow, UpgradeEvaluated
from pointsman.catalogue.tally import ArmTally
from pointsman.catalogue.upgrade import Upgrade
from pointsman.catalogue.upgrading import begin, evaluated, shadowed
from pointsman.latency_histogram import LatencyHistogram

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
BASE, NEW = "openai/model-2026-01-01", "openai/model-2026-11-01"


def order(**changes: Any) -> BeginUpgrade:
    told: dict[str, Any] = {"id": "u-1", "provider": "alpha", "base": BASE, "model": NEW, "operator": "ada", **changes}
    return BeginUpgrade.model_validate(told)


def begun(**changes: Any) -> Upgrade:
    return begin(None, order(**changes), NOON)[0]


def evaluation(verdict: str = "passed", task: str = "extract") -> Evaluation:
    told = {"task": task, "provider": "alpha", "model": NEW, "suite": "s", "cases": 20, "passed": 19, "threshold": 0.8}
    return Evaluation.model_validate({**told, "verdict": verdict, "evaluated_at": NOON})


def report(*verdicts: str) -> UpgradeEvaluated:
    found = tuple(evaluation(verdict, f"task-{number}") for number, verdict in enumerate(verdicts))
    return UpgradeEvaluated(upgrade_id="u-1", provider="alpha", evaluations=found)


def shadowing(**changes: Any) -> Upgrade:
    return evaluated(begun(**changes), report("passed"), NOON)[0]


def side(**changes: Any) -> SideOfShadow:
    told: dict[str, Any] = {"answered": True, "schema_valid": True, "latency_ms": 500.0, "cost_usd": 0.001, **changes}
    return SideOfShadow.model_validate(told)


def result(new: SideOfShadow | None = None, base: SideOfShadow | None = None, **changes: Any) -> ShadowResult:
    told: dict[str, Any] = {"upgrade_id": "u-1", "provider": "alpha", "question_id": "q", "at": NOON, **changes}
    told = {"agreement": "agree", "spent_usd": 0.001, "base": base or side(), "new": new or side(), **told}
    return ShadowResult(**told)


def shown(upgrade: Upgrade | None = None, times: int = 30, **changes: Any) -> Upgrade:
    """An upgrade with so many comparisons, all alike."""
    held = upgrade or shadowing(daily_cost_cap_usd=100)
    for _ in range(times):
        held, _ = shadowed(held, result(**changes), NOON)
    return held


def arm(calls: int, *, latency_ms: float = 500.0, micro: int = 1000, **changes: Any) -> ArmTally:
    """So many calls of a model, of which `changes` went wrong."""
    wrong = changes.get("failed", 0) + changes.get("schema_invalid", 0)
    told: dict[str, Any] = {
        "calls": calls,
        "with_schema": calls - changes.get("failed", 0),
        "latency": LatencyHistogram().add(latency_ms, calls - wrong) if calls > wrong else LatencyHistogram(),
        "priced": calls,
        "cost_micro_usd": calls * micro,
        "cost_squares": calls * micro * micro,
        **changes,
    }
    return ArmTally(**told)
