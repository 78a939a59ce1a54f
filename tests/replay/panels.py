"""Histories of questions whose answers are compared, and of those that a person decides."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from temporalio.client import Client

from pointsman import PointsmanError, Question, Review, ReviewClient
from pointsman.outcomes import ErrorClass
from tests.builders import QUERY_TYPES
from tests.fakes import HANG, Fleet, Later, failing, reply
from tests.replay.asking import Meanwhile, Scenario, asked
from tests.workflows.conftest import configuration
from workers.embedded.temporal_server import TemporalServer


async def _compared(
    server: TemporalServer, said: dict[str, Any], meanwhile: Meanwhile | None = None, **changes: Any
) -> str:
    """A question of high stakes; `said` are the steps of providers, `changes` those of the route and of tables."""
    fleet = Fleet()
    for provider, step in said.items():
        fleet.script(provider, step)
    review = changes.pop("review", {})
    settings = configuration(query_types=dict.fromkeys(QUERY_TYPES, changes), review=review)
    question = Question(prompt="How many apples are left?", stakes="high")
    return await asked(server, fleet, question, settings, meanwhile=meanwhile)


def _five(confidence: float = 0.8) -> Any:
    return reply("The answer is 5.", confidence=confidence)


def _six(confidence: float = 0.8) -> Any:
    return reply("The answer is 6.", confidence=confidence)


def _decided(**review: Any) -> Meanwhile:
    """Somebody decides as soon as he can."""

    async def decide(client: Client, question_id: str) -> None:
        reviews = ReviewClient(client)
        for _ in range(200):
            with suppress(PointsmanError):
                await reviews.decide(question_id, Review(reviewer="recorder", **review))
                return
            await asyncio.sleep(0.1)

    return decide


async def panel_agrees(server: TemporalServer) -> str:
    return await _compared(server, {"alpha": _five(), "beta": _five()})


async def panel_margin(server: TemporalServer) -> str:
    return await _compared(server, {"alpha": _five(0.9), "beta": _six(0.5)})


async def panel_majority(server: TemporalServer) -> str:
    """Two of three agree, and the third is cut off."""
    said = {"alpha": HANG, "beta": _five(), "gamma": Later(0.5, _five())}
    return await _compared(server, said, fan_out=3, reconcile="majority")


async def panel_leg_failed(server: TemporalServer) -> str:
    """One fails and another stands in for it; the second that fails has to be paid for."""
    said = {"alpha": failing(ErrorClass.QUOTA, "out_of_quota", status=402), "beta": _five(), "gamma": _five()}
    return await _compared(server, said)


async def panel_unverifiable(server: TemporalServer) -> str:
    said = {name: failing(ErrorClass.QUOTA, "out_of_quota", status=402) for name in ("alpha", "beta")}
    return await _compared(server, {**said, "gamma": _five()})


async def review_chosen(server: TemporalServer) -> str:
    return await _compared(server, {"alpha": _five(), "beta": _six()}, _decided(choose="beta"))


async def review_own_text(server: TemporalServer) -> str:
    return await _compared(server, {"alpha": _five(), "beta": _six()}, _decided(text="It is 7."))


async def review_timed_out(server: TemporalServer) -> str:
    """Reminded of once, and then nobody has decided."""
    return await _compared(server, {"alpha": _five(), "beta": _six()}, review={"remind_after": 1.0, "timeout": 1.5})


SCENARIOS: dict[str, Scenario] = {
    "panel_agrees": panel_agrees,
    "panel_margin": panel_margin,
    "panel_majority": panel_majority,
    "panel_leg_failed": panel_leg_failed,
    "panel_unverifiable": panel_unverifiable,
    "review_chosen": review_chosen,
    "review_own_text": review_own_text,
    "review_timed_out": review_timed_out,
}
