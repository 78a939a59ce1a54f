"""Made-up outcomes for tests of tuning: "dear" is good at everything, "cheap" at all but code."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pointsman.query_types import QueryType
from pointsman.tuning.outcome_file import read
from pointsman.tuning.outcomes import Outcomes

CHEAP_USD, DEAR_USD = 0.0002, 0.01


def row(question: str = "q1", provider: str = "cheap", **changes: Any) -> dict[str, Any]:
    return {"question": question, "provider": provider, "score": 1.0, "cost_usd": CHEAP_USD, **changes}


def rows(count: int = 120, **changes: Any) -> list[dict[str, Any]]:
    chance = random.Random(5)
    found: list[dict[str, Any]] = []
    for number in range(count):
        code = number % 3 == 0
        kind = "code_task" if code else "simple_factual"
        common = {"prompt": f"What is number {number}, and why?", "query_type": kind, **changes}
        good = float(chance.random() < (0.1 if code else 0.87))
        found.append(row(f"q{number}", "cheap", score=good, **common))
        found.append(row(f"q{number}", "dear", score=float(chance.random() < 0.98), cost_usd=DEAR_USD, **common))
    return found


def each_good_at_one() -> list[dict[str, Any]]:
    """ "cheap" is good at facts and "dear" at code: no single one is as good as both, and "cheap" is the better one."""
    found: list[dict[str, Any]] = []
    for number in range(200):
        code = number % 2 == 0
        kind = {"query_type": "code_task" if code else "simple_factual"}
        found.append(row(f"q{number}", "cheap", score=0.5 if code else 0.9, cost_usd=DEAR_USD / 10, **kind))
        found.append(row(f"q{number}", "dear", score=0.9 if code else 0.4, cost_usd=DEAR_USD, **kind))
    return found


def written(path: Path, found: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in found), encoding="utf-8")
    return path


def analysis(_text: str) -> QueryType:
    return QueryType.ANALYSIS


def outcomes(folder: Path, found: Iterable[dict[str, Any]], *, allow_gaps: bool = False) -> Outcomes:
    """Read from a file, with every question's type."""
    path = written(folder / "outcomes.jsonl", found)
    return read(path, allow_gaps=allow_gaps, kind=analysis).typed(lambda one: analysis(one.text))
