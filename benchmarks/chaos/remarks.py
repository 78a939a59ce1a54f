"""Whether the logs of the workers hold an error that nobody has explained."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from benchmarks.chaos.witness import Evidence
from benchmarks.resilience.scenario import complaints


@dataclass(frozen=True)
class Explained:
    """An error that belongs to a process that was killed, or to a server that was, and why it may stand in a log."""

    pattern: re.Pattern[str]
    why: str


EXPLAINED: tuple[Explained, ...] = (
    # Seen with a load of 23 for each core. A step that truly never yields would leave its question without an end.
    Explained(
        re.compile(r"_DeadlockError: \[TMPRL1101\]"),
        "a step of a workflow got no processor for 2 s, and the server gives it out again.",
    ),
)
"""Everything else is a fault."""


def unexplained(evidence: Evidence) -> list[str]:
    """Errors and tracebacks of workers, but for those that are explained."""
    return [
        f"{name}: {entry[:3000]}"
        for name, log in evidence.logs.items()
        for entry in complaints(log)
        if _explanation(entry) is None
    ]


def explained(evidence: Evidence) -> Counter[str]:
    """How often each explanation was needed."""
    found = (_explanation(entry) for log in evidence.logs.values() for entry in complaints(log))
    return Counter(why for why in found if why is not None)


def _explanation(entry: str) -> str | None:
    return next((one.why for one in EXPLAINED if one.pattern.search(entry)), None)
