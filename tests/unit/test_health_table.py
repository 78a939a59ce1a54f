"""How the health of providers looks on a terminal."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from pointsman.cli.health_table import cooldown_words, event_lines, print_overview, span, state_words, window_words
from pointsman.health.breaker import BreakerState
from pointsman.health.events import HealthEvent, HealthLog
from pointsman.health.gauges import BudgetGauge, Gauges
from pointsman.health.overview import Cooldown, HealthOverview, KeyOverview, ProcessOverview
from pointsman.health.probe import ProbeOutcome
from pointsman.health.state import LastFailure, LastProbe
from pointsman.health.window import Counts

NOW = 1_796_083_200.0


def key(provider: str = "alpha", **fields: Any) -> KeyOverview:
    usual: dict[str, Any] = {
        "state": BreakerState.CLOSED,
        "since": NOW - 60,
        "window": Counts(ok=5),
        "median_ms": 120.0,
        "p95_ms": 480.0,
        "spent_today_usd": 0.25,
    }
    known = usual | fields
    return KeyOverview(key=f"{provider}/model", provider=provider, model="model", **known)


def told(*keys: KeyOverview) -> HealthOverview:
    budget = BudgetGauge(level=8.5, capacity=10, hedges_granted=2, hedges_denied=1)
    return HealthOverview(
        epoch=1,
        version=1,
        issued_at=NOW,
        active_workers=1,
        has_policy=True,
        budget_scale=1.0,
        budget=budget,
        keys=keys,
        processes=(ProcessOverview(worker_id="w", seen=NOW, gauges=Gauges(budget=budget)),),
    )


def test_a_row_tells_everything_about_a_provider(capsys: pytest.CaptureFixture[str]) -> None:
    beta = key(
        "beta",
        state=BreakerState.OPEN,
        since=NOW - 12,
        k=1,
        open_until=NOW + 290,
        window=Counts(),
        window_before=Counts(ok=1, fail=3),
        last_failure=LastFailure(at=NOW - 12, kind="http_503"),
        last_probe=LastProbe(at=NOW - 400, outcome=ProbeOutcome.SUCCESS),
        cap_usd=5.0,
        in_flight=2,
    )
    print_overview(told(key(), beta), NOW + 1)
    printed = capsys.readouterr().out
    rows = {line.split("│")[1].strip(): line for line in printed.splitlines() if line.startswith("│")}
    assert rows.keys() == {"alpha", "beta"}
    cells = [cell.strip() for cell in rows["beta"].split("│")[1:-1]]
    assert cells == [
        *("beta", "open, 4 min left", "13 s", "1 / 3 / 0", "http_503 13 s ago", "", "120 / 480 ms"),
        *("$0.2500 of $5", "2", "success 6 min ago"),
    ]
    assert "1 process reports; retry budget 8.5 of 10 tokens" in printed
    assert "hedges 2 granted, 1 denied" in printed
    assert "as of 2026-12-01 00:00:00Z, 1 s ago" in printed


def test_a_provider_with_two_models_has_a_row_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = key(), key(configured=False).model_copy(update={"key": "alpha/old[red]"})
    print_overview(told(first, second), NOW)
    printed = capsys.readouterr().out
    assert "alpha/model" in printed
    assert "alpha/old[red] (not configured)" in printed


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "closed"),
        ({"ramp_share": 0.4}, "closed, ramp at 40%"),
        ({"state": BreakerState.OPEN, "k": 2, "open_until": NOW + 30}, "open 2 times in a row, 30 s left"),
        ({"state": BreakerState.OPEN, "k": 1, "open_until": NOW - 3}, "open, 0 s left"),
        ({"state": BreakerState.HALF_OPEN, "probing": True}, "half open, probing"),
        ({"state": BreakerState.HALF_OPEN, "next_probe_at": NOW + 7}, "half open, next probe in 7 s"),
        ({"state": BreakerState.FORCED_OPEN}, "forced open"),
        ({"state": BreakerState.DISABLED}, "always admitted"),
    ],
)
def test_a_state_says_what_it_waits_for(fields: dict[str, Any], words: str) -> None:
    assert state_words(key(**fields), NOW) == words


def test_the_window_of_a_closed_key_is_what_it_holds_now() -> None:
    assert window_words(key(window=Counts(ok=7, fail=1, throttle=2))) == "7 / 1 / 2"


def test_all_cooldowns_are_named_with_what_is_left_of_them() -> None:
    cooling = key(
        cooldowns=(Cooldown(reason="quota", until=NOW - 1), Cooldown(reason="throttle", until=NOW + 12)),
        calls_left=2,
        flagged_in=1,
        capped_until=NOW + 7300,
    )
    assert cooldown_words(cooling, NOW) == "throttle 12 s left; flagged, 2 calls left; daily cost cap 2 h 1 min left"
    assert cooldown_words(key(calls_left=1, flagged_in=3), NOW) == "flagged, 1 call left in 3 processes"
    assert cooldown_words(key(), NOW) == ""


@pytest.mark.parametrize(
    ("seconds", "words"), [(-1, "0 s"), (59.4, "59 s"), (60, "1 min"), (3661, "1 h 1 min"), (90_000, "1 d 1 h")]
)
def test_a_span_is_in_words(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_events_have_a_line_each_with_a_readable_time() -> None:
    opened = HealthEvent(at=NOW, kind="opened", target="alpha/model", reason="consecutive_failures")
    rebased = HealthEvent(at=NOW + 61, kind="rebased", target="alpha/model", reason="analysis")
    assert event_lines(HealthLog(events=(opened, rebased))).splitlines() == [
        "2026-12-01 00:00:00Z  alpha/model opened: consecutive_failures",
        "2026-12-01 00:01:01Z  alpha/model rebased: analysis",
    ]
    assert event_lines(HealthLog()) == "nothing has happened yet"


def test_what_an_operator_or_a_process_wrote_stays_one_line_and_sends_a_terminal_nothing() -> None:
    note = "force_open by ada (gone\r\n2026-12-01 00:00:00Z  beta/model closed\x1b[2J\t\u2028)"
    log = HealthLog(events=(HealthEvent(at=NOW, kind="forced_open", target="al\npha", reason=note),))
    (line,) = event_lines(log).splitlines()
    assert line == (
        r"2026-12-01 00:00:00Z  al\x0apha forced_open: force_open by ada (gone\x0a2026-12-01 00:00:00Z  beta/model "
        r"closed\x1b[2J\x09\u2028)"
    )


def test_a_key_that_a_process_made_up_sends_a_terminal_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    print_overview(told(key("al\x1b[2Jpha")), NOW)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert r"al\x1b[2Jpha" in shown


@pytest.mark.parametrize("width", [36, 50, 64, 80, 100, 120, 140, 160])
def test_a_narrow_terminal_shows_fewer_columns_and_cuts_no_word(width: int) -> None:
    ill = key(
        "frontier-provider-9",
        state=BreakerState.OPEN,
        open_until=NOW + 300,
        last_failure=LastFailure(at=NOW - 12, kind="http_503"),
        cooldowns=(Cooldown(reason="throttle", until=NOW + 40),),
        cap_usd=5.0,
    )
    written = StringIO()
    print_overview(told(key("frontier-provider-1"), ill), NOW, Console(width=width, file=written))
    lines = [line for line in written.getvalue().splitlines() if line.startswith(("│", "┃"))]
    words = {word for line in lines for word in re.split(r"[│┃\s]+", line)}
    assert {"provider", "state", "frontier-provider-1", "frontier-provider-9", "closed", "open,", "left"} <= words
    assert len({len(line) for line in lines}) == 1
    if width >= 50:
        assert len(lines[0]) <= width
        assert {"throttle"} <= words
    if width >= 80:
        assert {"http_503", "failure"} <= words
    if width >= 120:
        assert {"flight", "today", "probe"} <= words
