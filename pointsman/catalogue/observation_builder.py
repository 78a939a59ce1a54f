"""Collects what a process sees of providers under upgrade between two reports.

    builder = ObservationBuilder("worker-1")
    builder.add(upgrade_id, model, tally)
    report = builder.due()
    builder.arrived(report.seq)

A report whose arrival is unknown is due again under its number, and the catalogue takes it once.
"""

from __future__ import annotations

from pointsman.catalogue.observations import Observations
from pointsman.catalogue.tally import ArmTally

_UPGRADES_KEPT = 100


class ObservationBuilder:
    """Tallies of one process that no report is known to have told."""

    def __init__(self, worker_id: str) -> None:
        """Start with nothing seen; no other process, and no earlier start of this one, may have the same id."""
        self._worker_id = worker_id
        self._seq = 0
        self._arms: dict[str, dict[str, ArmTally]] = {}
        self._broken: set[str] = set()
        self._unsure: Observations | None = None

    def add(self, upgrade_id: str, model: str, tally: ArmTally) -> None:
        """Count what a model did."""
        arms = self._arms.setdefault(upgrade_id, {})
        arms[model] = arms.get(model, ArmTally()).merge(tally).faded()
        while len(self._arms) > _UPGRADES_KEPT:
            del self._arms[next(iter(self._arms))]

    def broke(self, upgrade_id: str) -> None:
        """Note that the new model's breaker is open while the base's is not: few calls come through to show it."""
        self._broken.add(upgrade_id)

    def due(self) -> Observations | None:
        """What is to be told: the last report until it has arrived, then what came since; `None` where nothing did."""
        if self._unsure is None and (self._arms or self._broken):
            self._seq += 1
            self._unsure = Observations(
                worker_id=self._worker_id, seq=self._seq, arms=self._arms, broken=tuple(sorted(self._broken))
            )
            self._arms, self._broken = {}, set()
        return self._unsure

    def arrived(self, seq: int) -> None:
        """The report of this number has been taken."""
        if self._unsure is not None and self._unsure.seq == seq:
            self._unsure = None
