"""The table `[payloads]`: what is done to every payload before it leaves a process for the Temporal server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

STORE_FROM_BYTES = 256 * 1024
"""Temporal's own default, well below the 2 MB that a payload may have."""


class PayloadSettings(BaseModel):
    """Nothing is on by default. Every process needs the keys and the folder that payloads are written with."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    keys_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)] | None = None
    """The environment variable that holds the keys: with it payloads are encrypted."""
    compress_from_bytes: Annotated[int, Field(ge=0, le=100_000_000)] | None = None
    """Larger payloads are compressed, where that makes them smaller."""
    store: Annotated[str, Field(min_length=1, max_length=4000)] | None = None
    """A folder that every process reaches, relative to the configuration file; what it keeps is never deleted here."""
    store_from_bytes: Annotated[int, Field(ge=1024, le=1_500_000)] | None = None
    """Larger payloads go into the folder, as they are after encryption; 262,144 where a folder is named."""


def beside(settings: PayloadSettings, folder: Path) -> PayloadSettings:
    """The settings with their folder, which is meant relative to the configuration file, as an absolute path."""
    if settings.store is None:
        return settings
    return settings.model_copy(update={"store": str((folder / settings.store).absolute())})
