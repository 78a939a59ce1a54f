"""Parts of PromQL that several panels share. No name of a provider or model stands here: variables choose by label."""

from __future__ import annotations

CHOSEN = 'provider=~"$provider"'
"""The providers that are chosen at the head of the dashboard."""
TYPES = 'query_type=~"$query_type"'
LIVE = 'purpose=~"answer|classification"'
"""Calls that questions wait for: not probes, measurements or shadows, which are no part of a provider's live health."""
ENDED = 'outcome!="cancelled"'
"""Calls that a provider had its say in; a hedge's loser is cut off, which says nothing of it."""
GIVEN = 'outcome=~"answered|refused|low_confidence"'
"""Calls that brought an answer, whatever became of it."""
RECENT = "$__rate_interval"
WHOLE = "$__range"


def per_second(metric: str, by: str = "", window: str = RECENT) -> str:
    """Events a second, over all processes."""
    return _summed(f"rate({metric}[{window}])", by)


def in_all(metric: str, by: str = "", window: str = WHOLE) -> str:
    """Events within a window, over all processes."""
    return _summed(f"increase({metric}[{window}])", by)


def share(part: str, whole: str, by: str = "", window: str = RECENT) -> str:
    """What part of a counter's events is; 0 where the whole moves and the part was never told, nothing at rest."""
    of, all_of = per_second(part, by, window), per_second(whole, by, window)
    return f"({of} or 0 * {all_of}) / {all_of}"


def quantile(number: float, histogram: str, labels: str, by: str, window: str = RECENT) -> str:
    """A quantile of a histogram, over all processes."""
    kept = ", ".join(filter(None, ("le", by)))
    return f"histogram_quantile({number:g}, sum by ({kept}) (rate({histogram}_bucket{labels}[{window}])))"


def largest(gauge: str, by: str = "") -> str:
    """A gauge of the fleet, which every process tells alike."""
    return f"max by ({by}) ({gauge})" if by else f"max({gauge})"


def _summed(of: str, by: str) -> str:
    return f"sum by ({by}) ({of})" if by else f"sum({of})"
