"""`python -m deploy.dashboard` writes the dashboard that Grafana is provisioned with."""

from __future__ import annotations

import json
from pathlib import Path

from deploy.dashboard.board import dashboard

TARGET = Path(__file__).parents[1] / "grafana" / "dashboards" / "pointsman.json"


def text() -> str:
    """What the file holds."""
    return json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
