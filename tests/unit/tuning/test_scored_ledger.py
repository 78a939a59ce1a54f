"""The ledger joined with scores."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.errors import InvalidOutcomes
from pointsman.ledger.entry import LedgerEntry
from pointsman.query_types import QueryType
from pointsman.tuning.outcomes import Outcome, Outcomes
from pointsman.tuning.scored_ledger import joined, scores
from tests.builders import ledger_entry


def join(found: list[dict[str, Any]], *entries: LedgerEntry) -> Outcomes:
    return joined(scores(enumerate(found, start=1)), entries)


def answered(question: str, provider: str, **fields: Any) -> LedgerEntry:
    return ledger_entry(workflow_id=question, provider=provider, leg=f"leg-{provider}", **fields)


BOTH = [{"workflow_id": "q1", "score": 0.5}, {"workflow_id": "q2", "score": 1}]


def test_a_score_goes_to_who_answered_and_failed_attempts_of_the_same_provider_cost_too() -> None:
    found = join(
        BOTH,
        answered("q1", "alpha", outcome="failed", cost_nano_usd=1_000_000_000),
        ledger_entry(2, workflow_id="q1", provider="alpha", latency_ms=70.0, query_type="code_task"),
        answered("q1", "beta", outcome="failed"),
        answered("q2", "beta"),
    )
    assert found.providers == ("alpha", "beta")
    assert found.asked[0].outcomes == (Outcome(0.5, 1.001, 70.0, 5.0), None)
    assert found.asked[0].query_type == QueryType.CODE_TASK


def test_where_several_answered_the_score_names_the_provider() -> None:
    entries = (answered("q1", "alpha"), answered("q1", "beta"))
    named = [{"id": "q1", "score": 0.25, "provider": "alpha"}, {"id": "q1", "score": 1, "provider": "beta"}]
    assert join(named, *entries).complete
    with pytest.raises(InvalidOutcomes, match=r"1 are of questions that several providers answered"):
        join([{"workflow_id": "q1", "score": 1}], *entries)


def test_answers_of_unknown_cost_are_left_out_and_counted() -> None:
    found = join(
        [*BOTH, {"workflow_id": "q3", "score": 1}],
        answered("q1", "alpha"),
        answered("q2", "beta"),
        answered("q3", "beta", cost_nano_usd=None),
    )
    assert "1 scores are of answers whose cost is unknown" in found.notes


def test_calls_that_measured_or_classified_are_no_answers() -> None:
    with pytest.raises(InvalidOutcomes, match="the ledger has no answer of"):
        join(BOTH, answered("q1", "alpha", purpose="classification"), answered("q2", "beta", purpose="probe"))


def test_scores_of_strangers_are_counted() -> None:
    found = join([*BOTH, {"workflow_id": "else", "score": 1}], answered("q1", "alpha"), answered("q2", "beta"))
    assert "1 scores are of questions that the ledger has no answer of" in found.notes


@pytest.mark.parametrize("bad", [{"workflow_id": "q"}, {"score": 1}, {"workflow_id": "q", "score": "nan"}])
def test_a_bad_score_is_told_with_its_line(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidOutcomes, match="line 1: "):
        scores([(1, bad)])


def test_no_scores_are_refused() -> None:
    with pytest.raises(InvalidOutcomes, match="it is empty"):
        scores([])
