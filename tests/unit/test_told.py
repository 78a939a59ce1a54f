"""Health from a snapshot alone, as `pointsman route` decides by it."""

from __future__ import annotations

import pytest

from pointsman.circumstances import Circumstances
from pointsman.classification import of_type
from pointsman.health.breaker import BreakerState
from pointsman.health.measures import Figures
from pointsman.health.snapshot import KeyHealth, Snapshot
from pointsman.health.told import Told
from pointsman.hedge_delay import CallClass
from pointsman.messages import Question
from pointsman.query_types import QueryType
from pointsman.routing import decide
from pointsman.standing import NOTHING_MEASURED, WELL, Live
from tests.builders import configuration, provider_table

NOW = 1_796_083_200.0
MODEL = "openai/model-2026-01-01"
ALPHA = f"alpha/{MODEL}"
SETTINGS = configuration()


def told(health: KeyHealth | None = None, figures: Figures | None = None, **changes: object) -> Told:
    keys = {} if health is None else {ALPHA: health}
    known = {} if figures is None else {"alpha": {"analysis": figures}}
    snapshot = Snapshot(epoch=7, version=1, issued_at=NOW, keys=keys, figures=known)
    settings = configuration(**changes) if changes else SETTINGS  # type: ignore[arg-type]
    return Told(snapshot, settings, "a question", NOW)


def test_an_open_provider_is_out_and_says_when_it_may_be_back() -> None:
    standing = told(KeyHealth(state=BreakerState.OPEN, gen=3, open_until=NOW + 40)).standing("alpha", MODEL)
    assert (standing.barred, standing.recovers_in_s) == ("breaker_open", 40.0)
    assert (standing.epoch, standing.gen) == (7, 3)


def test_a_provider_that_the_entity_does_not_know_is_well() -> None:
    assert told().standing("beta", MODEL) == WELL.model_copy(update={"epoch": 7, "gen": 1})


def test_a_cooling_one_comes_last_and_is_still_a_candidate() -> None:
    health = told(KeyHealth(cooldown_until=NOW + 9, cooldown_reason="throttle"))
    decision = decide(
        Question(prompt="hello"), of_type(QueryType.ANALYSIS, 0.5), SETTINGS, Circumstances(health=health)
    )
    assert [candidate.provider for candidate in decision.candidates] == ["beta", "alpha"]
    assert decision.reason == "cooldown:alpha"


@pytest.mark.parametrize(("n", "live"), [(19, NOTHING_MEASURED), (20, Live(p50_ms=300.0, error_rate=0.1))])
def test_live_figures_stand_in_from_twenty_successes(n: int, live: Live) -> None:
    figures = Figures(n=n, median_ms=300.0, p95_ms=400.0, error_rate=0.1)
    assert told(figures=figures).live("alpha", QueryType.ANALYSIS) == live


@pytest.mark.parametrize(("n", "delay_s"), [(19, 1.0), (20, 0.4)])
def test_the_hedge_delay_is_the_declared_p95_until_it_is_measured(n: int, delay_s: float) -> None:
    figures = Figures(n=n, median_ms=300.0, p95_ms=400.0)
    health = told(figures=figures)
    delay = health.hedge_delay_s(CallClass("alpha", MODEL, QueryType.ANALYSIS, 0), static_s=1.0, timeout_s=25)
    assert delay == pytest.approx(delay_s)


def test_without_hedges_there_is_no_delay() -> None:
    health = told(providers={"alpha": provider_table()}, hedging={"max_hedges": 0})
    assert health.hedge_delay_s(CallClass("alpha", MODEL, QueryType.ANALYSIS, 0), static_s=1.0, timeout_s=25) is None
