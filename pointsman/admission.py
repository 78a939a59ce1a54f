"""May a provider be trusted with a question? Its figures, the model behind its name, and how it stood the task's suite.

Sources: dual-provider document, pattern 1 (3 data points to join, warned at 75 days, retired at 90); routing document,
"Only fall back within a validated tier"; DESIGN rulings 7, 8 and 14.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.profile import POINTS_TO_JOIN
from pointsman.catalogue.view import CatalogueView
from pointsman.provider import Provider
from pointsman.query_types import QueryType

WARN_AFTER_DAYS = 75
RETIRE_AFTER_DAYS = 90

AdmissionMode = Literal["measured", "declared"]
CATALOGUE_UNREAD = "catalogue_unread"
LOOKED_AGAIN_S = 1.0
"""Seconds after which a process that has not read the catalogue will have tried again."""

_Reason = tuple[str, str]


@dataclass(frozen=True)
class Admission:
    """The rules of one question: for its query type, and for its task where that has a suite."""

    mode: AdmissionMode
    catalogue: CatalogueView
    query_type: QueryType
    now: datetime
    task: str | None = None
    suite: str | None = None
    """Digest of the suite that candidates must have passed; `None` demands nothing."""

    def reasons(self, name: str, provider: Provider) -> Iterator[_Reason]:
        """Why the provider, with the model that this question gets there, is not to be trusted with it."""
        if self._waits_for_catalogue:
            yield CATALOGUE_UNREAD, "this worker has only just started and has not read the catalogue yet"
        yield from self._unmeasured(name, provider)
        yield from self._changed(name, provider)
        yield from self._unvalidated(name, provider)

    def warning(self, name: str, provider: Provider) -> str | None:
        """What a person should do before the provider is retired."""
        age = self._age_days(name, provider)
        if age is None or not WARN_AFTER_DAYS <= age < RETIRE_AFTER_DAYS:
            return None
        return f"{name}: {self._figures_are(age)}, and it is retired at {RETIRE_AFTER_DAYS}; {self._renew(name)}"

    @property
    def by_measurement(self) -> bool:
        """Whether figures are measured ones; without a catalogue there are only those of the configuration."""
        return self.mode == "measured" and self.catalogue.snapshot is not None

    @property
    def _waits_for_catalogue(self) -> bool:
        return self.catalogue.unread and (self.mode == "measured" or self.suite is not None)

    def _unmeasured(self, name: str, provider: Provider) -> Iterator[_Reason]:
        if self.by_measurement:
            profile = self.catalogue.profile(name, provider)
            figures = None if profile is None else profile.figures.get(self.query_type)
            points = 0 if figures is None else figures.answered
            if points < POINTS_TO_JOIN:
                had = f"{points} of {POINTS_TO_JOIN} data points for {self.query_type}"
                yield "not_profiled", f"{had}; run `pointsman profile run {name}`"
        age = self._age_days(name, provider)
        if age is not None and age >= RETIRE_AFTER_DAYS:
            yield "retired", f"{self._figures_are(age)}; {self._renew(name)}"

    def _changed(self, name: str, provider: Provider) -> Iterator[_Reason]:
        seen = self.catalogue.served(name, provider.model)
        if seen is not None and not seen.accepted and provider.on_model_change == "retire":
            accept = f"profile it anew or run `pointsman catalogue accept {name}`"
            yield "model_changed", f"{seen.before or provider.model} was served before, {seen.served} now; {accept}"

    def _unvalidated(self, name: str, provider: Provider) -> Iterator[_Reason]:
        if self.suite is None or self.task is None or self.catalogue.snapshot is None:
            return
        found = self.catalogue.evaluation(self.task, name, provider.model)
        run = f"run `pointsman eval run --task {self.task} --provider {name}`"
        if found is None:
            yield "not_evaluated", f"its model has not been evaluated for {self.task}; {run}"
            return
        stale = self._stale(found, name, provider)
        if stale is not None:
            yield "not_evaluated", f"{stale} since it was evaluated for {self.task}; {run}"
        elif found.verdict == "inconclusive":
            yield "not_evaluated", f"its evaluation for {self.task} came to no verdict; {run}"
        elif found.verdict == "failed":
            yield (
                "eval_failed",
                f"{found.passed} of {found.cases} cases passed, {found.threshold:.0%} are needed; {run}",
            )

    def _stale(self, found: Evaluation, name: str, provider: Provider) -> str | None:
        if found.suite != self.suite:
            return "the suite or the schema has changed"
        seen = self.catalogue.served(name, provider.model)
        if seen is not None and found.model_served is not None and seen.served != found.model_served:
            return f"the model served has changed to {seen.served}"
        return None

    def _age_days(self, name: str, provider: Provider) -> int | None:
        """Whole days since the figures were taken, or written down; `None` where that is not known."""
        if self.by_measurement:
            profile = self.catalogue.profile(name, provider)
            return None if profile is None else (self.now - profile.measured_at).days
        if provider.declared_at is None:
            return None
        return (self.now.astimezone(UTC).date() - provider.declared_at).days

    def _figures_are(self, age: int) -> str:
        return f"its {'profile is' if self.by_measurement else 'declared figures are'} {age} days old"

    def _renew(self, name: str) -> str:
        if self.by_measurement:
            return f"run `pointsman profile run {name}`"
        return f"check them and renew providers.{name}.declared_at"
