"""AES-256-GCM with the keys of a ring. The id of the key is authenticated: a payload cannot be passed off as another's.

Random nonces of 96 bits are safe for some four thousand million payloads a key: change it before.
"""

from __future__ import annotations

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pointsman.encoding.keys import KeyRing
from pointsman.errors import UnreadablePayload

_NONCE_BYTES = 12
_CONTEXT = b"pointsman payload 1\x00"
"""Stands before the key's id in what is authenticated, so that the same key in another place reads nothing of this."""


class Cipher:
    """Encrypts with the first key of a ring and decrypts with any."""

    def __init__(self, keys: KeyRing) -> None:
        """Take the keys."""
        self._keys = keys
        self._ciphers = {key.id: AESGCM(key.material) for key in keys.keys}

    def encrypted(self, data: bytes) -> tuple[str, bytes]:
        """The id of the key, and nonce and ciphertext."""
        key_id, nonce = self._keys.first.id, os.urandom(_NONCE_BYTES)
        return key_id, nonce + self._ciphers[key_id].encrypt(nonce, data, _CONTEXT + key_id.encode())

    def decrypted(self, key_id: str, data: bytes) -> bytes:
        """The plain data.

        Raises:
            UnreadablePayload: no key has the id, or it is not the key that this was encrypted with.
        """
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise UnreadablePayload(
                f"a payload is encrypted with the key {key_id!r}, which this process does not have; "
                f"add it to {self._keys.source}, behind the first"
            )
        try:
            return cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], _CONTEXT + key_id.encode())
        except (InvalidTag, ValueError):
            raise UnreadablePayload(
                f"a payload that names the key {key_id!r} cannot be read with the key of that id in "
                f"{self._keys.source}: it is another key, or the payload was changed; put the right key there"
            ) from None
