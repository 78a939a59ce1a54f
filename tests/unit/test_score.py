"""The activity that decides, where what it does besides goes wrong."""

from __future__ import annotations

import pytest

from activities.planner import Planner
from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from activities.score import Score
from activities.shadowing import Shadowing
from pointsman.classification import of_type
from pointsman.decision import Decision, ShadowPlan
from pointsman.messages import Question
from pointsman.query_types import QueryType
from pointsman.steps import ScoringRequest
from tests.builders import configuration


class Broken(Shadowing):
    def plan(self, request: ScoringRequest, decision: Decision) -> ShadowPlan | None:
        del request, decision
        raise OverflowError("cannot convert float infinity to integer")


async def test_a_question_is_decided_though_no_shadow_of_it_can_be_planned(caplog: pytest.LogCaptureFixture) -> None:
    settings = configuration()
    health, catalogue = ProcessHealth.of(settings, "w"), ProcessCatalogue(settings)
    score = Score(settings, health.in_flight, Planner(health), catalogue, Broken(catalogue, lambda: 1))
    request = ScoringRequest(question=Question(prompt="hello"), classification=of_type(QueryType.ANALYSIS, 0.7))
    decided = await score.score(request)
    assert [candidate.provider for candidate in decided.candidates] == ["alpha", "beta"]
    assert decided.shadow is None
    assert "no shadow could be planned: OverflowError" in caplog.text
