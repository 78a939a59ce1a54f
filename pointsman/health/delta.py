"""What a process saw of one key in one second, or a few, under one token: the row of a report."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.health.failure_run import NOTHING, Segment

Outcome = Literal["ok", "fail", "throttle"]
"""What the health of a provider counts; every other end of a call is neutral and not recorded."""

Key = Annotated[str, Field(min_length=1, max_length=200)]
COUNT_MAX = 1_000_000
Count = Annotated[int, Field(ge=0, le=COUNT_MAX)]
Second = Annotated[int, Field(ge=0, le=10**11)]
"""Seconds since the epoch, by the process's clock."""


class Delta(BaseModel):
    """Outcomes of the calls that were admitted under the token (epoch, gen) and ended in this second.

    A process that reports seldom may tell of several seconds in one row (`outcome_rows`): they count as this one's.

    The segment tells their order, by which a run of failures is found. It stands in each row, and not once for a
    whole report, so that it makes no difference how rows are parted into reports.
    """

    model_config = ConfigDict(frozen=True)

    key: Key
    epoch: int
    gen: int
    second: Second
    ok: Count = 0
    fail: Count = 0
    throttle: Count = 0
    segment: Segment = NOTHING
