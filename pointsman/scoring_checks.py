"""Weights that would let cost decide alone, or that a policy does not read (the source document, MUST NOT 1)."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.configuration import Configuration
from pointsman.policy import WEIGHED


def scoring_faults(configuration: Configuration) -> Iterator[str]:
    """One sentence for each weight that cannot stay."""
    scoring = configuration.scoring
    formula = scoring.formula
    if formula.strength == 0:
        yield "scoring.weights.strength: 0 leaves out how good an answer is; give a number above 0, such as 1.0"
    if scoring.policy not in WEIGHED:
        for name in scoring.weights.model_dump(include={"cost", "latency"}, exclude_none=True):
            yield f'scoring.weights.{name}: the policy "{scoring.policy}" does not weigh it; remove it'
    elif formula.cost + formula.latency >= 1:
        both = f"cost and latency weigh {formula.cost + formula.latency:g} together, which no quality makes up for"
        yield f"scoring.weights: {both}; keep their sum below 1"
