"""How sure a share, or a difference of shares, is: intervals of 95 % and an exact test, for counts as small as ours.

Sources: Wilson 1927 for one share; Newcombe 1998, method 10, for the difference of two; the sign test (McNemar, exact)
for pairs.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_Z = NormalDist().inv_cdf(0.975)


def share_interval(successes: int, n: int) -> tuple[float, float]:
    """Wilson's interval of a share; (0, 1) where nothing was counted."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = successes / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def difference_interval(new: tuple[int, int], base: tuple[int, int]) -> tuple[float, float]:
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


def worse_by_chance(lost: int, won: int) -> float:
    """The chance that at least `lost` of the pairs that differ went against the new one if none were the better.

    One-sided sign test: lost are the cases that only the old one passed, won those that only the new one did.
    """
    n = lost + won
    return sum(math.comb(n, count) for count in range(lost, n + 1)) / float(2**n)
