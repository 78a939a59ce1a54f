"""What a question may cost and how long it may take, and which providers are beyond that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pointsman.cost import affordable_output_tokens
from pointsman.provider import Price


class Limits(NamedTuple):
    """Of one question; money in USD."""

    max_cost_per_1k: float
    max_latency_ms: float
    max_cost_usd: float | None


class Demand(NamedTuple):
    """What asking a provider takes: tokens in, the most tokens out, its price, and its median latency."""

    input_tokens: int
    max_output_tokens: int
    price: Price | None
    per_1k_usd: float | None
    latency_ms: float


def beyond(demand: Demand, limits: Limits) -> Iterator[tuple[str, str]]:
    """Which limits the provider does not keep: a stable name each, and a detail."""
    per_1k, limit = demand.per_1k_usd, limits.max_cost_per_1k
    if per_1k is not None and per_1k > limit:
        yield "over_cost", f"{per_1k:.4f} USD per 1,000 tokens, {limit:.4f} allowed"
    money = limits.max_cost_usd
    if money is not None and demand.price is None:
        yield "price_unknown", "the question has a cost limit"
    elif money is not None and not affordable(demand, money):
        yield "over_cost", f"an answer costs more than {money} USD"
    if demand.latency_ms > limits.max_latency_ms:
        yield "over_latency", f"{demand.latency_ms:.6g} ms, {limits.max_latency_ms:g} ms allowed"


def affordable(demand: Demand, usd: float) -> bool:
    """Whether an answer worth having can be had for so much."""
    return affordable_output_tokens(demand.input_tokens, demand.price, usd, demand.max_output_tokens) is not None
