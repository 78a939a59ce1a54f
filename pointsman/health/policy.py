"""What a process tells the entity about its configuration, with the first report that it sends."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from pointsman.health.keys import provider_of
from pointsman.health.settings import (
    OPEN_S_WITHOUT_ALTERNATIVE,
    BreakerSettings,
    HealthSettings,
    Seconds,
)
from pointsman.tenants import TENANTS_MAX

KEYS_MAX = 100
"""Keys that the entity keeps: a full window is under 6 KB, and its whole state must fit a payload of 2 MB."""


class KeyPolicy(BaseModel):
    """What differs from key to key."""

    model_config = ConfigDict(frozen=True)

    open_s: Seconds | None = None
    """`None`: the breaker's own, cut to 30 s where there is no alternative."""
    attempt_timeout_s: Seconds = 30.0
    """The longest that Temporal lets an attempt run; a probe too."""
    daily_cost_cap_usd: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Of the key's provider, per UTC day."""
    has_alternative: bool = True
    """Whether every route that names the key has another member."""


class HealthPolicy(BaseModel):
    """Settings of breakers and health, and the keys of a configuration. The one that came last holds."""

    model_config = ConfigDict(frozen=True)

    breaker: BreakerSettings = BreakerSettings()
    health: HealthSettings = HealthSettings()
    probes_end_cooldowns: bool = False
    """Whether a closing by probes ends the cooldowns of a failing key too. Processes say so since they know it: what an
    entity's history holds from before replays as it was."""
    keys: Annotated[dict[str, KeyPolicy], Field(max_length=KEYS_MAX)] = {}
    tenants: Annotated[dict[str, float], Field(max_length=TENANTS_MAX)] = {}
    """Daily cost caps in USD, by the tenants that have one; nobody else's spend is kept."""

    @field_validator("breaker", "health", mode="before")
    @classmethod
    def _without_settings_of_another_version(cls, table: Any, info: ValidationInfo) -> Any:
        # In a file an unknown setting is refused. Here it comes from another version's process or state.
        if not isinstance(table, dict):
            return table
        known = BreakerSettings.model_fields if info.field_name == "breaker" else HealthSettings.model_fields
        return {name: value for name, value in table.items() if name in known}

    def of(self, key: str) -> KeyPolicy:
        """A key's policy; a key that is not named has the defaults."""
        return self.keys.get(key, KeyPolicy())

    @property
    def daily_caps(self) -> dict[str, float]:
        """The daily cap in USD of each provider that has one: the lowest of its keys'."""
        caps: dict[str, float] = {}
        for key, policy in self.keys.items():
            if policy.daily_cost_cap_usd is not None:
                provider = provider_of(key)
                caps[provider] = min(policy.daily_cost_cap_usd, caps.get(provider, policy.daily_cost_cap_usd))
        return caps

    def breaker_of(self, key: str) -> BreakerSettings:
        """The breaker settings of a key, with its own time open."""
        policy = self.of(key)
        open_s = policy.open_s
        if open_s is None:
            open_s = self.breaker.open_s
            if not policy.has_alternative:
                open_s = min(open_s, OPEN_S_WITHOUT_ALTERNATIVE)
        return self.breaker if open_s == self.breaker.open_s else self.breaker.model_copy(update={"open_s": open_s})
