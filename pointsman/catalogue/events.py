"""What happened to the catalogue, for people: the last events, those that an operator caused with his name."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from pointsman.printable import one_line

EVENTS_KEPT = 200

CatalogueEventKind = Literal[
    "profiled",
    "profile_kept",
    "evaluated",
    "model_differs",
    "model_changed",
    "model_accepted",
    "upgrade_begun",
    "upgrade_refused",
    "upgrade_shadowing",
    "upgrade_capped",
    "upgrade_promoted",
    "upgrade_rolled_back",
    "imported",
    "message_refused",
]
_ALARMING: frozenset[CatalogueEventKind] = frozenset(
    {"profile_kept", "model_differs", "model_changed", "upgrade_refused", "upgrade_rolled_back", "message_refused"}
)


class CatalogueEvent(BaseModel):
    """One thing that happened."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: AwareDatetime
    kind: CatalogueEventKind
    target: str = ""
    """The provider, the provider's model, or the task that it is about."""
    detail: str = ""
    operator: str = ""
    """Who did it, where a person did."""
    note: str = ""

    @property
    def alarming(self) -> bool:
        """Whether a person should look."""
        return self.kind in _ALARMING

    def sentence(self) -> str:
        """The event as one line for a log."""
        by = f" by {self.operator}" if self.operator else ""
        detail = f": {self.detail}" if self.detail else ""
        note = f" ({self.note})" if self.note else ""
        return one_line(f"{self.target or 'catalogue'} {self.kind}{by}{detail}{note}")
