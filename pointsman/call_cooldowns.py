"""Cooldowns that are counted in router calls: a flagged provider is skipped for the next few questions of this process.

    left = cooldowns.begin(request_id)      # once per question, whatever it does
    for provider in order(chain, left): ...
    cooldowns.cool(provider, calls=3)       # flagged on call 1: skipped on 2, 3 and 4, tried on 5

They are a preference, never a barrier: with nothing else left, cooling providers are tried, least degraded first.
Sources: ensemble document, "Router"; resilience specification, sections 8 and 11. State is per process.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

_REMEMBERED = 10_000


class CallCooldowns:
    """How many calls each cooling provider still sits out."""

    def __init__(self) -> None:
        """Start with nobody cooling."""
        self._left: dict[str, int] = {}
        self._begun: OrderedDict[str, None] = OrderedDict()

    @property
    def left(self) -> dict[str, int]:
        """Calls that each cooling provider will be skipped for from now on; a provider that is ready is absent."""
        return dict(self._left)

    def begin(self, request_id: str) -> dict[str, int]:
        """Count one router call, and say what it has to respect: the calls left before it was counted.

        A question is one call. Begun again, for a later round or because its first start was lost, it counts nothing
        and sees what holds now; so it is for the last 10,000 questions.
        """
        respected = self.left
        if request_id in self._begun:
            self._begun.move_to_end(request_id)
            return respected
        self._begun[request_id] = None
        if len(self._begun) > _REMEMBERED:
            self._begun.popitem(last=False)
        self._left = {provider: calls - 1 for provider, calls in respected.items() if calls > 1}
        return respected

    def cool(self, provider: str, calls: int) -> None:
        """Skip `provider` for the next `calls` router calls; a shorter cooldown never shortens a longer one."""
        if calls > self._left.get(provider, 0):
            self._left[provider] = calls


def order(providers: Sequence[str], left: Mapping[str, int]) -> tuple[str, ...]:
    """Those not cooling first, then those with the fewest calls left; otherwise in the order given."""
    return tuple(sorted(providers, key=lambda provider: left.get(provider, 0)))
