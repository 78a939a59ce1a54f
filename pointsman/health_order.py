"""Candidates by health: who is out, who comes later, and why the first is the first (resilience specification, 8)."""

from __future__ import annotations

from collections.abc import Mapping

from pointsman.admission import CATALOGUE_UNREAD
from pointsman.cost import estimated_cost_usd
from pointsman.decision import Candidate, Rejection
from pointsman.hedge_delay import CallClass, tokens_bucket
from pointsman.provider import Provider
from pointsman.query_types import QueryType
from pointsman.standing import Health, Standing
from pointsman.tenants import TENANT_COST_CAP

BREAKER = frozenset({"breaker_open", "half_open", "forced_open"})
"""The reasons for being barred that are a breaker's."""
OUT_FOR_HEALTH = BREAKER | {"quota", "config", "daily_cost_cap", TENANT_COST_CAP, CATALOGUE_UNREAD}
"""The reasons for being barred that pass by themselves or by an operator's hand."""
FLAGGED = "flagged"
"""The reason for cooling that is the throttling detector's."""


def by_health(
    eligible: tuple[Candidate, ...], health: Health, limit_usd: float | None = None
) -> tuple[tuple[Candidate, ...], tuple[Rejection, ...], str]:
    """Candidates in the order to be asked, those that health bars, and the reason for asking the first one.

    The order given holds among those that are well. With nobody well the ramping and the cooling are still asked, the
    least degraded first: a question is never refused because of cooldowns alone. `limit_usd` is the question's own.
    """
    standing = {
        candidate.provider: health.standing(candidate.provider, candidate.model, _most_usd(candidate, limit_usd))
        for candidate in eligible
    }
    admitted = [candidate for candidate in eligible if standing[candidate.provider].barred is None]
    ordered = sorted(admitted, key=lambda candidate: standing[candidate.provider].preference)
    barred = tuple(
        Rejection(
            provider=candidate.provider, reason=found.barred, detail=_when(found), recovers_in_s=found.recovers_in_s
        )
        for candidate in eligible
        if (found := standing[candidate.provider]).barred is not None
    )
    candidates = tuple(candidate.model_copy(update={"standing": standing[candidate.provider]}) for candidate in ordered)
    if not ordered or ordered[0] is eligible[0]:
        return candidates, barred, "primary"
    passed_over = eligible[0].provider
    return candidates, barred, f"{_reason(standing[passed_over])}:{passed_over}"


def with_hedge_delays(
    candidates: tuple[Candidate, ...], providers: Mapping[str, Provider], query_type: QueryType, health: Health
) -> tuple[Candidate, ...]:
    """The candidates, each with the time for which it is waited for before a second one is asked too.

    Until there is live traffic that is the p95 of `providers`, who are the candidates as this question meets them.
    """
    return tuple(
        candidate.model_copy(
            update={
                "hedge_delay_s": health.hedge_delay_s(
                    CallClass(
                        candidate.provider, candidate.model, query_type, tokens_bucket(candidate.max_output_tokens)
                    ),
                    static_s=providers[candidate.provider].latency.p95_ms / 1000,
                    timeout_s=candidate.timeout_s,
                )
            }
        )
        for candidate in candidates
    )


def _reason(standing: Standing) -> str:
    """The route reason when a better provider was passed over."""
    if standing.barred is not None:
        return "breaker_open" if standing.barred in BREAKER else "cooldown"
    if standing.ramping:
        return "breaker_open"
    return "throttled" if standing.cooling == FLAGGED else "cooldown"


def _most_usd(candidate: Candidate, limit_usd: float | None) -> float:
    """What a call may cost: its estimate, with the longest answer in place of the expected one."""
    if candidate.estimated_cost_usd is None or candidate.price is None:
        return 0.0
    longer = candidate.max_output_tokens - candidate.expected_output_tokens
    most_usd = candidate.estimated_cost_usd + (estimated_cost_usd(0, longer, candidate.price) or 0.0)
    return most_usd if limit_usd is None else min(most_usd, limit_usd)


def _when(standing: Standing) -> str:
    if standing.recovers_in_s is None:
        return ""
    if standing.recovers_in_s == 0 and standing.barred in BREAKER:
        return "back once probes succeed"  # they are due or under way
    return f"back in {max(1, round(standing.recovers_in_s))} s at the earliest"
