"""`Decision`: where a question goes, why, and every figure that the workflow then uses.

It is data in the history, so a replay never needs the configuration of the day, and a person can see what was known.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.complexity import Reason
from pointsman.faults import NON_RETRYABLE_TYPES
from pointsman.panel import Panel
from pointsman.provider import Price
from pointsman.query_types import QueryType
from pointsman.standing import WELL, Standing
from pointsman.tenants import TenantCap

# A negative one would divide by a strength of 0, and one without bound has no score.
Weight = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class Terms(BaseModel):
    """The parts of a candidate's score: fit - cost_penalty - latency_penalty = score."""

    model_config = ConfigDict(frozen=True)

    strength: float
    reasoning_match: float
    fit: float
    """strength^a x reasoning_match^b x (1 - error_rate)."""
    cost_penalty: float
    latency_penalty: float
    cost_per_1k_usd: float | None
    """USD per 1,000 tokens for this question; `None` where the provider has no price."""
    latency_ms: float
    """Median: measured, or declared where there is too little live traffic."""
    error_rate: float = 0.0
    """Share of calls that failed lately; 0 until it is measured."""
    measured: bool = False
    """Whether latency and error rate come from live traffic."""


class Candidate(BaseModel):
    """A provider that may answer, with all that is needed to call it. Durations in seconds."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    task_queue: str
    vendor: str
    tier: str
    score: float
    terms: Terms
    in_flight: int = 0
    """Calls under way in the process that decided: what breaks a tie."""
    timeout_s: float
    """Total wall clock of one request."""
    start_to_close_s: float
    max_attempts: int
    max_output_tokens: int
    expected_output_tokens: int
    estimated_cost_usd: float | None
    """What an answer of the expected length costs."""
    price: Price | None
    context_tokens: int
    drop_params: tuple[str, ...] = ()
    confidence: float
    """Assumed for an answer that states none: the provider's strength for this query type."""
    standing: Standing = WELL
    """Its health when this was decided; `epoch` and `gen` are the token that its calls are admitted under."""
    hedge_delay_s: float | None = None
    """How long this candidate is waited for before a second one is asked too; `None` is to the end."""
    waits_for_slot: bool = False
    """Whether its rate limit is kept where it is called: an attempt may then wait for a slot before its request."""


class ShadowPlan(BaseModel):
    """A model under upgrade that is asked besides, for nobody's answer: the question neither waits nor pays for it."""

    model_config = ConfigDict(frozen=True)

    upgrade_id: str
    provider: str
    base: str
    """The model whose answer is compared with."""
    candidate: Candidate
    """The provider with its new model."""
    within_s: float
    """Seconds from the question's start after which its answer is not waited for any more."""
    most_usd: float
    """What the call may come to cost; set aside for it."""


class Rejection(BaseModel):
    """A provider that was not considered, and why."""

    model_config = ConfigDict(frozen=True)

    provider: str
    reason: str
    """A stable name: disabled, not_in_chain, denied, not_allowed, over_cost, over_latency, context_too_small, ..."""
    detail: str = ""
    recovers_in_s: float | None = None
    """Seconds after which it may be a candidate again, where that is known."""


class Weights(BaseModel):
    """Weights of the scoring formula; these defaults reproduce the source document, `policy` has the others."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strength: Weight = 1.0
    depth: Weight = 1.0
    cost: Weight = 0.3
    latency: Weight = 0.2


class RetrySchedule(BaseModel):
    """The durable retry policy of a provider call: waits of initial x backoff^n up to `max_interval_s`, in seconds."""

    model_config = ConfigDict(frozen=True)

    initial_s: float = 0.5
    backoff: float = 2.0
    max_interval_s: float = 20.0
    same_provider_wait_s: float = 1.0
    """The longest Retry-After that is waited for while another candidate is left."""
    max_sleep_s: float = 60.0
    """The longest Retry-After that is waited for when none is left."""
    non_retryable_types: tuple[str, ...] = NON_RETRYABLE_TYPES


class CallLimits(BaseModel):
    """What every provider call of a question is bounded by, besides its candidate's own limits. Seconds."""

    model_config = ConfigDict(frozen=True)

    retry: RetrySchedule = RetrySchedule()
    heartbeat_timeout_s: float = 10.0
    queue_wait_s: float = 10.0
    queue_wait_share: float = 0.2
    """A call waits min(queue_wait_s, queue_wait_share x what is left) for a worker before the next is tried."""
    infrastructure_attempts: int = 5
    """How often a candidate is called because the worker of the call before died."""
    charge: Literal["nothing", "fallbacks", "all_fallbacks"] = "nothing"
    """Which ways on to another provider draw on the budget; a question's first one may be free (section 12)."""
    tells_lost_in_queue: bool = False
    """Whether an attempt whose worker was lost is on record though its retry found no worker in time. Decisions say so
    since they know it: what a history holds from before replays as it was."""


class Decision(BaseModel):
    """The outcome of classifying and scoring, with the policy that it was made under."""

    model_config = ConfigDict(frozen=True)

    query_type: QueryType
    classification_confidence: float
    classifier: str
    complexity: float
    complexity_reasons: tuple[Reason, ...] = ()
    """What the complexity is made of; none where it is the query type's own."""
    route: str
    """The table of the configuration that named the chain, such as `routes.extract`."""
    order: Literal["score", "chain"]
    policy: str = "source"
    candidates: tuple[Candidate, ...]
    """Best first."""
    rejected: tuple[Rejection, ...]
    weights: Weights
    max_cost_per_1k_usd: float
    max_latency_ms: float
    min_confidence: float
    on_refusal: Literal["return", "next"]
    stakes: Literal["normal", "high"]
    reason: str = "primary"
    """Why the first candidate is the first: primary, or who was passed over for his health: breaker_open:<provider>."""
    hedge: bool = False
    """Whether a second candidate may be asked while the first is still at it."""
    panel: Panel | None = None
    """Who is asked at once where the stakes are high; `None` leaves the answer to one provider."""
    response_schema: dict[str, Any] | None = None
    """The route's own schema, where the question brings none."""
    limits: CallLimits
    max_attempts_per_request: int
    catalogue_version: int | None = None
    """Of the catalogue that this was decided with; `None` where none was within reach."""
    figures: Literal["measured", "declared"] = "declared"
    """Whether strengths and latencies were measured, or are the configuration's."""
    warnings: tuple[str, ...] = ()
    """What a person should do soon, such as measuring a provider anew before it is retired."""
    shadow: ShadowPlan | None = None
    """Which new model of the first candidate's provider is asked besides, if any."""
    tenant_cap: TenantCap | None = None
    """The cap of the question's tenant, where for its sake a provider is not asked."""
    unvalidated: bool = False
    """Whether the question has a task that no suite has tested its candidates for."""
