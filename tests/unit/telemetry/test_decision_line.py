"""A decision as one line of JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from pointsman.classification import of_type
from pointsman.messages import Question
from pointsman.query_types import QueryType
from pointsman.steps import ScoringRequest
from pointsman.telemetry.decision_line import decision_line
from tests.builders import configuration, decision, provider_table

SECRET = "the question's own\nwords"
SETTINGS = configuration(
    {"alpha": provider_table(), "beta": provider_table(), "tiny": provider_table(context_tokens=1)}
)


def line(*, with_prompt: bool = False) -> str:
    question = Question(prompt=SECRET, task=None)
    request = ScoringRequest(
        question=question,
        classification=of_type(QueryType.ANALYSIS, 0.7),
        question_id="q-1",
        asked_at=datetime(2026, 11, 30, tzinfo=UTC),
    )
    return decision_line(request, decision(question, SETTINGS), run_id="r-1", with_prompt=with_prompt)


def test_it_tells_choice_alternatives_rejected_and_breakdown_in_one_line() -> None:
    told: dict[str, Any] = json.loads(line())
    assert "\n" not in line()
    assert (told["workflow_id"], told["run_id"], told["at"]) == ("q-1", "r-1", "2026-11-30T00:00:00+00:00")
    assert told["choice"]["provider"] == "alpha"
    assert set(told["choice"]["terms"]) >= {"fit", "cost_penalty", "latency_penalty"}
    assert [other["provider"] for other in told["alternatives"]] == ["beta"]
    assert [(out["provider"], out["reason"]) for out in told["rejected"]] == [("tiny", "context_too_small")]
    assert told["catalogue_version"] is None
    assert told["weights"]["strength"] > 0


def test_the_prompt_stands_in_it_only_where_that_is_switched_on() -> None:
    assert "words" not in line()
    assert json.loads(line(with_prompt=True))["prompt"] == SECRET
