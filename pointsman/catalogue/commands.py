"""What operators ask of the catalogue: the arguments of its updates."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.thresholds import UpgradeSettings
from pointsman.provider import MODEL_PATTERN, Price, Usd


class Command(BaseModel):
    """An operator's word, with his name and his reason for the record."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    operator: Annotated[str, Field(max_length=100)] = ""
    note: Annotated[str, Field(max_length=500)] = ""


class StartUpgrade(Command):
    """An operator's wish to try a new model at a provider; a worker's configuration says what he left out."""

    id: Annotated[str, Field(min_length=1, max_length=100)]
    provider: Annotated[str, Field(min_length=1, max_length=64)]
    model: Annotated[str, Field(min_length=3, max_length=300, pattern=MODEL_PATTERN)]
    price: Price | None = None
    """Of the new model; `None` is that of the base."""
    sample: Annotated[float, Field(gt=0, le=1)] | None = None
    daily_cost_cap_usd: Usd | None = None


class BeginUpgrade(Command):
    """Try a new model at a provider."""

    id: Annotated[str, Field(min_length=1, max_length=100)]
    provider: str
    base: str
    """The model that the configuration names."""
    model: str
    price: Price | None = None
    sample: Annotated[float, Field(gt=0, le=1)] = 0.05
    daily_cost_cap_usd: Usd = 1.0
    settings: UpgradeSettings = UpgradeSettings()


class PromoteUpgrade(Command):
    """Give the new model more of the questions."""

    provider: str
    held: Annotated[float, Field(ge=0, le=1)] | None = None
    """The share that it has as the operator saw it: with another one, of an order before, nothing is done."""
    share: Annotated[float, Field(gt=0, le=1)] | None = None
    """Of the questions; `None` is the next step of `[upgrade] steps`."""


class RollBackUpgrade(Command):
    """End an upgrade in favour of the configured model."""

    provider: str


class AcceptModel(Command):
    """Take what is served under a provider's model for what is wanted."""

    provider: str


class ImportCatalogue(Command):
    """Take this in place of what is kept."""

    document: CatalogueDocument
