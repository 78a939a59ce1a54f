"""Where a contender's providers listen, and what is equal for all contenders."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Endpoints:
    """Of one contender, in one scenario."""

    primary: str
    secondary: str
    timeout_s: float
    out_s: float
    """For how long a provider that fails is left out: a breaker's `open_s`, a Router's `cooldown_time`."""
