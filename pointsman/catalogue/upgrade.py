"""`Upgrade`: the way of one provider from the model in its configuration to a new one.

evaluating -> shadowing -> promoting (a share of the traffic) -> promoted; refused by its evaluation, or rolled back,
by a person or by what its live answers show. Source: routing document, "Pin the version and treat a model change as a
dependency upgrade"; DESIGN ruling 13.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from pointsman.catalogue.evaluation import Evaluation
from pointsman.provider import Amount, Price, Share

Stage = Literal["evaluating", "shadowing", "promoting", "promoted", "refused", "rolled_back"]
SERVING: frozenset[Stage] = frozenset({"promoting", "promoted"})
"""The stages in which the new model answers questions."""


class StageChange(BaseModel):
    """One step of an upgrade."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: AwareDatetime
    stage: Stage
    share: Share = 0.0
    operator: str = ""
    reason: str = ""


class UpgradePlan(BaseModel):
    """What a process that decides needs to know of an upgrade."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    provider: str
    base: str
    """The model in the configuration for which the upgrade was begun; with another one there it is void."""
    model: str
    """The new one."""
    price: Price | None = None
    """Of the new one."""
    stage: Stage
    share: Share = 0.0
    """Of the questions that the new model answers."""
    sample: Share = 0.0
    """Of the questions that the new model is asked besides, while it is shadowed; 0 once the day's money is spent."""
    free_usd: Amount = 0.0
    """What is left today for shadowing."""


class Upgrade(BaseModel):
    """The whole record of one upgrade."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    provider: str
    base: str
    model: str
    price: Price | None = None
    stage: Stage = "evaluating"
    share: Share = 0.0
    sample: Annotated[float, Field(gt=0, le=1)] = 0.05
    daily_cost_cap_usd: Amount = 1.0
    evaluations: tuple[Evaluation, ...] = ()
    steps: tuple[StageChange, ...] = ()
    """Oldest first."""
