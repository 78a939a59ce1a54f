"""The keys of payloads, as they stand in an environment variable: `ID:BASE64,ID:BASE64`, the newest first.

The first key encrypts, all of them decrypt. So a key is changed in two steps: the new one goes behind the old one in
every process, and then, once all have it, before it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

KEY_BYTES = 32
"""Of AES-256."""
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SHOWN = 20
_CURE = 'give ID:KEY with the base64 of 32 random bytes, such as "2026-11:$(openssl rand -base64 32)"'


@dataclass(frozen=True)
class Key:
    """A key and the name that payloads call it by."""

    id: str
    material: bytes = field(repr=False)


@dataclass(frozen=True)
class KeyRing:
    """At least one key; the first encrypts."""

    keys: tuple[Key, ...]
    source: str
    """The environment variable that the keys stand in, for sentences about them."""

    @property
    def first(self) -> Key:
        """The key that encrypts."""
        return self.keys[0]

    def of(self, key_id: str) -> Key | None:
        """The key with this id."""
        return next((key for key in self.keys if key.id == key_id), None)


def key_ring(text: str, source: str) -> tuple[KeyRing | None, list[str]]:
    """The keys in `text`, or the faults that make them unusable; no sentence quotes key material.

    Args:
        text: As the variable holds it; entries are parted by commas or white space.
        source: The variable's name.
    """
    entries = [entry for entry in re.split(r"[,\s]+", text) if entry]
    if not entries:
        return None, [f"{source}: holds no key; {_CURE}"]
    keys: list[Key] = []
    faults: list[str] = []
    for number, entry in enumerate(entries, start=1):
        found = _key(entry, number, source)
        if isinstance(found, Key):
            keys.append(found)
        else:
            faults.append(found)
    faults += [f"{source}: the id {twin!r} stands twice; give each key an id of its own" for twin in _twins(keys)]
    return (None, faults) if faults else (KeyRing(tuple(keys), source), [])


def _key(entry: str, number: int, source: str) -> Key | str:
    key_id, colon, encoded = entry.partition(":")
    if not colon:
        return f"{source}: key {number} has no id; {_CURE}"
    if not _ID.fullmatch(key_id):
        return (
            f"{source}: the id of key {number} is not 1 to 64 letters, digits, dots, dashes or underscores; rename it"
        )
    try:
        # Both alphabets of base64 are about, and padding is often lost on the way.
        plain = encoded.rstrip("=").replace("-", "+").replace("_", "/")
        material = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return f"{source}: the key {key_id[:_SHOWN]!r} is not base64; {_CURE}"
    if len(material) != KEY_BYTES:
        return f"{source}: the key {key_id[:_SHOWN]!r} has {len(material)} bytes and needs {KEY_BYTES}; {_CURE}"
    return Key(key_id, material)


def _twins(keys: list[Key]) -> Iterator[str]:
    seen: set[str] = set()
    for key in keys:
        if key.id in seen:
            yield key.id
        seen.add(key.id)
