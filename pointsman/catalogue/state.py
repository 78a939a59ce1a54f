"""The catalogue's whole state, in one value that a continue-as-new carries over; the document is what is exported."""

from __future__ import annotations

from pydantic import AwareDatetime, BaseModel, ConfigDict

from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.events import CatalogueEvent
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.upgrading import plan

EVENT_LIMIT = 3_000
"""Events of a history after which the entity goes on in a new run."""
REPORTERS_KEPT = 1_000


class CatalogueState(BaseModel):
    """All that the entity knows."""

    model_config = ConfigDict(frozen=True)

    epoch: int
    """Start of the first run, in milliseconds since the epoch."""
    now: AwareDatetime
    """The latest time that it was told; never goes back."""
    version: int = 1
    document: CatalogueDocument = CatalogueDocument()
    events: tuple[CatalogueEvent, ...] = ()
    """The last 200, oldest first."""
    reporters: dict[str, int] = {}
    """The last report taken, by worker id; at most 1,000, the latest reporter at the end."""
    event_limit: int = EVENT_LIMIT

    def snapshot(self) -> CatalogueSnapshot:
        """What processes decide by."""
        held = self.document
        return CatalogueSnapshot(
            epoch=self.epoch,
            version=self.version,
            profiles=held.profiles,
            evaluations=held.evaluations,
            served=held.served,
            upgrades={provider: plan(upgrade, self.now) for provider, upgrade in held.upgrades.items()},
        )
