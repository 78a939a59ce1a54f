"""Large payloads in a folder: written whole, read as they were written, and missed in a sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.converter import StorageDriverClaim, StorageDriverRetrieveContext, StorageDriverStoreContext

from pointsman.data_converter import DATA_CONVERTER, data_converter
from pointsman.encoding.folder import FolderDriver
from pointsman.encoding.keys import Key, KeyRing
from pointsman.encoding.payloads import Payloads
from pointsman.errors import UnreadablePayload, stored_elsewhere
from pointsman.server_faults import steadily

LARGE = Payload(metadata={"encoding": b"binary/plain"}, data=b"canary" * 1000)
STORE, RETRIEVE = StorageDriverStoreContext(), StorageDriverRetrieveContext()


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_a_payload_is_kept_once_and_comes_back_also_after_the_folder_has_moved(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    claims = await FolderDriver(folder).store(STORE, [LARGE, LARGE])
    assert len(_files(folder)) == 1
    moved = folder.rename(tmp_path / "two")
    assert await FolderDriver(moved).retrieve(RETRIEVE, claims) == [LARGE, LARGE]


async def test_a_file_that_is_gone_or_was_changed_is_said_in_a_sentence(tmp_path: Path) -> None:
    driver = FolderDriver(tmp_path)
    claims = await driver.store(STORE, [LARGE])
    [file] = _files(tmp_path)
    file.write_bytes(b"something else")
    with pytest.raises(UnreadablePayload, match="is not what was written there"):
        await driver.retrieve(RETRIEVE, claims)
    file.unlink()
    with pytest.raises(UnreadablePayload, match=r"cannot be read in .* \(No such file or directory\); name the folder"):
        await driver.retrieve(RETRIEVE, claims)


async def test_a_file_that_was_damaged_is_written_again(tmp_path: Path) -> None:
    driver = FolderDriver(tmp_path)
    claims = await driver.store(STORE, [LARGE])
    [file] = _files(tmp_path)
    whole = file.read_bytes()
    for damaged in (whole[:10], bytes(len(whole)), b""):
        file.write_bytes(damaged)
        assert await driver.store(STORE, [LARGE]) == claims
        assert await driver.retrieve(RETRIEVE, claims) == [LARGE]
    assert _files(tmp_path) == [file]


async def test_a_file_that_is_needed_anew_is_as_young_as_a_new_one(tmp_path: Path) -> None:
    driver = FolderDriver(tmp_path)
    await driver.store(STORE, [LARGE])
    [file] = _files(tmp_path)
    os.utime(file, (1.0, 1.0))
    await driver.store(STORE, [LARGE])
    assert file.stat().st_mtime > 1e9


@pytest.mark.parametrize("digest", ["../../../etc/passwd", "a" * 63, "A" * 64, ""])
async def test_a_reference_leads_nowhere_else(tmp_path: Path, digest: str) -> None:
    with pytest.raises(UnreadablePayload, match="another driver"):
        await FolderDriver(tmp_path).retrieve(RETRIEVE, [StorageDriverClaim({"sha256": digest})])


async def test_only_what_is_over_the_threshold_is_stored_and_it_is_encrypted_before(tmp_path: Path) -> None:
    keys = KeyRing((Key("k1", bytes(32)),), "KEYS")
    converter = data_converter(Payloads(keys=keys, store=tmp_path, store_from_bytes=2000))
    small, large = await converter.encode(["small", "canary" * 1000])
    assert small.metadata["encoding"] == b"binary/encrypted"
    assert large.ByteSize() < 500
    [file] = _files(tmp_path)
    assert b"canary" not in file.read_bytes()
    assert await converter.decode([small, large]) == ["small", "canary" * 1000]


async def test_a_process_without_the_folder_says_what_to_set(tmp_path: Path) -> None:
    [sent] = await data_converter(Payloads(store=tmp_path, store_from_bytes=2000)).encode(["canary" * 1000])
    with pytest.raises(RuntimeError) as told:
        await DATA_CONVERTER.decode([sent])
    assert stored_elsewhere(str(told.value))
    with pytest.raises(UnreadablePayload, match="set POINTSMAN_PAYLOAD_STORE, or POINTSMAN_CONFIG"):
        await steadily(lambda: DATA_CONVERTER.decode([sent]))
