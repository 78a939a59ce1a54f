"""The keys of payloads, read from what an environment variable holds."""

from __future__ import annotations

import base64

import pytest

from pointsman.encoding.keys import key_ring

ONE, TWO = bytes(range(32)), bytes(range(32, 64))


def _text(material: bytes) -> str:
    return base64.b64encode(material).decode()


@pytest.mark.parametrize("separator", [",", " ", "\n", ", "], ids=repr)
def test_the_first_key_encrypts_and_all_are_found_by_their_ids(separator: str) -> None:
    ring, faults = key_ring(f"new:{_text(ONE)}{separator}old:{_text(TWO)}", "KEYS")
    assert faults == []
    assert ring is not None
    assert (ring.first.id, ring.first.material) == ("new", ONE)
    old = ring.of("old")
    assert old is not None
    assert old.material == TWO
    assert ring.of("older") is None


@pytest.mark.parametrize(
    "encoded",
    [base64.urlsafe_b64encode(b"\xfb\xff" * 16).decode(), base64.b64encode(b"\xfb\xff" * 16).decode().rstrip("=")],
    ids=["url-safe", "unpadded"],
)
def test_both_alphabets_and_lost_padding_are_read(encoded: str) -> None:
    ring, _ = key_ring(f"a:{encoded}", "KEYS")
    assert ring is not None
    assert ring.first.material == b"\xfb\xff" * 16


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" , ", "KEYS: holds no key; give ID:KEY"),
        (_text(ONE), "KEYS: key 1 has no id; give ID:KEY"),
        (f"a b:{_text(ONE)}", "KEYS: key 1 has no id"),
        (f"ä:{_text(ONE)}", "KEYS: the id of key 1 is not 1 to 64 letters"),
        (f"{'x' * 65}:{_text(ONE)}", "KEYS: the id of key 1 is not 1 to 64 letters"),
        ("a:!!!", "KEYS: the key 'a' is not base64"),
        (f"a:{_text(ONE[:16])}", "KEYS: the key 'a' has 16 bytes and needs 32"),
        (f"a:{_text(ONE)},a:{_text(TWO)}", "KEYS: the id 'a' stands twice"),
    ],
)
def test_keys_that_cannot_be_used_are_said_in_a_sentence_that_quotes_none(text: str, said: str) -> None:
    ring, faults = key_ring(text, "KEYS")
    assert ring is None
    assert faults[0].startswith(said)
    assert not any(_text(material)[:12] in fault for fault in faults for material in (ONE, TWO))


def test_a_ring_shows_no_key_in_its_repr() -> None:
    ring, _ = key_ring(f"a:{_text(ONE)}", "KEYS")
    assert "material" not in repr(ring)
    assert repr(ONE) not in repr(ring)
