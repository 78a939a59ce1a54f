"""Health as a decision asks for it, from what the entity told: the rules of a planner, also where no worker runs.

told = Told(snapshot, configuration, question_id, now)
decide(question, classification, configuration, Circumstances(health=told))
"""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.configuration import Configuration
from pointsman.health.keys import key_of
from pointsman.health.measures import Figures
from pointsman.health.ramp import admits
from pointsman.health.snapshot import KeyHealth, Snapshot
from pointsman.hedge_delay import CallClass
from pointsman.query_types import QueryType
from pointsman.standing import Live, Standing

ENOUGH = 20
"""Successes from which live figures stand in for declared ones."""


def standing_of(told: KeyHealth, token: tuple[int, int], request_id: str, now: float) -> Standing:
    """How a key stands for one question; `token` is the (epoch, gen) that its call is admitted under."""
    recovers_at = told.recovers_at(now)
    return Standing(
        epoch=token[0],
        gen=token[1],
        barred=told.barred(now),
        ramping=not admits(request_id, told.share(now)),
        cooling=told.cooling(now),
        recovers_in_s=None if recovers_at is None else max(0.0, recovers_at - now),
    )


def live_of(figures: Figures) -> Live:
    """What live traffic has shown, once there are 20 successes: never from failed calls alone."""
    if figures.n < ENOUGH:
        return Live()
    return Live(p50_ms=figures.median_ms, error_rate=figures.error_rate, output_tokens=figures.output_tokens)


@dataclass(frozen=True)
class Told:
    """Implements `pointsman.standing.Health` from a snapshot alone: nothing of any process's own last seconds."""

    snapshot: Snapshot
    configuration: Configuration
    request_id: str
    now: float
    """Seconds since the epoch."""

    def standing(self, provider: str, model: str, most_usd: float = 0.0) -> Standing:
        """How the provider's model stands for this question; well where the entity does not know it.

        What is left of a day's cap only a process knows, which keeps account of the money that it has set aside.
        """
        del most_usd
        told = self.snapshot.keys.get(key_of(provider, model), KeyHealth())
        return standing_of(told, (self.snapshot.epoch, told.gen), self.request_id, self.now)

    def live(self, provider: str, query_type: QueryType) -> Live:
        """What live traffic of the fleet has shown."""
        return live_of(self._figures(provider, query_type))

    def hedge_delay_s(self, call: CallClass, *, static_s: float, timeout_s: float) -> float | None:
        """The p95 of the provider, `static_s` until it is measured; a worker knows it by the answer's length too."""
        hedging = self.configuration.hedging
        if hedging.max_hedges == 0:
            return None
        figures = self._figures(call.provider, call.query_type)
        p95_s = static_s if figures.p95_ms is None or figures.n < ENOUGH else figures.p95_ms / 1000
        return max(hedging.delay_min, min(p95_s, hedging.delay_max * timeout_s))

    def _figures(self, provider: str, query_type: str) -> Figures:
        return self.snapshot.figures.get(provider, {}).get(query_type, Figures())
