"""Every query that the dashboard and the alerts ask, for tests that hold them against what workers tell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml

from pointsman.budget import Charge
from pointsman.divergence.comparison import Verdict
from pointsman.health.breaker import BreakerState
from pointsman.nobody import Absence
from pointsman.outcomes import AttemptOutcome, ErrorClass, Purpose, UsageSource

DEPLOY = Path(__file__).parents[1] / "deploy"
DASHBOARD = DEPLOY / "grafana" / "dashboards" / "pointsman.json"
ALERTS = DEPLOY / "prometheus" / "alerts.yml"

OF_PROMETHEUS = frozenset({"up"})
"""Metrics that the scraper itself adds."""
BY_PROMETHEUS = frozenset({"instance", "job"})
"""Labels that it adds to each metric."""
OF_TEMPORAL = {"temporal_worker_task_slots_available": {"task_queue", "worker_type"}}
"""Metrics of Temporal's SDK that are shown, and their labels."""
CLOSED_SETS = {
    "state": {state.value for state in BreakerState},
    "to": {state.value for state in BreakerState},
    "error_class": {*(one.value for one in ErrorClass), "none"},
    "purpose": {*get_args(Purpose), "probe"},
    "result": {"granted", "denied"},
    "charge": set(get_args(Charge)),
    "type": {"input", "output", "cached", "reasoning"},
    "source": set(get_args(UsageSource)),
    "verdict": set(get_args(Verdict)),
    "outcome": {*get_args(AttemptOutcome), "agreed", "disagreed", "cannot_tell"},
    "failure": {"none"},
    "provider": {"none"},
    "reason": set(get_args(Absence)),
    "job": {"pointsman"},
    "worker_type": {"WorkflowWorker", "ActivityWorker", "LocalActivityWorker", "NexusWorker"},
}
"""What a matcher may ask a label to be. Of providers nobody is named."""


@dataclass(frozen=True)
class Asked:
    """One query and where it stands."""

    where: str
    expr: str
    legend: str = ""


def panels() -> list[dict[str, Any]]:
    """The dashboard's panels with their places; rows left out."""
    document = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return [panel for panel in document["panels"] if panel["type"] != "row"]


def rules() -> list[dict[str, Any]]:
    """The alert rules."""
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def everything_asked() -> list[Asked]:
    """The queries of all panels, then those of all alerts."""
    of_panels = [
        Asked(panel["title"], target["expr"], target["legendFormat"])
        for panel in panels()
        for target in panel.get("targets", ())
    ]
    return of_panels + [Asked(rule["alert"], rule["expr"]) for rule in rules()]
