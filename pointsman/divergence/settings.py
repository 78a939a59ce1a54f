"""How strictly answers are compared."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

DetectorName = Literal["default", "jaccard"]
Fraction01 = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class DivergenceSettings(BaseModel):
    """The table `[divergence]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    detector: DetectorName = "default"
    """`jaccard` is the source document's rule, which flags almost every pair of free texts."""
    threshold: Fraction01 = 0.8
    """Least token similarity of consistent answers under `jaccard` (source document, pattern 3)."""
    number_tolerance: Annotated[float, Field(ge=0, lt=0.5, allow_inf_nan=False)] = 1e-6
    """Numbers that differ by no more than this share of the larger one are equal."""
    last_number_beside_marker: bool = True
    """Beside an answer with a line `#### 42` another's last number is its answer: graders of worked problems do so.

    Otherwise, and without this, the number that the last sentence is about counts: "8 packs for 30 days" is 8.
    """
    prose_threshold: Fraction01 = 0.7
    """Least share of common words from which free texts without a contradiction agree."""
    prose_floor: Fraction01 = 0.05
    """Greatest share of common words with which free texts of some length disagree; between the two nobody can tell."""


DEFAULTS = DivergenceSettings()
