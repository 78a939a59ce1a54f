"""Whether a confidence means what it says: of the questions told at 0.8 four in five should be right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.table import Table

BINS = 15


@dataclass(frozen=True)
class Told:
    """How sure the classifier was of a question, and whether it was right."""

    confidence: float
    right: bool


@dataclass(frozen=True)
class Bin:
    """Questions of like confidence: how many, how sure on the mean, and the share that was right."""

    count: int
    confidence: float
    accuracy: float


def bins(told: Sequence[Told], wanted: int = BINS) -> list[Bin]:
    """Parts of equal size (to one question) in the order of confidence."""
    ordered = sorted(told, key=lambda one: one.confidence)
    edges = [len(ordered) * at // wanted for at in range(wanted + 1)]
    parts = [ordered[low:high] for low, high in pairwise(edges) if high > low]
    return [_bin(part) for part in parts]


def expected_calibration_error(told: Sequence[Told]) -> float:
    """The mean distance between confidence and accuracy over 15 bins of equal mass."""
    return sum(one.count * abs(one.confidence - one.accuracy) for one in bins(told)) / len(told)


def reliability_table(title: str, told: Sequence[Told]) -> Table:
    """A line for each bin, and the error in the title."""
    table = Table(
        "questions",
        "mean confidence",
        "right",
        title=f"{title}: expected calibration error {expected_calibration_error(told):.3f}",
        title_justify="left",
    )
    for one in bins(told):
        table.add_row(str(one.count), f"{one.confidence:.3f}", f"{one.accuracy:.3f}")
    return table


def _bin(part: Sequence[Told]) -> Bin:
    confidence = sum(one.confidence for one in part) / len(part)
    return Bin(len(part), confidence, sum(one.right for one in part) / len(part))
