"""`CatalogueDocument`: everything measured, as `pointsman catalogue export` writes it and `import` reads it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.profile import Profile
from pointsman.catalogue.served import ServedModel
from pointsman.catalogue.upgrade import Upgrade


class CatalogueDocument(BaseModel):
    """The catalogue without its events: it can stand in a repository, and be read by another fleet."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    profiles: dict[str, Profile] = {}
    """By provider and model."""
    evaluations: dict[str, Evaluation] = {}
    """By task, provider and model."""
    served: dict[str, ServedModel] = {}
    """By provider and model."""
    upgrades: dict[str, Upgrade] = {}
    """By provider: the last one."""
