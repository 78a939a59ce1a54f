"""What a catalogue holds, to test with: every builder gives a valid one, and takes what the test is about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.observations import ServedReport
from pointsman.catalogue.profile import Profile, TypeFigures
from pointsman.catalogue.served import ServedModel
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.state import CatalogueState
from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.catalogue.view import CatalogueView
from pointsman.query_types import QueryType

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
MODEL = "openai/model-2026-01-01"
SERVED = "model-2026-01-01"


def figures(answered: int = 12, **changes: Any) -> TypeFigures:
    told: dict[str, Any] = {
        "samples": answered,
        "answered": answered,
        "passed": answered,
        "p50_ms": 412.3456789,
        "p95_ms": 967.2345678,
        "mean_input_tokens": 51.25,
        "mean_output_tokens": 102.75,
        "cost_usd": 0.0123456,
        **changes,
    }
    return TypeFigures.model_validate(told)


def profile(provider: str = "alpha", answered: int = 12, **changes: Any) -> Profile:
    """A profile of all query types."""
    told: dict[str, Any] = {
        "provider": provider,
        "model": MODEL,
        "model_served": SERVED,
        "measured_at": NOON,
        "benchmark": "b" * 64,
        "figures": {query_type: figures(answered) for query_type in QueryType},
        **changes,
    }
    return Profile.model_validate(told)


def evaluation(provider: str = "alpha", task: str = "extract", **changes: Any) -> Evaluation:
    told: dict[str, Any] = {
        "task": task,
        "provider": provider,
        "model": MODEL,
        "model_served": SERVED,
        "suite": "s" * 64,
        "cases": 20,
        "passed": 19,
        "threshold": 0.8,
        "verdict": "passed",
        "evaluated_at": NOON,
        "cost_usd": 0.0123456,
        **changes,
    }
    return Evaluation.model_validate(told)


def served(provider: str = "alpha", **changes: Any) -> ServedModel:
    told: dict[str, Any] = {"provider": provider, "model": MODEL, "served": SERVED, "since": NOON, **changes}
    return ServedModel.model_validate(told)


def seen(what: str = SERVED, provider: str = "alpha", **changes: Any) -> ServedReport:
    """A report that the provider serves this."""
    told: dict[str, Any] = {"provider": provider, "model": MODEL, "served": what, "at": NOON, **changes}
    return ServedReport.model_validate(told)


def state(*entries: Profile | Evaluation | ServedModel, **changes: Any) -> CatalogueState:
    return CatalogueState(epoch=1, now=NOON, document=holding(*entries), **changes)


def holding(*entries: Profile | Evaluation | ServedModel, **changes: Any) -> CatalogueDocument:
    return CatalogueDocument(
        profiles={one.key: one for one in entries if isinstance(one, Profile)},
        evaluations={one.key: one for one in entries if isinstance(one, Evaluation)},
        served={one.key: one for one in entries if isinstance(one, ServedModel)},
        **changes,
    )


def view(*entries: Profile | Evaluation | ServedModel, version: int = 7, **plans: UpgradePlan) -> CatalogueView:
    """What a process has read of such a catalogue."""
    held = holding(*entries)
    snapshot = CatalogueSnapshot(
        epoch=1,
        version=version,
        profiles=held.profiles,
        evaluations=held.evaluations,
        served=held.served,
        upgrades=plans,
    )
    return CatalogueView(snapshot)
