"""What it costs the retry budget to go on to another provider (resilience specification, sections 8 and 12).

A question's first fallback is free where a breaker or a cooldown will end the episode anyway. Every further one costs
a token, and so do the first after an answer that was merely not good enough, and the first call of a later round.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from pointsman.outcomes import ErrorClass

Charge = Literal["hedge", "fallback", "round"]

DEFINITIVE = frozenset(
    {
        ErrorClass.FAILURE,
        ErrorClass.THROTTLE,
        ErrorClass.QUOTA,
        ErrorClass.CONFIG,
        ErrorClass.LOCAL,
        ErrorClass.INFRASTRUCTURE,
    }
)
"""The classes of fault after which a question's first fallback is free."""


class TokenRequest(BaseModel):
    """The input of the local activity `take_token`."""

    model_config = ConfigDict(frozen=True)

    charge: Charge
    request_id: str
    """The question's run, so that asking again for its hedge takes no second token."""
