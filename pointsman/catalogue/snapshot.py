"""What the catalogue answers to a process that decides: everything measured, without the tallies behind it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.profile import Profile
from pointsman.catalogue.served import ServedModel
from pointsman.catalogue.upgrade import UpgradePlan


class CatalogueSnapshot(BaseModel):
    """The catalogue at one moment."""

    model_config = ConfigDict(frozen=True)

    epoch: int
    """Start of the entity's first run, in milliseconds since the epoch: rises when it is started anew."""
    version: int
    """Rises with each change of a profile, an evaluation, a served model, or the course of an upgrade."""
    profiles: dict[str, Profile] = {}
    """By provider and model."""
    evaluations: dict[str, Evaluation] = {}
    """By task, provider and model."""
    served: dict[str, ServedModel] = {}
    """By provider and model."""
    upgrades: dict[str, UpgradePlan] = {}
    """By provider: the one that is under way, or that its model comes from."""
