"""`ArmTally`: how one model of a provider under upgrade has answered, live or beside live questions."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, model_validator

from pointsman.catalogue.profile import Count, Measure
from pointsman.health.spend import MICRO
from pointsman.latency_histogram import LatencyHistogram
from pointsman.outcomes import Attempt, ErrorClass

MEMORY = 2_000
"""Calls beyond which a tally is halved, so that it follows the last thousand or so."""

_SCHEMA_KINDS = frozenset({"schema_invalid", "not_json"})
_FAULTS = frozenset({ErrorClass.FAILURE, ErrorClass.THROTTLE, ErrorClass.CONFIG, ErrorClass.CLIENT, ErrorClass.QUALITY})
"""Classes that speak of the model. A quota is the account's, and the rest is ours."""


class ArmTally(BaseModel):
    """Calls of one model. Each count is part of `calls`; amounts are in micro-USD, latencies in milliseconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: Count = 0
    """Ended by an answer, or by a fault that speaks of the model."""
    failed: Count = 0
    """Without an answer, for another reason than the schema."""
    with_schema: Count = 0
    """Of those that did not fail: how many were to match a schema."""
    schema_invalid: Count = 0
    refused: Count = 0
    grounded: Count = 0
    """Answers whose statements were looked up in the context."""
    grounded_sum: Measure = 0.0
    """Over these: the share of statements that the context supports."""
    latency: LatencyHistogram = LatencyHistogram()
    """Of answers."""
    priced: Count = 0
    """Calls whose cost is known."""
    cost_micro_usd: Count = 0
    cost_squares: Measure = 0.0
    """Sum of the squares of each call's micro-USD."""

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        # A file may say anything, and every figure is a share of these.
        if not (0 <= self.refused <= self.answered and self.schema_invalid <= self.with_schema <= self.calls):
            raise ValueError("failed, schema_invalid, refused and with_schema are parts of calls, and do not add up")
        if self.grounded_sum > self.grounded or self.priced > self.calls:
            raise ValueError("grounded_sum exceeds grounded, or priced exceeds calls")
        return self

    @property
    def answered(self) -> int:
        """Calls that gave an answer; a refusal is one."""
        return self.calls - self.failed - self.schema_invalid

    def merge(self, other: ArmTally) -> ArmTally:
        """The sum of both, without end: see `faded`."""
        counts: dict[str, Any] = {
            name: getattr(self, name) + getattr(other, name) for name in ArmTally.model_fields if name != "latency"
        }
        return ArmTally(**counts, latency=self.latency.merge(other.latency))

    def faded(self) -> ArmTally:
        """Halved until it holds no more than `MEMORY` calls: late trouble must not drown in old success."""
        faded = self
        while faded.calls > MEMORY:
            halves: dict[str, Any] = {
                name: value // 2 if isinstance(value, int) else value / 2 for name, value in faded if name != "latency"
            }
            # The half of an odd count is rounded down, and a sum of shares must not exceed it.
            halves["grounded_sum"] = min(halves["grounded_sum"], float(halves["grounded"]))
            faded = ArmTally(**halves, latency=faded.latency)
        return faded.model_copy(update={"latency": faded.latency.faded()})

    @classmethod
    def of_attempt(cls, row: Attempt, *, with_schema: bool) -> ArmTally | None:
        """One attempt; `None` where it says nothing of the model."""
        if row.error_class is None:
            return one_answer(
                with_schema=with_schema,
                refused=row.outcome == "refused",
                latency_ms=row.latency_ms,
                cost_usd=row.cost_usd,
            )
        if row.error_class not in _FAULTS:
            return None
        return one_failure(schema_invalid=row.kind in _SCHEMA_KINDS, cost_usd=row.cost_usd)


def one_answer(
    *,
    with_schema: bool,
    refused: bool,
    latency_ms: float | None,
    cost_usd: float | None,
    grounded: float | None = None,
) -> ArmTally:
    """The tally of one answer. A refusal is not asked whether it matches, nor how long it took."""
    return ArmTally(
        calls=1,
        with_schema=int(with_schema and not refused),
        refused=int(refused),
        grounded=int(grounded is not None),
        grounded_sum=grounded or 0.0,
        latency=LatencyHistogram() if latency_ms is None or refused else LatencyHistogram().add(latency_ms),
        **_cost(cost_usd),
    )


def one_failure(*, schema_invalid: bool, cost_usd: float | None) -> ArmTally:
    """The tally of one call that gave no usable answer."""
    wrong = int(schema_invalid)
    return ArmTally(calls=1, failed=1 - wrong, with_schema=wrong, schema_invalid=wrong, **_cost(cost_usd))


def _cost(usd: float | None) -> dict[str, Any]:
    if usd is None:
        return {}
    micro = round(usd * MICRO)
    return {"priced": 1, "cost_micro_usd": micro, "cost_squares": micro * micro}
