"""The whole dashboard: its rows from what is wrong now to what it costs, and the variables at its head."""

from __future__ import annotations

from collections.abc import Sequence

from deploy.dashboard import what_it_costs, why_there, wrong_now
from deploy.dashboard.panel import SOURCE, Json, Panel, row

ROWS: Sequence[tuple[str, Sequence[Panel]]] = (
    ("What is wrong now", wrong_now.PANELS),
    ("Why did it go there", why_there.PANELS),
    ("What does it cost", what_it_costs.PANELS),
    ("How long each provider takes", wrong_now.DISTRIBUTIONS),
)


def dashboard() -> Json:
    """The dashboard as Grafana reads it."""
    panels: list[Json] = []
    top = 0
    for title, members in ROWS:
        documents, top = row(title, members, len(panels) + 1, top)
        panels += documents
    return {
        "uid": "pointsman",
        "title": "Pointsman",
        "description": "What is wrong now, why did it go there, what does it cost; see docs/dashboard.md.",
        "tags": ["pointsman"],
        "schemaVersion": 41,
        "editable": False,
        "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "utc",
        "graphTooltip": 1,
        "templating": {"list": _variables()},
        "panels": panels,
    }


def _variables() -> list[Json]:
    source = {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "hide": 0}
    return [
        source,
        _labels("provider", "Provider", "label_values(pointsman_provider_admitted, provider)"),
        _labels("query_type", "Type of question", "label_values(pointsman_decisions_total, query_type)"),
    ]


def _labels(name: str, title: str, query: str) -> Json:
    return {
        "name": name,
        "label": title,
        "type": "query",
        "datasource": SOURCE,
        "definition": query,
        "query": {"query": query, "refId": name},
        "includeAll": True,
        "allValue": ".*",
        "multi": True,
        "current": {"text": ["All"], "value": ["$__all"]},
        "refresh": 2,
        "sort": 1,
    }
