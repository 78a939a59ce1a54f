"""What a decision takes in besides question and configuration: load, health, what was measured, and the time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pointsman.catalogue.view import CatalogueView
from pointsman.standing import Health, Unknown


def _idle(_provider: str) -> int:
    return 0


@dataclass(frozen=True)
class Circumstances:
    """Those of one question. By default nothing is known: all are well and idle, and figures are the declared ones."""

    in_flight: Callable[[str], int] = _idle
    """Calls under way at a provider, in the process that decides."""
    health: Health = field(default_factory=Unknown)
    catalogue: CatalogueView = field(default_factory=CatalogueView)
    question_id: str = ""
    """Its workflow's id: by it a question belongs to an upgrade's share, or not."""
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
