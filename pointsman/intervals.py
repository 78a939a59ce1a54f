"""How sure a share, or a difference of shares, is: intervals of 95 % and an exact test, for counts as small as ours.

Sources: Wilson 1927 for one share; Newcombe 1998, method 10, for the difference of two; the sign test (McNemar, exact)
for pairs; order statistics for a quantile (Conover 1999, section 3.2); Donner and Zou 2012 for a ratio of estimates.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_Z = NormalDist().inv_cdf(0.975)
_LARGEST = 100.0
"""Of a logarithm: beyond e^100 nothing is told apart, and nothing overflows."""


Estimate = tuple[float, float, float]
"""A value, and the lower and the upper end of its interval; all above 0."""


def share_interval(successes: float, n: int) -> tuple[float, float]:
    """Wilson's interval of a share; (0, 1) where nothing was counted.

    Successes may be a sum of shares: its variance is at most that of coins, so the interval errs to the wide side.
    """
    if n == 0:
        return 0.0, 1.0
    share, z2 = successes / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def difference_interval(new: tuple[float, int], base: tuple[float, int]) -> tuple[float, float]:
    """Newcombe's interval of share(new) - share(base), each given as (successes, n); (-1, 1) where one is empty."""
    if new[1] == 0 or base[1] == 0:
        return -1.0, 1.0
    new_share, base_share = new[0] / new[1], base[0] / base[1]
    new_low, new_high = share_interval(*new)
    base_low, base_high = share_interval(*base)
    difference = new_share - base_share
    low = difference - math.hypot(new_share - new_low, base_high - base_share)
    high = difference + math.hypot(new_high - new_share, base_share - base_low)
    return max(-1.0, low), min(1.0, high)


def rank_interval(q: float, n: int) -> tuple[int, int]:
    """The ranks, from 1 to n, between which the quantile `q` of what n samples were drawn from lies."""
    middle, half = q * n, _Z * math.sqrt(n * q * (1 - q))
    return max(1, math.floor(middle - half)), min(n, math.ceil(middle + half))


def mean_interval(total: float, squares: float, n: int) -> Estimate | None:
    """A mean of positive values by their sum and the sum of their squares, on the scale of logarithms.

    `None` where nothing, or only zeros were counted.
    """
    if n == 0 or total <= 0:
        return None
    mean = total / n
    relative = math.sqrt(max(0.0, squares / n - mean * mean) / max(1, n - 1)) / mean
    factor = math.exp(min(_Z * relative, _LARGEST))
    return mean, mean / factor, mean * factor


def ratio_interval(new: Estimate, base: Estimate) -> tuple[float, float]:
    """The interval of new / base from the intervals of both."""
    (new_log, new_low, new_high), (base_log, base_low, base_high) = (tuple(map(math.log, one)) for one in (new, base))
    ratio = new_log - base_log
    low = ratio - math.hypot(new_log - new_low, base_high - base_log)
    high = ratio + math.hypot(new_high - new_log, base_log - base_low)
    return math.exp(max(low, -2 * _LARGEST)), math.exp(min(high, 2 * _LARGEST))


def worse_by_chance(lost: int, won: int) -> float:
    """The chance that at least `lost` of the pairs that differ went against the new one if none were the better.

    One-sided sign test: lost are the cases that only the old one passed, won those that only the new one did.
    """
    n = lost + won
    return sum(math.comb(n, count) for count in range(lost, n + 1)) / float(2**n)
