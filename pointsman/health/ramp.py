"""How traffic comes back to a key that has closed: from a tenth to all of it, by a hash of the request."""

from __future__ import annotations

from hashlib import blake2b

_FIRST_SHARE = 0.10


def ramp_share(since: float, now: float, ramp_s: float) -> float:
    """The share of requests that are admitted `now`, of a ramp that started at `since`."""
    passed = min(1.0, max(0.0, (now - since) / ramp_s))
    return _FIRST_SHARE + (1 - _FIRST_SHARE) * passed


def admits(request_id: str, share: float) -> bool:
    """Whether a request is among the share; the same in every process, and for good once it is."""
    digest = blake2b(request_id.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64 < share
