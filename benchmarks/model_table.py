"""Outcomes of many models on the same questions: the folder's table, as `pointsman tune` reads it."""

from __future__ import annotations

from pathlib import Path

from pointsman.query_types import QueryType
from pointsman.tuning.model_table import DESCRIPTION as PRICES
from pointsman.tuning.model_table import TYPES
from pointsman.tuning.outcome_file import read as read_file
from pointsman.tuning.outcomes import Outcomes

__all__ = ["OUTCOMES", "PRICES", "TYPES", "read"]

OUTCOMES = "zeroeval_11models.jsonl"


def read(folder: Path) -> Outcomes:
    """The outcomes of a folder, and the prices of their models."""
    return read_file(folder / OUTCOMES, allow_gaps=False, kind=lambda _: QueryType.ANALYSIS)
