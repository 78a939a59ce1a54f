"""The providers that may answer, as their owner declares them: model, price, limits, abilities and strengths."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from pointsman.query_types import QueryType

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Usd = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
"""A price or a day's money; beyond a million is a slip of the pen, and no sum of it could be counted."""
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Ability = Literal["json_schema", "tools", "vision"]
ProviderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MODEL_PATTERN = r"^[^/\s]+/\S+$"
SIMULATED = "simulated/"
DEFAULT_STRENGTH = 0.5
"""Strength for a query type that a provider does not mention (source document, pattern 1)."""

# A pinned model string carries a date, a version with a dot or a digit-only suffix, or a digest.
_PINNED = re.compile(
    r"""(
        \d{4}-?\d{2}-?\d{2}          # 2026-08-15, 20260815
      | -\d{2}-\d{2}\b               # 05-20, with the year left out
      | @?sha256:[0-9a-f]{8,}        # a digest
      | [-@:]v?\d+\.\d+\.\d+         # v1.2.3
      | -\d{3,4}$                    # -001, -0613
    )""",
    re.VERBOSE,
)


def names_one_version(model: str) -> bool:
    """Whether a model's name carries a date, a version or a digest, so that it can mean one version only."""
    return _PINNED.search(model) is not None


class Price(BaseModel):
    """Prices in USD per million tokens; without `cached_input` cached tokens cost what others do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Usd
    output: Usd
    cached_input: Usd | None = None


class Latency(BaseModel):
    """Declared latency of a whole answer in milliseconds: what is assumed until it has been measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    p50_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    p95_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Provider(BaseModel):
    """One table `[providers.<name>]`. Durations are in seconds where the name ends in `_s`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: Annotated[str, StringConstraints(min_length=3, pattern=MODEL_PATTERN)]
    """LiteLLM's model string, such as `openai/gpt-5.2-2026-08-15`, or `simulated/NAME`."""
    tier: str
    reasoning_depth: Annotated[float, Field(ge=1, le=5)]
    context_tokens: Annotated[int, Field(gt=0)]
    rate_limit_per_minute: Annotated[int, Field(gt=0)]
    latency: Latency
    strengths: dict[QueryType, Share] = {}
    api_key_env: str | None = None
    api_base: str | None = None
    max_concurrent: Annotated[int, Field(gt=0, le=1000)] = 50
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 25.0
    max_output_tokens: Annotated[int, Field(gt=0)] = 1024
    """Cap sent with a question that sets none: some vendors bill up to 64,000 tokens otherwise."""
    supports: tuple[Ability, ...] = ()
    price: Price | None = None
    declared_at: date | None = None
    enabled: bool = True
    vendor: str | None = None
    pinned: bool = False
    drop_params: tuple[str, ...] = ()
    extra: dict[str, Any] = {}
    """Further keyword arguments of the call, such as `api_version`."""
    extra_headers: dict[str, str] = {}
    """Headers of every call; `{workflow_id}`, `{run_id}`, `{activity_id}` and `{attempt}` stand for the call's own."""
    degrade_after: Annotated[int, Field(ge=0)] | None = None
    fail_after: Annotated[int, Field(ge=0)] | None = None
    open_s: Annotated[float, Field(gt=0, le=86_400)] | None = None
    """Seconds that its breaker stays open; default: that of `[breaker]`, 30 at most where it has no alternative."""
    on_model_change: Literal["warn", "retire"] = "warn"
    """What happens when the vendor serves another model under the name: "retire" takes it out until it is accepted."""
    daily_cost_cap_usd: Usd | None = None
    """What it may cost on a UTC day: beyond it the provider is out until the next one."""
    seed: int = 0
    latency_s: Amount = 0.01

    @field_validator("api_key_env")
    @classmethod
    def _names_a_variable(cls, name: str | None) -> str | None:
        # The key itself, pasted here, must not come back in the sentence about a variable that is not set.
        if name is not None and not _VARIABLE.fullmatch(name):
            raise ValueError("not the name of an environment variable; give the variable's name, not the key")
        return name

    @property
    def simulated(self) -> bool:
        """Whether answers come from the simulation in the worker instead of from a model."""
        return self.model.startswith(SIMULATED)

    @property
    def vendor_name(self) -> str:
        """Who runs the model: `vendor`, else the first part of the model string."""
        return self.vendor or self.model.partition("/")[0]

    @property
    def dated(self) -> bool:
        """Whether the model string names one version, so that another one served contradicts it."""
        return names_one_version(self.model)

    @property
    def moving_alias(self) -> bool:
        """Whether the vendor may change the model behind this string (DESIGN ruling 8)."""
        return not self.pinned and not self.simulated and not self.dated

    def strength(self, query_type: QueryType) -> float:
        """Strength for a query type, from 0 to 1."""
        return self.strengths.get(query_type, DEFAULT_STRENGTH)


def task_queue(provider: str) -> str:
    """The task queue that a provider's own worker serves."""
    return f"pointsman-provider-{provider}"
