"""Whose money a question draws on: daily cost caps of tenants, and one for all who have none of their own.

    [tenants.blue]
    daily_cost_cap_usd = 5.0

    [tenants."*"]
    daily_cost_cap_usd = 1.0

`"*"` is one purse that every other question shares, those without a tenant too: a name that somebody makes up brings no
money with it, and however many names there are, only those written here are kept account of.
"""

from __future__ import annotations

from collections.abc import Container
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

OTHERS = "*"
"""The account of whoever has no cap of his own."""
TENANTS_MAX = 200
"""Accounts: a whole set of them with names of 64 bytes is below 20 KB in a snapshot."""
TENANT_COST_CAP = "tenant_cost_cap"
"""The reason for which a provider is not asked, and the kind of the fault of a call that was turned away."""


class TenantSettings(BaseModel):
    """A table `[tenants.NAME]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    daily_cost_cap_usd: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
    """Per UTC day, over all workers, with every attempt of the tenant's questions."""


class TenantCap(BaseModel):
    """A cap that does not pay for a question, as its decision carries it."""

    model_config = ConfigDict(frozen=True)

    account: str
    """The tenant's name, or "*" for all who have no cap of their own."""
    cap_usd: float
    spent_usd: float
    """Of today, as far as the process knew that decided."""
    resets_at: AwareDatetime
    """The next midnight UTC."""
    pays_later: bool = True
    """Whether the cap will pay for such a question when it begins anew."""

    @property
    def sentence(self) -> str:
        """Which cap it is, what is spent, and when it begins anew; or that it is too low for such a question."""
        if not self.pays_later:
            return self._too_low
        whose = f"The tenant {self.account} has" if self.account != OTHERS else "All without a cap of their own have"
        return (
            f"{whose} spent ${self.spent_usd:.4f} of ${self.cap_usd:g} for today, and what is left does not pay "
            f"for this question. The cap begins anew at {self.resets_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        )

    @property
    def _too_low(self) -> str:
        whose = f"of the tenant {self.account}" if self.account != OTHERS else "without a cap of their own"
        table = f"[tenants.{self.account}]" if self.account != OTHERS else '[tenants."*"]'
        return (
            f"One question {whose} may cost more than a worker may spend of ${self.cap_usd:g} in a whole day; lower "
            f"its max_output_tokens, or raise daily_cost_cap_usd of {table}"
        )

    @classmethod
    def of(cls, account: str, cap_usd: float, spent_usd: float, resets_at: float, *, pays_later: bool) -> TenantCap:
        """A cap that begins anew at a time in seconds since the epoch."""
        at = datetime.fromtimestamp(resets_at, UTC)
        return cls(account=account, cap_usd=cap_usd, spent_usd=spent_usd, resets_at=at, pays_later=pays_later)


def account_of(tenant: str | None, caps: Container[str]) -> str | None:
    """The account that a tenant's questions draw on, or `None` where no cap concerns them."""
    if tenant is not None and tenant in caps:
        return tenant
    return OTHERS if OTHERS in caps else None
