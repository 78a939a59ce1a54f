"""What processes and measuring workflows tell the catalogue: the arguments of its signals."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.profile import Measure
from pointsman.catalogue.tally import ArmTally, one_answer, one_failure
from pointsman.provider import Share


class ServedReport(BaseModel):
    """A process saw a model serve that the catalogue does not know of."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    served: str
    at: AwareDatetime
    dated: bool = False
    """Whether the model string names one version, so that another one served contradicts it."""


class UpgradeEvaluated(BaseModel):
    """How the new model stood the suites of the tasks that it may serve."""

    model_config = ConfigDict(frozen=True)

    upgrade_id: str
    provider: str
    evaluations: tuple[Evaluation, ...]
    """None where no task of the provider has a suite."""


class SideOfShadow(BaseModel):
    """One side of a comparison: how one model answered one question."""

    model_config = ConfigDict(frozen=True)

    answered: bool
    schema_valid: bool | None = None
    """`None` where no schema was asked for, for a refusal, and where there was no answer for another reason."""
    grounded: Share | None = None
    """Share of its statements that the context supports; `None` without a context."""
    refused: bool = False
    latency_ms: Measure | None = None
    cost_usd: Measure | None = None
    kind: str = ""
    """Why there was no answer."""

    def tally(self) -> ArmTally:
        """As one call of its model."""
        if not self.answered:
            return one_failure(schema_invalid=self.schema_valid is False, cost_usd=self.cost_usd)
        return one_answer(
            with_schema=self.schema_valid is not None,
            refused=self.refused,
            latency_ms=self.latency_ms,
            cost_usd=self.cost_usd,
            grounded=self.grounded,
        )


class ShadowResult(BaseModel):
    """What came of one question that the new model was asked besides."""

    model_config = ConfigDict(frozen=True)

    upgrade_id: str
    provider: str
    question_id: str
    at: AwareDatetime
    base: SideOfShadow | None = None
    """`None` where the question's own answer is not one of the base model's, and so cannot be compared."""
    new: SideOfShadow | None = None
    """`None` where the call was never made, or cut off by a fault of ours."""
    agreement: Literal["agree", "disagree", "cannot_tell"] | None = None
    spent_usd: Measure = 0.0
    """What the shadow call cost; where that is unknown, the most that it may have cost."""


class Observations(BaseModel):
    """Everything that a process has seen of providers under upgrade since its last report."""

    model_config = ConfigDict(frozen=True)

    worker_id: str
    seq: Annotated[int, Field(ge=1)]
    """Rises with each report; one that comes twice is taken once."""
    arms: dict[str, dict[str, ArmTally]]
    """By upgrade id and model."""
    broken: tuple[str, ...] = ()
    """Ids of upgrades whose new model's breaker is open while that of the base is not."""
