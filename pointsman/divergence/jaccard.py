"""The source document's detector (pattern 3): token sets by white space, and a threshold of 0.8.

It is exact about form and blind to content: two solutions of one problem in other words are "divergent", and two
that differ in the one number asked for may not be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pointsman.divergence.comparison import MOST_DIFFERENCES, Comparison, differ, difference, same

THRESHOLD = 0.8


@dataclass(frozen=True)
class Overlap:
    """The document's result; it counts no unique tokens where a text is empty."""

    divergent: bool
    similarity: float
    unique_to_a: int | None = None
    unique_to_b: int | None = None


def overlap(a: str, b: str, threshold: float = THRESHOLD) -> Overlap:
    """The document's `detect_divergence`: compared before rounding, and an empty text diverges from everything."""
    tokens_a, tokens_b = set(a.lower().split()), set(b.lower().split())
    if not tokens_a or not tokens_b:
        return Overlap(divergent=True, similarity=0.0)
    similarity = share(tokens_a, tokens_b)
    return Overlap(
        divergent=similarity < threshold,
        similarity=round(similarity, 3),
        unique_to_a=len(tokens_a - tokens_b),
        unique_to_b=len(tokens_b - tokens_a),
    )


def compare_tokens(a: str, b: str, threshold: float = THRESHOLD) -> Comparison:
    """The same as a comparison; it never says "cannot tell"."""
    found = overlap(a, b, threshold)
    if not found.divergent:
        return same("jaccard", found.similarity)
    why = f"token similarity {found.similarity:g} is below {threshold:g}"
    if found.unique_to_a is None:
        why = "an empty answer diverges from every other"
    tokens_a, tokens_b = set(a.lower().split()), set(b.lower().split())
    point = difference("tokens of one only", why, _listed(tokens_a - tokens_b), _listed(tokens_b - tokens_a))
    return differ("jaccard", point, similarity=found.similarity)


def share(a: set[str], b: set[str]) -> float:
    """Jaccard similarity; two empty sets are alike."""
    return len(a & b) / len(a | b) if a or b else 1.0


def _listed(tokens: Iterable[str]) -> str:
    # Sorted, because a set's order differs from process to process.
    return " ".join(sorted(tokens)[:MOST_DIFFERENCES])
