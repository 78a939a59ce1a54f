"""What happens to each payload between a process and the server: compressed, then encrypted, and back.

A compressed payload is one of the encoding `binary/zlib`, as Temporal's Go SDK writes it; an encrypted one is of the
encoding `binary/encrypted` and names its key in `encryption-key-id`. Both hold a whole payload, its metadata included.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError
from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

from pointsman.encoding.compression import compressed, uncompressed
from pointsman.encoding.payloads import KEYS_VARIABLE, Payloads
from pointsman.errors import UnreadablePayload

if TYPE_CHECKING:
    from pointsman.encoding.cipher import Cipher

ENCODING = "encoding"
KEY_ID = "encryption-key-id"
COMPRESSED = b"binary/zlib"
ENCRYPTED = b"binary/encrypted"
_OURS = frozenset({COMPRESSED, ENCRYPTED})
_ON_A_THREAD_BYTES = 100_000
"""From here on the work takes milliseconds, for which the other questions of a process should not wait."""
_SHOWN = 64


class Codec(PayloadCodec):
    """Every process has one: where nothing is switched on, it still says of an encrypted payload what is missing."""

    def __init__(self, payloads: Payloads) -> None:
        """Do as the settings say."""
        self.payloads = payloads
        self._cipher = _cipher(payloads)

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Compress and encrypt; a payload that is neither is passed on as it is."""
        if self._cipher is None and self.payloads.compress_from_bytes is None:
            return list(payloads)
        return await _each(self._encoded, payloads)

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Undo it; a payload of before all this was switched on, or of a plain client, is passed on as it is.

        Raises:
            UnreadablePayload: the sentence names the key that is missing.
        """
        if not any(payload.metadata.get(ENCODING) in _OURS for payload in payloads):
            return list(payloads)
        return await _each(self._decoded, payloads)

    def _encoded(self, payload: Payload) -> Payload:
        limit = self.payloads.compress_from_bytes
        if limit is not None and payload.ByteSize() > limit:
            smaller = Payload(metadata={ENCODING: COMPRESSED}, data=compressed(payload.SerializeToString()))
            payload = smaller if smaller.ByteSize() < payload.ByteSize() else payload
        if self._cipher is None:
            return payload
        key_id, data = self._cipher.encrypted(payload.SerializeToString())
        return Payload(metadata={ENCODING: ENCRYPTED, KEY_ID: key_id.encode()}, data=data)

    def _decoded(self, payload: Payload) -> Payload:
        if payload.metadata.get(ENCODING) == ENCRYPTED:
            payload = _parsed(self._decrypted(payload))
        if payload.metadata.get(ENCODING) == COMPRESSED:
            payload = _parsed(uncompressed(payload.data))
        return payload

    def _decrypted(self, payload: Payload) -> bytes:
        key_id = payload.metadata.get(KEY_ID, b"").decode(errors="replace")[:_SHOWN]
        if self._cipher is None:
            raise UnreadablePayload(
                f"a payload is encrypted with the key {key_id!r} and this process has no keys; "
                f"set {KEYS_VARIABLE}, or POINTSMAN_CONFIG to the configuration that names their variable"
            )
        return self._cipher.decrypted(key_id, payload.data)


async def _each(change: Callable[[Payload], Payload], payloads: Sequence[Payload]) -> list[Payload]:
    if sum(payload.ByteSize() for payload in payloads) < _ON_A_THREAD_BYTES:
        return [change(payload) for payload in payloads]
    return await asyncio.to_thread(lambda: [change(payload) for payload in payloads])


def _cipher(payloads: Payloads) -> Cipher | None:
    if payloads.keys is None:
        return None
    # Only who encrypts pays for its import.
    from pointsman.encoding.cipher import Cipher  # noqa: PLC0415

    return Cipher(payloads.keys)


def _parsed(data: bytes) -> Payload:
    try:
        return Payload.FromString(data)
    except DecodeError:
        raise UnreadablePayload("a payload holds no payload where one was packed; nothing here can mend it") from None
