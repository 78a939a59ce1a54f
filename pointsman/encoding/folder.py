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

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from pointsman.errors import UnreadablePayload

DRIVER = "pointsman.folder"
_DIGEST = "sha256"
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

    def _store(self, data: bytes) -> StorageDriverClaim:
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        if not path.exists():
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
