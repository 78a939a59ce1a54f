"""What becomes of a payload on its way: it comes back as it was, or a sentence says what is missing."""

from __future__ import annotations

import dataclasses
import os
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.exceptions import ApplicationError

from pointsman.data_converter import data_converter
from pointsman.encoding.codec import COMPRESSED, ENCRYPTED, KEY_ID, Codec
from pointsman.encoding.keys import Key, KeyRing
from pointsman.encoding.payloads import Payloads
from pointsman.errors import UnreadablePayload

CANARY = "the canary sings at noon"
K1, K2 = Key("k1", bytes(range(32))), Key("k2", bytes(range(1, 33)))


def _with(*keys: Key, compress_from_bytes: int | None = None) -> Payloads:
    ring = KeyRing(keys, "KEYS") if keys else None
    return Payloads(keys=ring, compress_from_bytes=compress_from_bytes)


def _payload(text: str) -> Payload:
    return Payload(metadata={"encoding": b"json/plain", "own": b"kept"}, data=text.encode())


PLAIN, ENCRYPTING, COMPRESSING = _with(), _with(K1), _with(compress_from_bytes=100)
BOTH = _with(K1, compress_from_bytes=100)


@pytest.mark.parametrize("payloads", [PLAIN, ENCRYPTING, COMPRESSING, BOTH], ids=["off", "keys", "zlib", "both"])
@given(texts=st.lists(st.text(max_size=400), max_size=4))
async def test_whatever_goes_out_comes_back(payloads: Payloads, texts: list[str]) -> None:
    sent = [_payload(text) for text in texts]
    codec = Codec(payloads)
    assert await codec.decode(await codec.encode(sent)) == sent


@pytest.mark.parametrize("payloads", [ENCRYPTING, BOTH], ids=["keys", "both"])
@pytest.mark.parametrize("copies", [1, 20_000], ids=["small", "on a thread"])
async def test_nothing_of_an_encrypted_payload_can_be_read(payloads: Payloads, copies: int) -> None:
    [encrypted] = await Codec(payloads).encode([_payload(CANARY * copies)])
    assert CANARY.encode() not in encrypted.SerializeToString()
    assert dict(encrypted.metadata) == {"encoding": ENCRYPTED, KEY_ID: b"k1"}
    assert await Codec(payloads).decode([encrypted]) == [_payload(CANARY * copies)]


async def test_the_same_payload_is_never_encrypted_alike() -> None:
    first, second = await Codec(ENCRYPTING).encode([_payload(CANARY), _payload(CANARY)])
    assert first.data != second.data


async def test_after_a_rotation_old_payloads_are_read_and_new_ones_have_the_new_key() -> None:
    rotated = Codec(_with(K2, K1))
    [old] = await Codec(ENCRYPTING).encode([_payload("old")])
    [new] = await rotated.encode([_payload("new")])
    assert await rotated.decode([old, new]) == [_payload("old"), _payload("new")]
    assert new.metadata[KEY_ID] == b"k2"


async def test_a_payload_from_before_is_read_as_it_is() -> None:
    assert await Codec(BOTH).decode([_payload("plain")]) == [_payload("plain")]


async def test_compression_is_only_where_it_helps_and_above_its_threshold() -> None:
    noise = Payload(metadata={"encoding": b"binary/plain"}, data=os.urandom(5000))
    small, large = _payload("x" * 60), _payload("x" * 5000)
    sent = await Codec(COMPRESSING).encode([noise, small, large])
    assert sent[:2] == [noise, small]
    assert sent[2].metadata["encoding"] == COMPRESSED
    assert sent[2].ByteSize() < 200


async def test_what_was_compressed_is_read_where_compression_is_off() -> None:
    [sent] = await Codec(COMPRESSING).encode([_payload("x" * 5000)])
    assert await Codec(PLAIN).decode([sent]) == [_payload("x" * 5000)]


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (PLAIN, "encrypted with the key 'k1' and this process has no keys; set POINTSMAN_PAYLOAD_KEYS"),
        (_with(K2), "encrypted with the key 'k1', which this process does not have; add it to KEYS, behind the first"),
        (_with(dataclasses.replace(K2, id="k1")), "names the key 'k1' cannot be read with the key of that id in KEYS"),
    ],
    ids=["no keys", "unknown key", "another key of that name"],
)
async def test_a_missing_key_is_named_with_its_cure(reader: Payloads, said: str) -> None:
    [sent] = await Codec(ENCRYPTING).encode([_payload(CANARY)])
    with pytest.raises(UnreadablePayload) as refused:
        await Codec(reader).decode([sent])
    assert said in str(refused.value)


async def test_the_id_of_the_key_is_authenticated() -> None:
    twin = dataclasses.replace(K1, id="twin")
    [sent] = await Codec(ENCRYPTING).encode([_payload(CANARY)])
    sent.metadata[KEY_ID] = b"twin"
    with pytest.raises(UnreadablePayload, match="'twin' cannot be read"):
        await Codec(_with(K1, twin)).decode([sent])


@pytest.mark.parametrize("data", [b"", b"short", b"x" * 100], ids=len)
async def test_a_payload_that_was_changed_is_refused(data: bytes) -> None:
    changed = Payload(metadata={"encoding": ENCRYPTED, KEY_ID: b"k1"}, data=data)
    with pytest.raises(UnreadablePayload, match="the payload was changed"):
        await Codec(ENCRYPTING).decode([changed])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no zlib", "is damaged"),
        (zlib.compress(b"x" * 500)[:-6], "is cut off"),
        (zlib.compress(bytes(65 * 1024 * 1024)), "unfolds to more than 67,108,864 bytes"),
        (zlib.compress(b"\xff no payload"), "holds no payload"),
    ],
)
async def test_a_compressed_payload_that_cannot_be_used_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(UnreadablePayload, match=said):
        await Codec(PLAIN).decode([Payload(metadata={"encoding": COMPRESSED}, data=data)])


async def test_the_text_of_an_error_is_encrypted_too() -> None:
    converter, failure = data_converter(ENCRYPTING), Failure()
    await converter.encode_failure(ApplicationError(CANARY, {"quoted": CANARY}, type="Refused"), failure)
    assert CANARY.encode() not in failure.SerializeToString()
    assert failure.message == "Encoded failure"
    read = await converter.decode_failure(failure)
    assert isinstance(read, ApplicationError)
    assert (read.message, read.details, read.type) == (CANARY, ({"quoted": CANARY},), "Refused")
