"""The breaker: what opens it and what does not, what a probe does to it, and that the past cannot change it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pointsman.health.breaker import (
    Breaker,
    BreakerEvent,
    BreakerState,
    Forced,
    Outcomes,
    ProbeEnded,
    ProbeStarted,
    Tick,
    Transition,
    resumed,
    step,
)
from pointsman.health.delta import Delta
from pointsman.health.failure_run import FAILURE, NOTHING, SUCCESS, Segment
from pointsman.health.probe import ProbeOutcome, ProbeResult
from pointsman.health.settings import BreakerSettings

T = 1_000_000.0
PROPERTY = hypothesis_settings(max_examples=50, derandomize=True, deadline=None)
SUCCEEDED = ProbeResult(outcome=ProbeOutcome.SUCCESS)
FAILED = ProbeResult(outcome=ProbeOutcome.FAILURE, kind="http_503")
TOLD_NOTHING = ProbeResult(outcome=ProbeOutcome.INCONCLUSIVE, kind="http_400")


class Driven:
    """A breaker under test, with the transitions it has made."""

    def __init__(self, chance: float = 0.0, **changes: Any) -> None:
        self.settings = BreakerSettings.model_validate(changes)
        self.breaker = Breaker(epoch=7)
        self.now = T
        self.chance = chance
        self.transitions: list[Transition] = []

    def send(self, event: BreakerEvent) -> None:
        self.breaker, made = step(self.breaker, event, now=self.now, chance=self.chance, settings=self.settings)
        self.transitions.extend(made)

    def outcomes(self, letters: str, gen: int | None = None, worker: str = "w", workers: int = 1) -> None:
        """S success, F failed first attempt, R failed retry, T throttled, N neutral (never reported)."""
        for letter in letters:
            if letter == "N":
                continue
            counts = {"S": {"ok": 1}, "F": {"fail": 1}, "R": {"fail": 1}, "T": {"throttle": 1}}[letter]
            segment = {"S": SUCCESS, "F": FAILURE}.get(letter, NOTHING)
            self.row(segment, gen=gen, worker=worker, workers=workers, **counts)

    def row(
        self, segment: Segment = NOTHING, gen: int | None = None, worker: str = "w", workers: int = 1, **counts: int
    ) -> None:
        token = self.breaker.gen if gen is None else gen
        delta = Delta(key="a/b/c", epoch=7, gen=token, second=int(self.now), segment=segment, **counts)
        self.send(Outcomes(delta, worker_id=worker, workers=workers))

    def opened(self) -> Driven:
        self.outcomes("FFF")
        return self

    def half_opened(self) -> Driven:
        self.opened()
        self.now = self.breaker.open_until or 0.0
        self.send(Tick())
        return self

    def probe(self, result: ProbeResult) -> None:
        self.send(ProbeStarted())
        self.send(ProbeEnded(7, self.breaker.gen, self.breaker.probes, result))

    @property
    def state(self) -> str:
        return self.breaker.state.value

    @property
    def path(self) -> list[str]:
        return [f"{made.source}>{made.target}" for made in self.transitions]


@pytest.mark.parametrize(
    ("fails", "calls", "opens"),
    [
        (1, 2, False),
        (2, 19, False),
        (2, 20, False),
        (3, 20, True),
        (3, 19, False),
        (10, 100, False),
        (11, 100, True),
    ],
)
def test_the_rate_opens_above_a_tenth_of_at_least_twenty_calls(fails: int, calls: int, opens: bool) -> None:  # noqa: FBT001
    """Property 7; the failures are retries, so that no run opens it first."""
    driven = Driven()
    driven.outcomes("S" * (calls - fails) + "R" * fails)
    assert (driven.state == BreakerState.OPEN) is opens
    if opens:
        assert driven.transitions[0].reason == "failure_rate"


@pytest.mark.parametrize(
    ("letters", "opens"),
    [
        ("FFSFF", False),
        ("FFF", True),
        ("FNFNF", True),
        ("FTFTF", True),
        ("FRRRR", False),
        ("FRSFRFR", False),
        ("FRFRFR", True),
        ("SFF", False),
    ],
)
def test_three_failures_in_a_row_open_and_only_a_success_breaks_the_row(letters: str, opens: bool) -> None:  # noqa: FBT001
    """Properties 8 and 9, and F18: R is another attempt of one request, T a throttled one, N a neutral end."""
    driven = Driven()
    driven.outcomes(letters)
    assert (driven.state == BreakerState.OPEN) is opens


@PROPERTY
@given(st.lists(st.sampled_from("NN"), max_size=50), st.sampled_from(["", "F", "FF", "SSF"]))
def test_neutral_ends_leave_everything_as_it_was(neutral: list[str], before: str) -> None:
    """Property 10: CLIENT, CANCEL, LOCAL and QUALITY are never recorded."""
    driven = Driven()
    driven.outcomes(before)
    held = driven.breaker
    driven.outcomes("".join(neutral))
    assert driven.breaker == held


def test_an_opening_lasts_its_time_with_jitter_on_top() -> None:
    """T1 and T5: the jitter lies on the longest opening too."""
    assert Driven(chance=0.0).opened().breaker.open_until == T + 300
    assert Driven(chance=0.999).opened().breaker.open_until == pytest.approx(T + 300 * 1.0999)
    longest = Driven(chance=0.5, open_s=1800.0, open_mult=2.0).half_opened()
    longest.probe(FAILED)
    assert longest.breaker.k == 2
    assert longest.breaker.open_until == pytest.approx(longest.now + 1800 * 1.05)


def test_each_further_opening_can_last_longer_and_a_closing_starts_anew() -> None:
    driven = Driven(open_mult=2.0).half_opened()
    driven.probe(FAILED)
    assert driven.breaker.open_until == driven.now + 600
    driven.now += 600
    driven.send(Tick())
    driven.probe(SUCCEEDED)
    driven.probe(SUCCEEDED)
    assert (driven.state, driven.breaker.k) == (BreakerState.CLOSED, 0)
    assert driven.opened().breaker.open_until == driven.now + 300


def test_it_opens_no_sooner_than_its_time_is_up_and_then_with_whatever_comes() -> None:
    """T3: checked first on every message."""
    driven = Driven().opened()
    driven.now += 299.999
    driven.send(Tick())
    assert driven.state == BreakerState.OPEN
    driven.now = T + 300
    driven.outcomes("S", gen=1)
    assert driven.state == BreakerState.HALF_OPEN
    assert driven.breaker.probe_due(driven.now)


def test_two_probes_that_succeed_close_and_three_failures_are_needed_again() -> None:
    """T4, and a public bug: counters are cleared with the closing."""
    driven = Driven().half_opened()
    driven.probe(SUCCEEDED)
    assert (driven.state, driven.breaker.next_probe_at) == (BreakerState.HALF_OPEN, driven.now)
    driven.probe(SUCCEEDED)
    assert driven.state == BreakerState.CLOSED
    driven.outcomes("FF")
    assert driven.state == BreakerState.CLOSED
    driven.outcomes("F")
    assert driven.state == BreakerState.OPEN


def test_probes_that_tell_nothing_count_one_each_and_the_third_opens_again() -> None:
    """Property 3, T6 and T7; a success between does not reset the count."""
    driven = Driven().half_opened()
    driven.probe(TOLD_NOTHING)
    assert (driven.breaker.inconclusive, driven.breaker.next_probe_at) == (1, driven.now + 10)
    driven.now += 10
    driven.probe(SUCCEEDED)
    driven.probe(TOLD_NOTHING)
    assert (driven.state, driven.breaker.inconclusive) == (BreakerState.HALF_OPEN, 2)
    driven.now += 10
    driven.probe(TOLD_NOTHING)
    assert (driven.state, driven.breaker.k) == (BreakerState.OPEN, 2)


@pytest.mark.parametrize(("asked", "waits"), [(None, 10), (3.0, 10), (40.0, 40), (600.0, 60)])
def test_after_a_throttled_probe_the_next_waits_as_long_as_asked_up_to_a_minute(
    asked: float | None, waits: float
) -> None:
    driven = Driven().half_opened()
    driven.probe(ProbeResult(outcome=ProbeOutcome.INCONCLUSIVE, throttled=True, retry_after_s=asked))
    assert driven.breaker.next_probe_at == driven.now + waits


def test_a_probe_counts_once_and_only_if_it_is_the_one_awaited() -> None:
    """Properties 3 and 4."""
    driven = Driven().half_opened()
    driven.send(ProbeStarted())
    awaited = ProbeEnded(7, driven.breaker.gen, driven.breaker.probes, TOLD_NOTHING)
    for other in (
        ProbeEnded(8, awaited.gen, awaited.n, SUCCEEDED),
        ProbeEnded(7, awaited.gen - 1, awaited.n, FAILED),
        ProbeEnded(7, awaited.gen, awaited.n + 1, FAILED),
    ):
        held = driven.breaker
        driven.send(other)
        assert driven.breaker == held
    driven.send(awaited)
    driven.send(awaited)
    assert driven.breaker.inconclusive == 1


def test_a_second_probe_does_not_start_beside_the_first() -> None:
    driven = Driven().half_opened()
    driven.send(ProbeStarted())
    held = driven.breaker
    driven.send(ProbeStarted())
    assert driven.breaker == held


def test_what_comes_late_neither_closes_nor_extends_nor_is_told_twice() -> None:
    """Property 11."""
    driven = Driven().opened()
    until = driven.breaker.open_until
    for gen in (1, 2):
        driven.outcomes("S" * 50 + "F" * 50, gen=gen)
    assert (driven.state, driven.breaker.open_until) == (BreakerState.OPEN, until)
    assert driven.path == ["closed>open"]
    assert driven.breaker.counts.all == 203


def test_a_hundred_timeouts_from_before_the_opening_change_nothing_later() -> None:
    """Property 12: delivered half-open, and just after the closing."""
    driven = Driven().half_opened()
    driven.outcomes("F" * 100, gen=1)
    assert driven.state == BreakerState.HALF_OPEN
    driven.probe(SUCCEEDED)
    driven.probe(SUCCEEDED)
    driven.outcomes("F" * 100, gen=1)
    driven.outcomes("F" * 100, gen=3)
    assert driven.state == BreakerState.CLOSED
    assert (driven.breaker.window.totals.n, driven.breaker.run.seconds) == (0, ())
    assert driven.path == ["closed>open", "open>half_open", "half_open>closed"]


def test_a_token_of_another_epoch_is_of_another_generation() -> None:
    driven = Driven()
    delta = Delta(key="a/b/c", epoch=6, gen=1, second=int(T), fail=5, segment=Segment(leading=5, trailing=5, longest=5))
    driven.send(Outcomes(delta))
    assert (driven.state, driven.breaker.counts.fail) == (BreakerState.CLOSED, 5)


def test_throttled_calls_open_by_a_share_of_their_own_and_leave_rate_and_run_alone() -> None:
    """T2b: more than half of at least twenty."""
    driven = Driven()
    driven.outcomes("S" * 10 + "T" * 10)
    assert (driven.state, driven.breaker.window.totals.n, driven.breaker.run.seconds) == (BreakerState.CLOSED, 10, ())
    driven.outcomes("T")
    assert (driven.state, driven.transitions[0].reason) == (BreakerState.OPEN, "throttle_share")


def test_a_backlog_from_long_ago_does_not_open() -> None:
    driven = Driven()
    backlog = Segment(leading=9, trailing=9, longest=9)
    driven.send(Outcomes(Delta(key="a/b/c", epoch=7, gen=1, second=int(T) - 300, fail=9, segment=backlog)))
    assert driven.state == BreakerState.CLOSED


def test_one_process_alone_does_not_open_where_two_are_wanted_and_there() -> None:
    driven = Driven(min_distinct_workers=2)
    driven.outcomes("FFFFF", worker="a", workers=2)
    assert driven.state == BreakerState.CLOSED
    driven.outcomes("F", worker="b", workers=2)
    assert driven.state == BreakerState.OPEN
    alone = Driven(min_distinct_workers=2)
    alone.outcomes("FFF", worker="a", workers=1)
    assert alone.state == BreakerState.OPEN


def test_a_busy_key_is_ramped_after_a_closing_and_a_quiet_one_is_not() -> None:
    """T12: more than five calls a second before it opened."""
    for per_second, ramped in ((4, False), (6, True)):
        driven = Driven()
        for _ in range(20):
            driven.row(SUCCESS, ok=per_second)
            driven.now += 1
        driven.now -= 1
        driven.half_opened()
        driven.probe(FAILED)
        driven.now = driven.breaker.open_until or 0.0
        driven.probe(SUCCEEDED)
        driven.probe(SUCCEEDED)
        assert (driven.breaker.ramp_since is not None) is ramped


def test_an_operators_word_holds_from_any_state_and_ends_the_probe_in_flight() -> None:
    """T11."""
    for target in (BreakerState.FORCED_OPEN, BreakerState.DISABLED, BreakerState.CLOSED):
        driven = Driven().half_opened()
        driven.send(ProbeStarted())
        late = ProbeEnded(7, driven.breaker.gen, driven.breaker.probes, SUCCEEDED)
        driven.send(Forced(target, "drill"))
        held = driven.breaker
        driven.send(late)
        assert driven.breaker == held
        assert (driven.state, driven.breaker.awaited) == (target, None)


def test_forced_states_count_and_never_move_by_themselves() -> None:
    for target in (BreakerState.FORCED_OPEN, BreakerState.DISABLED):
        driven = Driven()
        driven.send(Forced(target, "drill"))
        driven.outcomes("F" * 100)
        driven.now += 1e6
        driven.send(Tick())
        assert (driven.state, driven.breaker.counts.fail) == (target, 100)


def test_every_change_raises_the_generation_and_is_told_with_its_counts() -> None:
    driven = Driven()
    driven.outcomes("SFFF")
    told = driven.transitions[0]
    assert (told.source, told.target, told.reason) == (BreakerState.CLOSED, BreakerState.OPEN, "consecutive_failures")
    assert (told.counts.ok, told.counts.fail, told.run, told.gen, told.at) == (1, 3, 3, 2, T)


def test_a_breaker_goes_on_from_what_was_last_seen_under_a_token_of_its_own() -> None:
    half_open = resumed(BreakerState.HALF_OPEN, epoch=0, k=2, open_until=None, now=T)
    assert half_open.probe_due(T)
    opened = resumed(BreakerState.OPEN, epoch=0, k=1, open_until=T + 5, now=T)
    assert step(opened, Tick(), now=T + 5, chance=0, settings=BreakerSettings())[0].state is BreakerState.HALF_OPEN
