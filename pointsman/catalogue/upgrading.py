"""The course of an upgrade: which word or observation leads to which stage. Pure rules; the entity keeps the time."""

from __future__ import annotations

from datetime import datetime

from pointsman.catalogue.commands import BeginUpgrade, PromoteUpgrade, RollBackUpgrade
from pointsman.catalogue.events import CatalogueEvent
from pointsman.catalogue.observations import ArmTally, ShadowResult, UpgradeEvaluated
from pointsman.catalogue.upgrade import Upgrade, UpgradePlan

Course = tuple[Upgrade, tuple[CatalogueEvent, ...]]


class UpgradeRefused(ValueError):
    """An operator's word that cannot be followed now; the sentence says why, and what can be done."""


def plan(upgrade: Upgrade, now: datetime) -> UpgradePlan:
    """What processes need to know of it."""
    raise NotImplementedError


def begin(held: Upgrade | None, command: BeginUpgrade, now: datetime) -> Course:
    """A new upgrade, unless one is under way.

    Raises:
        UpgradeRefused: another one is.
    """
    raise NotImplementedError


def evaluated(upgrade: Upgrade, report: UpgradeEvaluated, now: datetime) -> Course:
    """The new model has stood its suites, and is shadowed; or it has not, and is refused."""
    raise NotImplementedError


def shadowed(upgrade: Upgrade, result: ShadowResult, now: datetime) -> Course:
    """One more comparison."""
    raise NotImplementedError


def observed(upgrade: Upgrade, arms: dict[str, ArmTally], now: datetime) -> Course:
    """More live answers, by model; the new model is rolled back where they break a threshold."""
    raise NotImplementedError


def promote(upgrade: Upgrade, command: PromoteUpgrade, now: datetime) -> Course:
    """More of the questions for the new model.

    Raises:
        UpgradeRefused: it has not been evaluated, or is over.
    """
    raise NotImplementedError


def roll_back(upgrade: Upgrade, command: RollBackUpgrade, now: datetime) -> Course:
    """No further question for the new model.

    Raises:
        UpgradeRefused: it is over already.
    """
    raise NotImplementedError
