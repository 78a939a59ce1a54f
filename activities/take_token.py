"""The local activity that asks the process's retry budget for a hedge, a further fallback or another round."""

from __future__ import annotations

from typing import Protocol

from temporalio import activity

from pointsman.charges import TokenRequest


class Budget(Protocol):
    """The port to the retry budget of this process."""

    def take(self, request: TokenRequest) -> bool:
        """Take a token, or nothing where it is denied."""
        ...


class TakeToken:
    """Grants or denies; it never waits."""

    def __init__(self, budget: Budget) -> None:
        """`budget` is the one of this process."""
        self._budget = budget

    @activity.defn
    async def take_token(self, request: TokenRequest) -> bool:
        """Whether the budget grants it."""
        return self._budget.take(request)
