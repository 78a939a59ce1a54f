"""Results to test with."""

from __future__ import annotations

from typing import Any

from pointsman.examination.marks import MarkedAs
from pointsman.measuring.sitting import CaseResult, Plan, Sitting, SittingResult
from pointsman.query_types import QueryType


def result(name: str, outcome: MarkedAs = "passed", **changes: Any) -> CaseResult:
    """A marked answer that cost a tenth of a cent."""
    told: dict[str, Any] = {
        "query_type": QueryType.ANALYSIS,
        "answered": outcome != "error",
        "latency_ms": 10.0,
        "cost_usd": 0.001,
        **changes,
    }
    return CaseResult(id=name, outcome=outcome, **told)


def sitting_result(*results: CaseResult, provider: str = "alpha") -> SittingResult:
    sitting = Sitting(purpose="eval", provider=provider, model="m", task="sums", digest="d", questions=len(results))
    return SittingResult(sitting=sitting, results=results)


def plan(threshold: float = 0.9) -> Plan:
    return Plan(sittings=(), digest="d", threshold=threshold)
