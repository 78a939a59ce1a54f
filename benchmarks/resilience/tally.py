"""What came of a contender's questions in one scenario, counted by those who asked and at the scripted providers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rich.table import Table

from benchmarks.figures import Figure, Neighbour
from benchmarks.resilience.arrivals import Asked, prompt
from benchmarks.resilience.scripts import Timeline
from benchmarks.resilience.titles import TITLES
from pointsman.hedge_delay import nearest_rank
from workers.embedded.scripted.request import Hit


@dataclass(frozen=True)
class Tally:
    """One row of the table."""

    scenario: str
    contender: str
    questions: int
    faults: Counter[str]
    p50_ms: float
    p99_ms: float
    p999_ms: float
    calls_per_question: float
    """Probes included."""
    probes: int
    dead_calls: int | None
    """Requests that came to the primary while it was down, probes included; `None` where it never was."""
    busy: float
    """The share of the machine's processor time that was in use, by whomever."""

    @property
    def failed(self) -> int:
        """Questions without an answer."""
        return self.faults.total()

    @property
    def answered(self) -> float:
        """The share of questions with an answer."""
        return 1 - self.failed / self.questions

    def figures(self, name: str) -> list[Figure]:
        """The row under flat keys."""
        what = f"{self.scenario}, {TITLES[self.contender]}"
        return [Figure(self._key(name, part), f"{what}: {part}", value) for part, value in self._values().items()]

    def beside(self, name: str, part: str, unit: str = "") -> Neighbour:
        """One part of the row, to stand beside another contender's under the key that it has anyway."""
        return Neighbour(self._key(name, part), TITLES[self.contender], self._values()[part], unit)

    def _key(self, name: str, part: str) -> str:
        return f"{name}_{self.contender}_{part}"

    def _values(self) -> dict[str, float]:
        return {
            "questions": self.questions,
            "answered": self.answered,
            "failed": self.failed,
            "p50_ms": self.p50_ms,
            "p99_ms": self.p99_ms,
            "p999_ms": self.p999_ms,
            "calls_per_question": self.calls_per_question,
            "probes": self.probes,
            **({} if self.dead_calls is None else {"dead_calls": self.dead_calls}),
        }


def tally(  # noqa: PLR0913 - a scenario and what came of it
    scenario: str,
    contender: str,
    asked: list[Asked],
    hits: Mapping[str, list[Hit]],
    *,
    timeline: Timeline,
    warm_up: int,
    busy: float,
) -> Tally:
    """Count the measured part: questions by number, probes by when they came."""
    warming = {prompt(number) for number in range(warm_up)}
    questions = {prompt(found.number) for found in asked}
    measured = {
        place: [hit for hit in found if hit.prompt not in warming and hit.started >= timeline.begins]
        for place, found in hits.items()
    }
    every = [hit for found in measured.values() for hit in found]
    latencies = sorted(found.latency_ms for found in asked)
    return Tally(
        scenario=scenario,
        contender=contender,
        questions=len(asked),
        faults=Counter(found.fault for found in asked if found.fault is not None),
        p50_ms=nearest_rank(latencies, 0.5),
        p99_ms=nearest_rank(latencies, 0.99),
        p999_ms=nearest_rank(latencies, 0.999),
        calls_per_question=len(every) / len(asked),
        probes=sum(hit.prompt not in questions for hit in every),
        dead_calls=sum(timeline.down(hit.started) for hit in measured["primary"]) if timeline.spans else None,
        busy=busy,
    )


def table(tallies: list[Tally]) -> Table:
    """All scenarios, one row for each contender."""
    columns = (
        "scenario",
        "who",
        "questions",
        "answered",
        "p50",
        "p99",
        "p99.9",
        "calls/q",
        "probes",
        "to the dead",
        "busy",
    )
    shown = Table(*columns, title="A primary that misbehaves, a healthy secondary (ms)", title_justify="left")
    for column in shown.columns[2:]:
        column.justify = "right"
    last = ""
    for row in tallies:
        if row.scenario != last and last:
            shown.add_section()
        shown.add_row(
            row.scenario if row.scenario != last else "",
            TITLES[row.contender],
            str(row.questions),
            f"{row.answered:.2%}",
            *(f"{value:.0f}" for value in (row.p50_ms, row.p99_ms, row.p999_ms)),
            f"{row.calls_per_question:.3f}",
            str(row.probes),
            "" if row.dead_calls is None else str(row.dead_calls),
            f"{row.busy:.0%}" if row.scenario != last else "",
        )
        last = row.scenario
    return shown
