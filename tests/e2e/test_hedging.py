"""Two real requests for one question: the loser's socket is closed, and nothing is asked twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from benchmarks.chaos.calls import call_of
from tests.e2e.conftest import PATIENCE_S, new_site
from tests.e2e.fleet import Ended, Fleet
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

DUE_S = 60.0
"""A reply that is due so late is only seen as the end of its connection."""
PAIRS = ("won", "lost", "down", "soon")
DIALECTS = {
    "won": ("openai", "openai/gpt-5.2-2026-08-15"),
    "lost": ("anthropic", "anthropic/claude-sonnet-5-20260801"),
    "down": ("gemini", "gemini/gemini-2.5-flash-001"),
    "soon": ("openai", "openai/gpt-5.2-2026-08-15"),
}


@pytest.fixture(scope="module")
def fleet(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    """One process; each task has two providers of its own, which are hedged after 0.3 s."""
    with new_site(loop, providers, tmp_path_factory.mktemp("hedging")) as site:
        fleet = Fleet(site, providers)
        latency = {"latency": {"p50_ms": 10, "p95_ms": 300}, "timeout_s": 2 * DUE_S}
        fleet.configure(
            {
                f"{pair}-{leg}": {"dialect": DIALECTS[pair][0], "model": DIALECTS[pair][1], **latency}
                for pair in PAIRS
                for leg in ("first", "second")
            },
            {pair: {"chain": [f"{pair}-first", f"{pair}-second"], "hedge": True} for pair in PAIRS},
        )
        fleet.start(1)
        yield fleet


def outcomes(ended: Ended) -> list[tuple[str, str, bool]]:
    return [(row.provider, row.outcome, row.hedge) for row in ended.attempts]


def cut_off(fleet: Fleet, name: str) -> Hit:
    """The one request of a leg that lost: closed by its client long before its reply was due."""
    (hit,) = fleet.providers.wait_for_hits_blocking(name, 1, PATIENCE_S, "aborted")
    assert hit.ended is not None
    assert hit.ended - hit.started < DUE_S / 2
    assert len(fleet.providers.hits(name)) == 1
    return hit


def test_f29_the_second_leg_wins_and_the_first_is_closed_before_its_reply_was_due(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    providers.script("won-first", Reply("too late", delay_s=DUE_S))
    providers.script("won-second", Reply("in time"))
    ended = fleet.ask("won")
    answer = ended.answered
    assert (answer.text, answer.provider, answer.route_reason) == ("in time", "won-second", "hedge")
    assert (answer.hedged, answer.hedge_won) == (True, True)
    assert sorted(outcomes(ended)) == [("won-first", "cancelled", False), ("won-second", "answered", True)]
    lost = cut_off(fleet, "won-first")
    (won,) = providers.hits("won-second")
    assert call_of(lost).activity != call_of(won).activity
    # What the loser had cost by then is on the bill, and nothing of it counts against its provider.
    assert all(row.cost_usd for row in ended.attempts)
    fleet.until(lambda: fleet.row("won-second").counts.ok)
    loser = fleet.row("won-first")
    assert (loser.state, loser.counts.all, loser.run) == ("closed", 0, 0)
    # The question has ended, so a request that were still to come would have come by the next question's end.
    providers.script("won-first", Reply("first"))
    assert fleet.ask("won").answered.text == "first"
    assert [call_of(hit).workflow for hit in providers.hits("won-first")] == ["won-1", "won-2"]


def test_f29_the_first_leg_may_win_after_all_and_the_second_is_closed(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    # The first answers once the second has been asked: its reply is due 3 s later than the hedge.
    providers.script("lost-first", Reply("slow and sure", delay_s=3))
    providers.script("lost-second", Reply("too late", delay_s=DUE_S))
    ended = fleet.ask("lost")
    answer = ended.answered
    assert (answer.text, answer.route_reason) == ("slow and sure", "primary")
    assert (answer.hedged, answer.hedge_won) == (True, False)
    assert sorted(outcomes(ended)) == [("lost-first", "answered", False), ("lost-second", "cancelled", True)]
    cut_off(fleet, "lost-second")
    assert len(providers.hits("lost-first")) == 1


def test_f29_no_hedge_has_won_where_both_legs_fail(fleet: Fleet, providers: ScriptedProviders) -> None:
    providers.script("down-first", Status(503, delay_s=3))
    providers.script("down-second", Status(503, delay_s=1))
    ended = fleet.ask("down")
    assert ended.failure is not None
    assert ended.failure.failure_type == "AllProvidersFailed"
    assert sorted(outcomes(ended)) == [("down-first", "failed", False), ("down-second", "failed", True)]
    assert [len(providers.hits(f"down-{leg}")) for leg in ("first", "second")] == [1, 1]


def test_a_hedge_starts_within_less_than_a_second(fleet: Fleet, providers: ScriptedProviders) -> None:
    """The first reply is due at 0.9 s: a timer that took a whole second would never be the first to end."""
    providers.script("soon-first", Reply("first", delay_s=0.9))
    providers.script("soon-second", Reply("second", delay_s=DUE_S))
    # On a busy machine even a timer of 0.3 s may once come too late.
    ended = fleet.until(lambda: again if (again := fleet.ask("soon")).answered.hedged else None)
    assert providers.hits("soon-second")
    (timer,) = (
        event.timer_started_event_attributes
        for event in fleet.history(ended.id)
        if event.HasField("timer_started_event_attributes")
    )
    assert timer.start_to_fire_timeout.ToMilliseconds() == 300
