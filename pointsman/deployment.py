"""Which version of the application a worker process is, where Temporal's Worker Versioning is used."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pointsman.sentences import ConfigurationError

NAME_VARIABLE = "POINTSMAN_DEPLOYMENT"
BUILD_VARIABLE = "POINTSMAN_BUILD_ID"
DEFAULT_NAME = "pointsman"
_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}"
_BUILD_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,126}"


class WorkerSettings(BaseModel):
    """The table `[worker]`. Without a build id workers have no version, and tasks go to any of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    deployment: Annotated[str, Field(pattern=f"^{_NAME}$")] | None = None
    """The name that all versions share; "pointsman" by default."""
    build_id: Annotated[str, Field(pattern=f"^{_BUILD_ID}$")] | None = None
    """Of this version: the image's tag, say. It is usually given by POINTSMAN_BUILD_ID, which comes with the image."""


@dataclass(frozen=True)
class Deployment:
    """One version of the application."""

    name: str
    build_id: str

    @classmethod
    def of(cls, settings: WorkerSettings, environ: Mapping[str, str] = os.environ) -> Deployment | None:
        """This process's version; `None` where it has none. A variable beats the table: old and new may share a file.

        Raises:
            ConfigurationError: a variable holds what is no name, or a name stands alone.
        """
        name, build_id = environ.get(NAME_VARIABLE), environ.get(BUILD_VARIABLE)
        found = [
            f"{variable}: {value[:40]!r} is no name; give letters, digits, dashes{further}, such as {example}"
            for variable, value, pattern, further, example in (
                (NAME_VARIABLE, name, _NAME, " or underscores", DEFAULT_NAME),
                (BUILD_VARIABLE, build_id, _BUILD_ID, ", underscores or dots", "2026-11-30"),
            )
            if value and not re.fullmatch(pattern, value)
        ]
        if found:
            raise ConfigurationError(found)
        name, build_id = name or settings.deployment, build_id or settings.build_id
        if build_id is None:
            if name is not None:
                said = f"worker.build_id: missing beside the deployment {name!r}; set {BUILD_VARIABLE}, or name neither"
                raise ConfigurationError([said])
            return None
        return cls(name or DEFAULT_NAME, build_id)
