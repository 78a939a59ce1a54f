"""Everything that outside data tells of routing, in one run: classifier, complexity, scoring.

    python -m benchmarks.routing [--data DIR]

Prints the tables and writes the figures to `build/bench-routing.json`; one that does not hold is a result, no error.
Seeds are fixed: the same data gives the same tables but for times. docs/routing.md says what they do not show.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import classification, explaining, routing_complexity, routing_scoring
from benchmarks.entrance import Measure, measured
from benchmarks.figures import write_json
from benchmarks.machine import machine

RESULT = Path("build") / "bench-routing.json"
PARTS: tuple[Measure, ...] = (
    classification.measure,
    classification.measure_held_out,
    routing_complexity.measure,
    routing_scoring.measure,
    explaining.measure,
)


def main() -> None:
    """Measure every part, print it, and write the figures down."""
    write_json(RESULT, machine(), measured("Routing", *PARTS))
    print(f"Written to {RESULT}.")


if __name__ == "__main__":
    main()
