"""`Upgrade`: the way of one provider from the model in its configuration to a new one.

evaluating -> shadowing -> promoting (a share of the traffic) -> promoted; refused by its evaluation, or rolled back,
by a person or by what its live answers show. Source: routing document, "Pin the version and treat a model change as a
dependency upgrade"; DESIGN ruling 13.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.profile import Count
from pointsman.catalogue.side_by_side import Agreement, SideBySide, side_by_side
from pointsman.catalogue.tally import ArmTally
from pointsman.catalogue.thresholds import UpgradeSettings
from pointsman.provider import Amount, Price, Share, Usd

ALL = 1.0
"""The share of all questions."""
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
    note: str = ""


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
    """Of the questions that the new model is asked besides; 0 but while it is shadowed."""
    daily_cost_cap_usd: Usd = 0.0
    spent_usd: Amount = 0.0
    """What shadowing has cost on the day `spent_on`."""
    spent_on: str = ""
    """A UTC day such as "2026-12-01"."""
    watched_until: AwareDatetime | None = None
    """Until when live answers are still held against a promoted model."""

    def free_usd(self, day: str) -> float:
        """What is left for shadowing on a UTC day; the reader's clock says which, since nothing ends a quiet day."""
        spent = self.spent_usd if self.spent_on == day else 0.0
        return max(0.0, self.daily_cost_cap_usd - spent)

    def watched(self, now: datetime) -> bool:
        """Whether live answers of its models are to be told."""
        return self.stage == "promoting" or (
            self.stage == "promoted" and self.watched_until is not None and now < self.watched_until
        )


class Shadows(BaseModel):
    """What came of the questions that the new model was asked besides, so far."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: ArmTally = ArmTally()
    new: ArmTally = ArmTally()
    agreement: Agreement = Agreement()
    unpaired: Count = 0
    """Shadow calls that could not be compared: another provider had answered, or one of the two calls was cut off."""


class ShadowSpend(BaseModel):
    """What shadowing has cost, in micro-USD."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    day: str = ""
    today: Count = 0
    total: Count = 0
    capped_on: str = ""
    """The last day whose cap was used up."""


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
    daily_cost_cap_usd: Usd = 1.0
    settings: UpgradeSettings = UpgradeSettings()
    evaluations: tuple[Evaluation, ...] = ()
    shadows: Shadows = Shadows()
    spend: ShadowSpend = ShadowSpend()
    live_base: ArmTally = ArmTally()
    live_new: ArmTally = ArmTally()
    watched_until: AwareDatetime | None = None
    """Set once the new model has all questions."""
    steps: tuple[StageChange, ...] = ()
    """Oldest first; the last 50."""

    @property
    def over(self) -> bool:
        """Whether the new model is out for good."""
        return self.stage in ("refused", "rolled_back")

    @property
    def inconclusive(self) -> bool:
        """Whether its evaluation has ended without a verdict, and may be made again."""
        return self.stage == "evaluating" and any(one.verdict == "inconclusive" for one in self.evaluations)

    def shadow_comparison(self) -> SideBySide:
        """The new model against its base, by the questions that both were asked."""
        held = self.shadows
        return side_by_side(
            held.base, held.new, self.settings, wanted=self.settings.min_shadows, agreement=held.agreement
        )

    def live_comparison(self) -> SideBySide:
        """The new model against its base, by live answers; where the base has too few, its shadowed ones count too."""
        base, wanted = self.live_base, self.settings.min_live
        if base.calls < wanted:
            base = base.merge(self.shadows.base)
        return side_by_side(base, self.live_new, self.settings, wanted=wanted)


def share_words(share: float) -> str:
    """A share for people: percent of the questions, or all of them.

    >>> share_words(0.005)
    '0.5 % of the questions'
    """
    return "all questions" if share >= ALL else f"{100 * share:.4g} % of the questions"
