"""Figures of a number of results: latencies, tokens and money."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from pointsman.measuring.sitting import CaseResult


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least this share of them does not exceed; `None` of none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def latencies(results: Sequence[CaseResult]) -> list[float]:
    """Of answers, in milliseconds."""
    return [result.latency_ms for result in results if result.answered and result.latency_ms is not None]


def mean_tokens(results: Sequence[CaseResult]) -> tuple[float | None, float | None]:
    """Input and output tokens of an answer."""
    read = [result.input_tokens for result in results if result.answered and result.input_tokens is not None]
    written = [result.output_tokens for result in results if result.answered and result.output_tokens is not None]
    return (fmean(read) if read else None, fmean(written) if written else None)


def cost_usd(results: Sequence[CaseResult]) -> float | None:
    """Of all of them; `None` where one's is not known."""
    return _sum([result.cost_usd for result in results])


def judging_usd(results: Sequence[CaseResult]) -> float | None:
    """What their judges cost."""
    return _sum([result.judging_usd for result in results])


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 10) if len(known) == len(costs) else None
