"""Many processes and their entity on a clock of the test's own: how many calls a provider gets after it has opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.health.breaker import BreakerState
from pointsman.health.entity import apply_report
from pointsman.health.policy import HealthPolicy, KeyPolicy
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.state import HealthState
from pointsman.health.view import HealthView

T = 1_796_342_400.0
KEY = "alpha/one"
POLICY = HealthPolicy(keys={KEY: KeyPolicy()})
TICK_S = 0.01
FLUSH_S = 1.0
SNAPSHOT_S = 1.0
LASTS_S = 8.0


@dataclass
class Process:
    """A process whose every call fails after `takes_s`."""

    name: str
    flush_at: float
    snapshot_at: float
    takes_s: float
    view: HealthView = field(default_factory=lambda: HealthView(POLICY))
    in_flight: list[tuple[float, int, int]] = field(default_factory=list[tuple[float, int, int]])
    run_at: float | None = None
    """When its own third failure ended."""

    def __post_init__(self) -> None:
        self.reports = ReportBuilder(self.name)

    def ask(self, now: float) -> bool:
        """Whether a question that comes now calls the provider."""
        if self.view.health(KEY, now).barred(now) is not None:
            return False
        self.in_flight.append((now + self.takes_s, *self.view.token(KEY, now)))
        return True

    def settle(self, now: float) -> None:
        """Take in the failures that are due."""
        for ends, epoch, gen in [call for call in self.in_flight if call[0] <= now]:
            self.in_flight.remove((ends, epoch, gen))
            self.reports.record(KEY, epoch, gen, int(now), "fail", attempt=1)
            run = self.view.seen(KEY, epoch, gen, "fail", attempt=1, seq=self.reports.seq + 1, now=now)
            if run >= POLICY.breaker.consecutive and self.run_at is None:
                self.run_at = now


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    processes=st.integers(1, 12),
    every_ticks=st.integers(1, 40),
    takes_s=st.sampled_from([0.0, 0.05, 0.5, 2.0]),
    phases=st.randoms(use_true_random=False),
)
def test_calls_after_an_opening_are_those_of_one_report_and_one_snapshot_and_those_in_flight(
    processes: int, every_ticks: int, takes_s: float, phases: Random
) -> None:
    """Property 17: at most rate * (flush + snapshot age) + in flight; none from who saw three failures itself."""
    fleet = [
        Process(f"w{n}", T + phases.uniform(0, FLUSH_S), T + phases.uniform(0, SNAPSHOT_S), takes_s)
        for n in range(processes)
    ]
    state, _ = apply_report(HealthState(epoch=1, now=T), ReportBuilder("p").take(policy=POLICY), now=T, chance=0.0)
    for process in fleet:
        process.view.accept(state.snapshot(process.name), T)
    opened, after, under_way, asked = False, 0, 0, 0
    for number in range(round(LASTS_S / TICK_S)):
        now = T + number * TICK_S
        for process in fleet:
            process.settle(now)
            if now >= process.flush_at:
                process.flush_at += FLUSH_S
                state, _ = apply_report(state, process.reports.take(), now=now, chance=0.0)
            if now >= process.snapshot_at:
                process.snapshot_at += SNAPSHOT_S
                process.view.accept(state.snapshot(process.name), now)
        if not opened and KEY in state.keys and state.keys[KEY].breaker.state is BreakerState.OPEN:
            opened, under_way = True, sum(len(process.in_flight) for process in fleet)
        if number % every_ticks == 0:
            asked += 1
            process = fleet[asked % processes]
            called = process.ask(now)
            assert not (called and process.run_at is not None and now >= process.run_at)
            after += called and opened
    rate = 1 / (every_ticks * TICK_S)
    assert opened
    assert after <= rate * (FLUSH_S + SNAPSHOT_S) + under_way + 1
