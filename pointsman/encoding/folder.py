"""Payloads over a size, kept as files in a folder that every process reaches: a local disk, or a share.

Each file is named by what it holds, so that it is written once and what is read is what was written. Nothing deletes
them: they are needed for as long as the server keeps the histories that name them.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import uuid
from collections.abc import Sequence
from pathlib import Path

from google.protobuf import json_format
from temporalio.api.common.v1 import Payload
from temporalio.api.sdk.v1.external_storage_pb2 import ExternalStorageReference
from temporalio.converter import (
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from pointsman.errors import UnreadablePayload

DRIVER = "pointsman.folder"
_DIGEST = "sha256"
_REFERENCE = ExternalStorageReference.DESCRIPTOR.full_name.encode()
_NAME = re.compile(r"[0-9a-f]{64}")


class FolderDriver(StorageDriver):
    """Stores and fetches payloads; a reference in a history is the digest of the file alone, so the folder may move."""

    def __init__(self, folder: Path) -> None:
        """Use a folder that is there."""
        self.folder = folder

    def name(self) -> str:
        """As references call it."""
        return DRIVER

    async def store(self, context: StorageDriverStoreContext, payloads: Sequence[Payload]) -> list[StorageDriverClaim]:
        """Write each payload, and return when a crash would not lose it."""
        del context
        return [await asyncio.to_thread(self._store, payload.SerializeToString()) for payload in payloads]

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Read each payload.

        Raises:
            UnreadablePayload: its file is not there, or is not what was written.
        """
        del context
        return [await asyncio.to_thread(self._retrieve, claim) for claim in claims]

    async def fetched(self, payloads: Sequence[Payload]) -> list[Payload]:
        """These payloads, and in the place of each reference to this folder what it stands for.

        Raises:
            UnreadablePayload: a file is not there, or is not what was written.
        """
        context = StorageDriverRetrieveContext()
        return [
            payload if (claim := _claim(payload)) is None else (await self.retrieve(context, [claim]))[0]
            for payload in payloads
        ]

    def _store(self, data: bytes) -> StorageDriverClaim:
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        if _holds(path, data):
            # Files are deleted by their age, and this one is needed anew.
            os.utime(path)
        else:
            path.parent.mkdir(exist_ok=True)
            # Beside its place and then moved: a reader, or another writer, meets a whole file or none.
            unfinished = path.with_name(f".{digest}-{uuid.uuid4().hex}")
            with unfinished.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        return StorageDriverClaim({_DIGEST: digest})

    def _retrieve(self, claim: StorageDriverClaim) -> Payload:
        digest = claim.claim_data.get(_DIGEST, "")
        # It comes from the server, and is to lead nowhere else.
        if not _NAME.fullmatch(digest):
            raise UnreadablePayload("a stored payload has no name of one; another driver has written its reference")
        try:
            data = self._path(digest).read_bytes()
        except OSError as fault:
            raise UnreadablePayload(
                f"the stored payload {digest[:12]}… cannot be read in {self.folder} ({fault.strerror}); "
                "name the folder that it was written to, and keep files for as long as histories"
            ) from fault
        if hashlib.sha256(data).hexdigest() != digest:
            raise UnreadablePayload(f"the stored payload {digest[:12]}… in {self.folder} is not what was written there")
        return Payload.FromString(data)

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest


def _holds(path: Path, data: bytes) -> bool:
    """Whether a file holds just this: one that a crash or a hand has damaged is written again."""
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def _claim(payload: Payload) -> StorageDriverClaim | None:
    """What a payload refers to in such a folder, where it is a reference as the SDK writes it."""
    if payload.metadata.get("messageType") != _REFERENCE:
        return None
    try:
        reference = json_format.Parse(payload.data, ExternalStorageReference())
    except (json_format.ParseError, UnicodeDecodeError):
        return None
    return StorageDriverClaim(dict(reference.claim_data)) if reference.driver_name == DRIVER else None
