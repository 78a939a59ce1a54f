"""The catalogue as a decision asks it: which model a question gets at a provider, and with which figures."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.catalogue.allotment import answered_by_new
from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.profile import Profile, TypeFigures
from pointsman.catalogue.served import ServedModel
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.upgrade import SERVING, UpgradePlan
from pointsman.health.keys import key_of
from pointsman.provider import Latency, Provider
from pointsman.query_types import QueryType

ENOUGH_FOR_STRENGTH = 10
"""Answers from which measured quality counts in a provider's strength."""
PRIOR_ANSWERS = 10
"""As many answers as the declared strength is worth beside the measured ones."""

UNREAD = CatalogueSnapshot(epoch=0, version=0)
"""What a process knows before it has read the catalogue for the first time."""


@dataclass(frozen=True)
class CatalogueView:
    """One snapshot, or `None` where nothing of the catalogue is within reach."""

    snapshot: CatalogueSnapshot | None = None

    @property
    def version(self) -> int | None:
        """The version that a decision was made with."""
        return None if self.snapshot is None else self.snapshot.version

    @property
    def unread(self) -> bool:
        """Whether there is a catalogue, and this process has not read it yet."""
        return self.snapshot is not None and self.snapshot.version == UNREAD.version

    def upgrade(self, name: str, provider: Provider) -> UpgradePlan | None:
        """The provider's upgrade, if it still starts from the model in the configuration (DESIGN ruling 13)."""
        found = None if self.snapshot is None else self.snapshot.upgrades.get(name)
        return found if found is not None and found.base == provider.model else None

    def serving(self, name: str, provider: Provider, question_id: str) -> Provider:
        """The provider with the model and the price that this question gets there."""
        plan = self.upgrade(name, provider)
        if plan is None or not answered_by_new(plan, question_id):
            return provider
        return provider.model_copy(update={"model": plan.model, "price": plan.price or provider.price})

    def profile(self, name: str, provider: Provider) -> Profile | None:
        """The model's own profile; a new model has that of its base until it is profiled itself."""
        if self.snapshot is None:
            return None
        own = self.snapshot.profiles.get(key_of(name, provider.model))
        plan = self.snapshot.upgrades.get(name)
        if own is None and plan is not None and plan.stage in SERVING and plan.model == provider.model:
            return self.snapshot.profiles.get(key_of(name, plan.base))
        return own

    def evaluation(self, task: str, name: str, model: str) -> Evaluation | None:
        """How the model stood the task's suite."""
        return None if self.snapshot is None else self.snapshot.evaluations.get(f"{task}/{name}/{model}")

    def served(self, name: str, model: str) -> ServedModel | None:
        """What the vendor serves under the model's name."""
        return None if self.snapshot is None else self.snapshot.served.get(key_of(name, model))


def measured(provider: Provider, query_type: QueryType, figures: TypeFigures) -> Provider:
    """The provider with what was measured for a query type in the place of what is declared."""
    changes: dict[str, object] = {}
    if figures.p50_ms and figures.p95_ms:
        changes["latency"] = Latency(p50_ms=figures.p50_ms, p95_ms=max(figures.p50_ms, figures.p95_ms))
    if figures.answered >= ENOUGH_FOR_STRENGTH:
        strength = measured_strength(provider.strength(query_type), figures)
        changes["strengths"] = {**provider.strengths, query_type: strength}
    return provider.model_copy(update=changes)


def measured_strength(declared: float, figures: TypeFigures | None) -> float:
    """The strength that counts: the declared one, after enough answers together with the measured quality."""
    if figures is None or figures.answered < ENOUGH_FOR_STRENGTH:
        return declared
    return round((PRIOR_ANSWERS * declared + figures.passed) / (PRIOR_ANSWERS + figures.answered), 4)
