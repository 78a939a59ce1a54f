"""The shape of the configuration: frozen values for every table of the TOML file. `config_file` reads it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.admission import AdmissionMode
from pointsman.budget import BudgetSettings
from pointsman.catalogue.thresholds import UpgradeSettings
from pointsman.classification import ClassifierName
from pointsman.decision import CallLimits, RetrySchedule, Weights
from pointsman.deployment import WorkerSettings
from pointsman.divergence.settings import DivergenceSettings
from pointsman.encoding.settings import PayloadSettings
from pointsman.evals.suite import EvalSuite
from pointsman.health.settings import BreakerSettings, HealthSettings
from pointsman.hedge_delay import HedgingSettings
from pointsman.ledger.settings import LedgerSettings
from pointsman.panel import FanOut, OnCannotTell, OnUnverifiable, Strategy
from pointsman.policy import OwnWeights, PolicyName
from pointsman.provider import Amount, Provider, ProviderName, Share
from pointsman.query_types import QueryType
from pointsman.review import OnReviewTimeout
from pointsman.telemetry.settings import TelemetrySettings
from pointsman.tenants import TENANTS_MAX, TenantSettings
from pointsman.throttling import ThrottlingSettings


class Route(BaseModel):
    """A chain and how it is used: a table `[routes.<task>]` or `[query_types.<type>]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chain: tuple[str, ...]
    order: Literal["score", "chain"] = "score"
    max_attempts: Annotated[int, Field(ge=1, le=10)] = 2
    min_confidence: Share = 0.0
    hedge: bool = False
    on_refusal: Literal["return", "next"] = "return"
    response_schema: str | None = None
    """Path of a JSON Schema, relative to the configuration file."""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] | None = None
    stakes: Literal["normal", "high"] = "normal"
    fan_out: FanOut = 2
    """Equals that are asked at once where the stakes are high."""
    reconcile: Strategy = "tiered"
    on_unverifiable: OnUnverifiable | None = None
    """What happens to an answer that could not be compared: "answer", but "review" where a person is to see each."""
    on_cannot_tell: OnCannotTell = "disagree"
    """How answers count of which the detector cannot tell whether they agree."""
    on_review_timeout: OnReviewTimeout = "best"
    require_eval: bool | None = None
    """Whether a member needs a passing result of the task's suite; `None` is where there is one."""


class TaskRoute(Route):
    """A route that a question names by its task."""

    query_type: QueryType = QueryType.ANALYSIS


class Scoring(BaseModel):
    """How candidates are scored, and the limits that no question exceeds without saying so."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: PolicyName = "balanced"
    weights: OwnWeights = OwnWeights()
    """In place of the policy's own."""
    good_enough: Annotated[float, Field(ge=0.5, le=1)] = 0.95
    """The share of the best candidate's fit with which one is good enough for "cheapest_good"."""
    max_cost_per_1k: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 0.10
    max_latency_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 5000.0

    @property
    def formula(self) -> Weights:
        """The weights that hold: the policy's, with the owner's in their place."""
        return self.weights.over(self.policy)

    @property
    def limits_cost(self) -> bool:
        """Whether the owner set the cost limit, so that a provider without a price cannot be allowed for."""
        return "max_cost_per_1k" in self.model_fields_set


class Retry(BaseModel):
    """Waits between attempts at one provider, and the cap on attempts of a whole question."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    initial_s: Annotated[float, Field(gt=0, le=60)] = 0.5
    backoff: Annotated[float, Field(ge=1, le=10)] = 2.0
    max_interval_s: Annotated[float, Field(gt=0, le=600)] = 20.0
    same_provider_wait_s: Amount = 1.0
    max_sleep_s: Amount = 60.0
    max_attempts_per_request: Annotated[int, Field(ge=1, le=50)] | None = None
    """Default: max(3, candidates + 1)."""

    def limits(self) -> CallLimits:
        """The part that a decision carries."""
        schedule = RetrySchedule(**self.model_dump(exclude={"max_attempts_per_request"}))
        return CallLimits(retry=schedule, tells_lost_in_queue=True)


class ClassificationSettings(BaseModel):
    """Who classifies: the trained model, the source document's rules, or a provider.

    The provider is asked within `timeout_s`; after that the rules decide.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    by: ClassifierName = "model"
    provider: str | None = None
    timeout_s: Annotated[float, Field(gt=0, le=30)] = 2.0


class CatalogueSettings(BaseModel):
    """Which figures a provider needs before it joins the pool (DESIGN ruling 7)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    admission: AdmissionMode = "measured"
    """"measured" asks for a profile; "declared" trusts the figures of the configuration and says so."""
    evals: str | None = None
    """Path of the folder of evaluation suites, relative to the configuration file."""


class ReviewSettings(BaseModel):
    """The table `[review]`: when a question that waits for a person reminds of itself, and how long it waits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    remind_after: Annotated[float, Field(ge=1, le=30 * 86400)] = 86_400.0
    timeout: Annotated[float, Field(ge=1, le=90 * 86400)] = 259_200.0
    webhook: Annotated[str, Field(max_length=2000)] | None = None
    """Is told of each review that waits, by a POST without the question's text."""


class Configuration(BaseModel):
    """The whole file. Cross-references have been checked: see `pointsman.checks`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    providers: dict[ProviderName, Provider]
    routes: dict[str, TaskRoute] = {}
    query_types: dict[QueryType, Route] = {}
    catalogue: CatalogueSettings = CatalogueSettings()
    upgrade: UpgradeSettings = UpgradeSettings()
    classification: ClassificationSettings = ClassificationSettings()
    scoring: Scoring = Scoring()
    retry: Retry = Retry()
    breaker: BreakerSettings = BreakerSettings()
    throttling: ThrottlingSettings = ThrottlingSettings()
    hedging: HedgingSettings = HedgingSettings()
    budget: BudgetSettings = BudgetSettings()
    health: HealthSettings = HealthSettings()
    ledger: LedgerSettings = LedgerSettings()
    divergence: DivergenceSettings = DivergenceSettings()
    review: ReviewSettings = ReviewSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    payloads: PayloadSettings = PayloadSettings()
    worker: WorkerSettings = WorkerSettings()
    tenants: Annotated[dict[str, TenantSettings], Field(max_length=TENANTS_MAX)] = {}
    """Caps by tenant; "*" is for all others together."""

    schemas: dict[str, dict[str, Any]] = Field(default={}, exclude=True)
    """JSON Schemas of the routes by their path as written; filled by `load`."""
    suites: dict[str, EvalSuite] = Field(default={}, exclude=True)
    """Evaluation suites by task; filled by `load`."""

    @property
    def tenant_caps(self) -> dict[str, float]:
        """Daily cost caps in USD by account."""
        return {name: settings.daily_cost_cap_usd for name, settings in self.tenants.items()}

    def tables(self) -> dict[str, Route]:
        """Every route by the name of its table, such as `routes.extract` or `query_types.code_task`."""
        named: dict[str, Route] = {f"routes.{task}": route for task, route in self.routes.items()}
        return named | {f"query_types.{query_type}": route for query_type, route in self.query_types.items()}

    def query_type_of(self, table: str) -> QueryType:
        """The query type that a table's chain is judged by."""
        kind, _, name = table.partition(".")
        return self.routes[name].query_type if kind == "routes" else QueryType(name)
