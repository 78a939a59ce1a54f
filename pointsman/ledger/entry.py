"""`LedgerEntry`: the row that an attempt leaves in the ledger. Money is in whole nano-USD, so that sums are exact."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict

from pointsman.outcomes import Attempt, AttemptOutcome, ErrorClass, Purpose, UsageSource

NANO = 1_000_000_000
"""Nano-USD in a USD. A token at 0.125 USD per million costs 125 of them, and no whole number of micro-USD."""

LedgerPurpose = Purpose | Literal["probe"]


def _storable(text: str) -> str:
    # PostgreSQL takes no NUL and neither database half an emoji; a vendor's model name may hold either.
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


Text = Annotated[str, AfterValidator(_storable)]
Moment = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.astimezone(UTC))]


class LedgerUnavailable(Exception):
    """The ledger's database cannot be reached, read or written now; another try may help."""


class LedgerEntry(BaseModel):
    """One attempt, whatever came of it. `workflow_id`, `run_id`, `leg` and `attempt` tell it from every other."""

    model_config = ConfigDict(frozen=True)

    workflow_id: Text
    run_id: Text
    leg: Text
    """The id of the activity that called the provider."""
    attempt: int
    provider: Text
    model: Text
    model_served: Text | None = None
    purpose: LedgerPurpose = "answer"
    outcome: AttemptOutcome
    error_class: ErrorClass | None = None
    kind: Text | None = None
    hedge: bool = False
    started_at: Moment
    """By the Temporal server's clock, in UTC."""
    latency_ms: float | None = None
    """`None` while the call runs, and for ever where its process died."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    usage_source: UsageSource = "unknown"
    cost_nano_usd: int | None = None
    """`None` = unknown, which is never counted as 0."""
    query_type: Text | None = None
    task: Text | None = None
    tenant: Text | None = None

    @classmethod
    def of(  # noqa: PLR0913 - it also says where, when and for whom the attempt ran
        cls,
        row: Attempt,
        *,
        workflow_id: str,
        run_id: str,
        leg: str,
        started_at: datetime,
        query_type: str | None = None,
        task: str | None = None,
        tenant: str | None = None,
    ) -> Self:
        """The entry for an attempt's row."""
        return cls(
            workflow_id=workflow_id,
            run_id=run_id,
            leg=leg,
            attempt=row.attempt,
            provider=row.provider,
            model=row.model,
            model_served=row.model_served,
            purpose=row.purpose,
            outcome=row.outcome,
            error_class=row.error_class,
            kind=row.kind,
            hedge=row.hedge,
            started_at=started_at,
            latency_ms=row.latency_ms,
            input_tokens=row.usage.input_tokens,
            output_tokens=row.usage.output_tokens,
            cached_tokens=row.usage.cached_tokens,
            reasoning_tokens=row.usage.reasoning_tokens,
            usage_source=row.usage.source,
            cost_nano_usd=None if row.cost_usd is None else round(row.cost_usd * NANO),
            query_type=query_type,
            task=task,
            tenant=tenant,
        )

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What no two attempts share."""
        return self.workflow_id, self.run_id, self.leg, self.attempt

    @property
    def day(self) -> date:
        """The UTC day that the attempt counts to."""
        return self.started_at.date()

    @property
    def cost_usd(self) -> float | None:
        """The cost in USD, or `None` where it is unknown."""
        return None if self.cost_nano_usd is None else self.cost_nano_usd / NANO
