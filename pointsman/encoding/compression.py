"""Compression of a payload's bytes with zlib, and its reverse within bounds."""

from __future__ import annotations

import zlib

from pointsman.errors import UnreadablePayload

MAX_PLAIN_BYTES = 64 * 1024 * 1024
"""Of what a compressed payload may unfold to: one of 2 MB could else fill the memory of every reader."""
_LEVEL = 3
"""Text becomes half as fast again as with the default and stays within a twentieth of its size."""


def compressed(data: bytes) -> bytes:
    """The data, compressed."""
    return zlib.compress(data, _LEVEL)


def uncompressed(data: bytes) -> bytes:
    """The reverse.

    Raises:
        UnreadablePayload: it is damaged, or unfolds to more than anyone sends.
    """
    unfolding = zlib.decompressobj()
    try:
        plain = unfolding.decompress(data, MAX_PLAIN_BYTES)
    except zlib.error as fault:
        raise UnreadablePayload(f"a compressed payload is damaged ({fault}); nothing here can mend it") from None
    if not unfolding.eof:
        what = "is cut off" if not unfolding.unconsumed_tail else f"unfolds to more than {MAX_PLAIN_BYTES:,} bytes"
        raise UnreadablePayload(f"a compressed payload {what}, so it is not read")
    return plain
