"""Everything that outside data tells of routing, in one run: classifier, complexity, scoring.

    python -m benchmarks.routing [--data DIR]

Seeds are fixed: the same data gives the same tables but for times. docs/routing.md says what they do not show.
"""

from __future__ import annotations

from benchmarks import classification, routing_complexity, routing_scoring
from benchmarks.entrance import measured

if __name__ == "__main__":
    measured("Routing", classification.measure, routing_complexity.measure, routing_scoring.measure)
