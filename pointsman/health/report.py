"""What a process tells the entity: one signal with everything since the last one, in sums and never call by call."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pointsman.health.cooldown import COOLDOWN_MAX_S, CooldownReason
from pointsman.health.delta import Count, Delta, Key, Second
from pointsman.health.gauges import Gauges
from pointsman.health.measures import Measures
from pointsman.health.policy import HealthPolicy

DELTAS_MAX = 256
_OTHERS_MAX = 1024

Name = Annotated[str, Field(min_length=1, max_length=64)]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
MicroUsd = Annotated[int, Field(ge=0, le=10**15)]
Hint = Annotated[float, Field(ge=0, le=COOLDOWN_MAX_S, allow_inf_nan=False)]


class Cooled(BaseModel):
    """A key is to be passed over. It travels as a duration: clocks differ, durations do not."""

    model_config = ConfigDict(frozen=True)

    key: Key
    reason: CooldownReason
    seconds: Hint | None = None
    """The longest that the provider asked for; `None` leaves it to the entity."""
    count: Count = 1
    """How often, since the last success."""


class Overdue(BaseModel):
    """Calls of a key ran far past the median, and no success came between."""

    model_config = ConfigDict(frozen=True)

    key: Key
    epoch: int
    gen: int
    count: Count = 1


class Failed(BaseModel):
    """The last fault of a key, told to people: what counts stands in the deltas."""

    model_config = ConfigDict(frozen=True)

    key: Key
    second: Second
    kind: Annotated[str, Field(max_length=64)] = ""
    """The fault's kind, such as http_503 or timeout."""


class Rebased(BaseModel):
    """A provider's lasting new behaviour has become what this process compares its answers with."""

    model_config = ConfigDict(frozen=True)

    key: Key
    query_type: Name


class Spent(BaseModel):
    """Money that went to a provider on a UTC day, in micro-USD."""

    model_config = ConfigDict(frozen=True)

    provider: Name
    day: Day
    micro_usd: MicroUsd


class TenantSpent(BaseModel):
    """Money that a capped tenant's questions cost on a UTC day, in micro-USD."""

    model_config = ConfigDict(frozen=True)

    tenant: Name
    day: Day
    micro_usd: MicroUsd


class Measured(BaseModel):
    """How a provider did on one type of question."""

    model_config = ConfigDict(frozen=True)

    provider: Name
    query_type: Name
    measures: Measures


class Report(BaseModel):
    """One signal. It arrives at least once: a second arrival of the same number is dropped."""

    model_config = ConfigDict(frozen=True)

    worker_id: Annotated[str, Field(min_length=1, max_length=200)]
    """New at each start of a process."""
    seq: Annotated[int, Field(ge=1, le=2**53)]
    """From 1; a report whose arrival is unknown is sent again under its number, before the next."""
    policy: HealthPolicy | None = None
    """With the first report of a process, and whenever a snapshot says that the entity has none."""
    deltas: Annotated[tuple[Delta, ...], Field(max_length=DELTAS_MAX)] = ()
    """In the order of the process."""
    cooled: Annotated[tuple[Cooled, ...], Field(max_length=_OTHERS_MAX)] = ()
    overdue: Annotated[tuple[Overdue, ...], Field(max_length=_OTHERS_MAX)] = ()
    failed: Annotated[tuple[Failed, ...], Field(max_length=_OTHERS_MAX)] = ()
    rebased: Annotated[tuple[Rebased, ...], Field(max_length=_OTHERS_MAX)] = ()
    spent: Annotated[tuple[Spent, ...], Field(max_length=_OTHERS_MAX)] = ()
    tenants: Annotated[tuple[TenantSpent, ...], Field(max_length=_OTHERS_MAX)] = ()
    measured: Annotated[tuple[Measured, ...], Field(max_length=_OTHERS_MAX)] = ()
    gauges: Gauges | None = None
    """`None` of a process that does not tell them."""
