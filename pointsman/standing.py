"""How a provider stands right now, as far as a decision asks: whether it may be tried, how soon, and its figures.

The port `Health` is answered by the process that decides: from a snapshot of the fleet, its own last seconds, and its
own breaker where no snapshot comes. Source: resilience specification, sections 7 and 8.
"""

from __future__ import annotations

from typing import Protocol

from pydantic import BaseModel, ConfigDict

from pointsman.hedge_delay import CallClass
from pointsman.query_types import QueryType


class Standing(BaseModel):
    """A provider's health. The default is a provider of which nothing bad is known."""

    model_config = ConfigDict(frozen=True)

    epoch: int = 0
    gen: int = 0
    """With `epoch` the token that a call is admitted under."""
    barred: str | None = None
    """Why it is not tried at all: breaker_open, quota, config, daily_cost_cap, ..."""
    ramping: bool = False
    """Closed of late: this question is among those that do not go there yet."""
    cooling: str | None = None
    """Why others are preferred for a while: throttle, overdue, flagged, ..."""
    calls_left: int = 0
    """Router calls that it still sits out."""
    recovers_in_s: float | None = None
    """When it may be back, where that is known."""

    @property
    def well(self) -> bool:
        """Whether nothing speaks against it: only such a provider is asked as the second leg of a hedge."""
        return self.barred is None and not self.ramping and self.cooling is None

    @property
    def preference(self) -> tuple[int, float]:
        """Sorts the well before the ramping, those before the cooling, and of these the least degraded first."""
        if self.cooling is None:
            return (1 if self.ramping else 0), 0.0
        if self.recovers_in_s is None:
            return 2, float(self.calls_left)
        return 3, self.recovers_in_s


WELL = Standing()


class Live(BaseModel):
    """What live traffic has shown of a provider on one type of question; `None` until there is enough of it."""

    model_config = ConfigDict(frozen=True)

    p50_ms: float | None = None
    """Of successes only: a fast error must not look like a fast provider."""
    error_rate: float | None = None
    output_tokens: float | None = None
    """Mean length of an answer."""


NOTHING_MEASURED = Live()


class Health(Protocol):
    """What a decision asks of the process that it is made in."""

    def standing(self, provider: str, model: str, most_usd: float, /) -> Standing:
        """How the provider's model stands for the question that is being decided, whose call may cost so much."""
        ...

    def live(self, provider: str, query_type: QueryType, /) -> Live:
        """What live traffic has shown."""
        ...

    def hedge_delay_s(self, call: CallClass, /, *, static_s: float, timeout_s: float) -> float | None:
        """Seconds after which a second provider is worth asking too: `static_s` until measured, `None` is never."""
        ...


class Unknown:
    """Health where no worker runs: everything is well, and nothing has been measured."""

    def standing(self, *_: object) -> Standing:
        """Well."""
        return WELL

    def live(self, _provider: str, _query_type: QueryType) -> Live:
        """Nothing."""
        return NOTHING_MEASURED

    def hedge_delay_s(self, *_: object, **__: object) -> float | None:
        """Never."""
        return None
