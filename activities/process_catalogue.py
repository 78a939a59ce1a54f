"""What one worker process knows of the catalogue, and what it has seen that the catalogue does not know yet.

`score` decides with it, `complete` adds to it, and the catalogue feed carries it to the fleet and back. Nothing here
waits or does I/O.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pointsman.call import ProviderCall
from pointsman.catalogue.observation_builder import ObservationBuilder
from pointsman.catalogue.observations import ServedReport
from pointsman.catalogue.served import matches
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.tally import ArmTally
from pointsman.catalogue.upgrade import SERVING
from pointsman.catalogue.view import UNREAD, CatalogueView
from pointsman.configuration import Configuration
from pointsman.health.keys import key_of
from pointsman.outcomes import Attempt

MODEL_DIFFERS = "model_differs"
MODEL_CHANGED = "model_changed"

_SERVED_CHARACTERS = 300
_TOLD_A_MINUTE = 2
"""Reports of one key: a vendor that serves two models in turn must not send a signal with every answer."""
_MINUTE_S = 60.0


@dataclass
class ProcessCatalogue:
    """The state of one process; used on its event loop only."""

    configuration: Configuration
    snapshot: CatalogueSnapshot = UNREAD
    on_change: Callable[[str], None] = field(default=lambda _key: None)
    """Told the key under whose name another model is served, so that its baselines begin anew."""
    is_open: Callable[[str], bool] = field(default=lambda _key: False)
    """Whether the breaker of a key keeps calls away."""
    observations: ObservationBuilder = field(default_factory=lambda: ObservationBuilder(uuid.uuid4().hex))
    """Live answers of providers under upgrade."""
    heard_at: float = 0.0
    """When the last snapshot came, by `clock`."""
    monotonic: Callable[[], float] = time.monotonic
    clock: Callable[[], float] = time.time
    _seen: dict[str, str] = field(default_factory=dict[str, str])
    _untold: dict[str, ServedReport] = field(default_factory=dict[str, ServedReport])
    _told_at: dict[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])

    @property
    def view(self) -> CatalogueView:
        """What decisions are made with."""
        return CatalogueView(self.snapshot)

    def accept(self, arrived: CatalogueSnapshot) -> None:
        """Take in a snapshot, unless it is older than the one that is held."""
        if (arrived.epoch, arrived.version) < (self.snapshot.epoch, self.snapshot.version):
            return
        held, self.snapshot = self.snapshot.served, arrived
        self.heard_at = self.clock()
        for key, seen in arrived.served.items():
            # Only what has changed there: it may not have heard yet what this process has seen itself.
            if key in held and held[key].served != seen.served:
                self._notice(key, seen.served)

    def saw(self, provider: str, model: str, served: str | None) -> tuple[str, ...]:
        """Take which model has answered; gives what that is to be tagged with."""
        if not served or provider not in self.configuration.providers:
            return ()
        # A vendor may say anything; what comes of it must not cost the answer.
        served = served.encode(errors="replace").decode()[:_SERVED_CHARACTERS]
        key = key_of(provider, model)
        self._notice(key, served)
        held = self.snapshot.served.get(key)
        dated = self.configuration.providers[provider].model_copy(update={"model": model}).dated
        if held is None or held.served != served:
            now = datetime.now(UTC)
            self._untold[key] = ServedReport(provider=provider, model=model, served=served, at=now, dated=dated)
        else:
            self._untold.pop(key, None)
        changed = held is not None and (held.served != served or not held.accepted)
        differs = dated and not matches(model, served)
        return tuple(note for note, holds in ((MODEL_DIFFERS, differs), (MODEL_CHANGED, changed)) if holds)

    def ended(self, call: ProviderCall, row: Attempt) -> None:
        """Take how an attempt has ended, where its provider is under upgrade and both models are watched."""
        plan = self.snapshot.upgrades.get(row.provider)
        if plan is None or call.purpose != "answer" or row.model not in (plan.base, plan.model):
            return
        tally = ArmTally.of_attempt(row, with_schema=call.answer_schema is not None)
        if tally is not None and plan.watched(datetime.fromtimestamp(self.clock(), UTC)):
            self.observations.add(plan.id, row.model, tally)

    def look_at_breakers(self) -> None:
        """Note the upgrades whose new model's breaker is open while that of the base is not."""
        for plan in self.snapshot.upgrades.values():
            new, base = key_of(plan.provider, plan.model), key_of(plan.provider, plan.base)
            if plan.stage in SERVING and self.is_open(new) and not self.is_open(base):
                self.observations.broke(plan.id)

    def take_served(self) -> tuple[ServedReport, ...]:
        """What the fleet is to be told now; it is gone from here."""
        now = self.monotonic()
        due = [key for key in self._untold if len(self._told_lately(key, now)) < _TOLD_A_MINUTE]
        for key in due:
            self._told_at[key] = (*self._told_lately(key, now), now)
        return tuple(self._untold.pop(key) for key in due)

    def give_back(self, reports: tuple[ServedReport, ...]) -> None:
        """These may not have arrived."""
        for report in reports:
            key = key_of(report.provider, report.model)
            self._untold.setdefault(key, report)
            self._told_at[key] = self._told_at.get(key, ())[:-1]

    def _notice(self, key: str, served: str) -> None:
        before = self._seen.get(key)
        self._seen[key] = served
        if before is not None and before != served:
            self.on_change(key)

    def _told_lately(self, key: str, now: float) -> tuple[float, ...]:
        return tuple(at for at in self._told_at.get(key, ()) if now - at < _MINUTE_S)
