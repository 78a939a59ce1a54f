"""A panel of the dashboard as a value, and how Grafana writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["timeseries", "stat", "heatmap", "state-timeline", "bargauge", "alertlist"]
Stack = Literal["none", "normal", "percent"]
Json = dict[str, Any]

SOURCE: Json = {"type": "prometheus", "uid": "${datasource}"}
COLUMNS = 24

SECONDS, SHARE, USD, NUMBER, PER_SECOND = "s", "percentunit", "currencyUSD", "short", "ops"
GREEN, YELLOW, ORANGE, RED, BLUE = "green", "yellow", "orange", "red", "blue"


@dataclass(frozen=True)
class Query:
    """One question to Prometheus; its legend names labels in double braces."""

    expr: str
    legend: str = ""
    instant: bool = False
    """Only the value of the moment, not a line over time."""


@dataclass(frozen=True)
class Panel:
    """One picture and what it tells."""

    title: str
    text: str
    """What it shows and what to do about it, for whoever points at it."""
    queries: tuple[Query, ...] = ()
    kind: Kind = "timeseries"
    unit: str = NUMBER
    width: int = 8
    height: int = 8
    stack: Stack = "none"
    highest: float | None = None
    """Upper end of the scale, where there is a natural one."""
    steps: tuple[tuple[float, str], ...] = ()
    """From which value on which colour; below the first it is green."""
    words: tuple[tuple[int, str, str], ...] = ()
    """What a value is called, and its colour."""
    repeat: str = ""
    """A variable for each value of which the panel stands once."""

    def document(self, number: int, x: int, y: int) -> Json:
        """The panel as Grafana reads it, at a place of the grid."""
        repeated: Json = {"repeat": self.repeat, "repeatDirection": "h", "maxPerRow": 3} if self.repeat else {}
        return {
            "id": number,
            "type": self.kind,
            "title": self.title,
            "description": self.text,
            "gridPos": {"h": self.height, "w": self.width, "x": x, "y": y},
            **repeated,
            **({} if self.kind == "alertlist" else {"datasource": SOURCE, "targets": self._targets()}),
            "fieldConfig": {"defaults": self._field(), "overrides": []},
            "options": _OPTIONS[self.kind],
        }

    def _targets(self) -> list[Json]:
        return [
            {
                "refId": chr(ord("A") + position),
                "datasource": SOURCE,
                "expr": query.expr,
                "legendFormat": query.legend,
                "instant": query.instant,
                "range": not query.instant,
                "format": "heatmap" if self.kind == "heatmap" else "time_series",
            }
            for position, query in enumerate(self.queries)
        ]

    def _field(self) -> Json:
        steps = [{"value": None, "color": GREEN}, *({"value": value, "color": colour} for value, colour in self.steps)]
        field: Json = {"unit": self.unit, "min": 0, "thresholds": {"mode": "absolute", "steps": steps}}
        if self.highest is not None:
            field["max"] = self.highest
        if self.steps or self.words:
            field["color"] = {"mode": "thresholds" if self.kind != "timeseries" else "palette-classic"}
        if self.words:
            named = {
                str(value): {"text": text, "color": colour, "index": index}
                for index, (value, text, colour) in enumerate(self.words)
            }
            field["mappings"] = [{"type": "value", "options": named}]
        if self.kind == "timeseries":
            # Bars of shares and sums fill their ground, lines do not.
            fill = 0 if self.stack == "none" else 60
            field["custom"] = {
                "fillOpacity": fill,
                "showPoints": "never",
                "stacking": {"mode": self.stack, "group": "A"},
                "thresholdsStyle": {"mode": "dashed" if self.steps else "off"},
            }
        return field


_REDUCED: Json = {"calcs": ["lastNotNull"], "fields": "", "values": False}
_OPTIONS: Mapping[Kind, Json] = {
    "timeseries": {
        "legend": {"displayMode": "table", "placement": "bottom", "calcs": ["lastNotNull", "max"]},
        "tooltip": {"mode": "multi", "sort": "desc"},
    },
    "stat": {"reduceOptions": _REDUCED, "colorMode": "background", "graphMode": "none", "textMode": "value_and_name"},
    "bargauge": {"reduceOptions": _REDUCED, "orientation": "horizontal", "displayMode": "basic"},
    "state-timeline": {"mergeValues": True, "showValue": "auto", "rowHeight": 0.8, "legend": {"showLegend": False}},
    "heatmap": {
        "calculate": False,
        "color": {"mode": "scheme", "scheme": "Blues", "steps": 32},
        "yAxis": {"unit": SECONDS},
        "cellGap": 1,
        "tooltip": {"mode": "single", "yHistogram": True},
    },
    "alertlist": {
        "viewMode": "list",
        "groupMode": "default",
        "groupBy": [],
        "maxItems": 30,
        "sortOrder": 3,
        "alertName": "",
        "dashboardAlerts": False,
        "stateFilter": {"firing": True, "pending": True, "error": True, "noData": False, "normal": False},
    },
}


def row(title: str, panels: Sequence[Panel], first: int, top: int) -> tuple[list[Json], int]:
    """A heading and its panels from left to right; also where the next row begins."""
    heading = {"id": first, "type": "row", "title": title, "collapsed": False, "panels": []}
    documents: list[Json] = [{**heading, "gridPos": {"h": 1, "w": COLUMNS, "x": 0, "y": top}}]
    x, y, tallest = 0, top + 1, 0
    for number, panel in enumerate(panels, start=first + 1):
        if x + panel.width > COLUMNS:
            x, y, tallest = 0, y + tallest, 0
        documents.append(panel.document(number, x, y))
        x, tallest = x + panel.width, max(tallest, panel.height)
    return documents, y + tallest
