"""`CatalogueDocument`: everything measured, as `pointsman catalogue export` writes it and `import` reads it."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

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

    @model_validator(mode="after")
    def _stands_under_its_key(self) -> Self:
        rightly = {
            "profiles": {key: profile.key for key, profile in self.profiles.items()},
            "evaluations": {key: evaluation.key for key, evaluation in self.evaluations.items()},
            "served": {key: seen.key for key, seen in self.served.items()},
            "upgrades": {key: upgrade.provider for key, upgrade in self.upgrades.items()},
        }
        for table, keys in rightly.items():
            for key, right in keys.items():
                if key != right:
                    raise ValueError(f"{table}.{key} holds what belongs to {right}; give it that key")
        return self
