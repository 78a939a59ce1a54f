"""A question's way from facts: what no recorded history holds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from pointsman.call import FailedCall
from pointsman.classification import of_type
from pointsman.messages import Question
from pointsman.outcomes import ErrorClass, Fault, Usage
from pointsman.phrases import paid, span, standing_words
from pointsman.query_types import QueryType
from pointsman.review import Review
from pointsman.standing import Standing
from pointsman.steps import Classified
from pointsman.story.facts import (
    Announced,
    Asked,
    CallCancelled,
    Called,
    CallEnded,
    CancelRequested,
    ClassifiedAs,
    Decided,
    Ended,
    Fact,
    ReviewOpened,
    ReviewSent,
    ShadowStarted,
    StepFailed,
    TaskFailed,
    Unreadable,
)
from pointsman.story.story import Story
from pointsman.story.text import story_text
from tests.builders import NOON, attempt, completion, configuration, decision, provider_table

LATER = NOON + timedelta(seconds=2)
ASKED = Asked(NOON, Question(prompt="Why?", task="extract", tenant="blue", max_cost_usd=0.5, deny=("c",)), "run")


def _call(leg: int = 1, provider: str = "alpha") -> Called:
    return Called(LATER, leg, provider, "m-1", "answer", hedge=False, hedge_delay_s=None)


def _story(*facts: Fact) -> Story:
    return Story.of("q-1", (ASKED, *facts), now=LATER)


def _steps(*facts: Fact) -> list[str]:
    return [step.text for step in _story(*facts).steps]


def test_the_question_is_told_with_its_limits() -> None:
    assert story_text(_story()).splitlines()[:3] == [
        "q-1: under way, 2 s after it was asked; $0.000000 so far",
        "  extract: Why?",
        "  asked 2026-11-30 12:00:00Z, to be answered within 60 s; task extract; tenant blue; at most $0.5; denied c",
    ]


def test_flags_and_another_model_are_told_of_an_answer() -> None:
    told = completion(flags=("latency", "length"), degraded=True, model_notes=("model_differs",), model_served="m-2")
    assert _steps(_call(), CallEnded(LATER, 1, told, LATER))[1].startswith(
        "alpha has answered; flagged against its own baseline for latency, length, and it cools down; "
        "model differs: m-2 was served (attempt 1, +2.000 s to +2.000 s"
    )


def test_a_call_that_was_not_made_is_no_failure_of_its_provider() -> None:
    fault = Fault(error_class=ErrorClass.LOCAL, kind="breaker_open", summary="its breaker is open", retry_after_s=30)
    steps = _steps(_call(), CallEnded(LATER, 1, FailedCall(fault=fault, attempts=())))
    assert steps[1] == "alpha was not called: its breaker is open [breaker_open]; worth another try in 30 s"


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("no_worker", "no worker took the call to alpha in time"),
        ("worker_lost", "the worker that called alpha vanished, which is nobody's failure"),
        ("deadline", "the question's deadline ended the call to alpha"),
        ("cancelled", "the call to alpha is closed"),
    ],
)
def test_a_call_that_temporal_ended_is_told_as_that(how: Any, text: str) -> None:
    story = _story(_call(), CallEnded(LATER, 1, how))
    assert story.steps[1].text == text
    # A call that was never made costs nothing; of the others nobody has told the cost.
    assert story.cost_known == (how == "no_worker")


def test_a_cancelled_question_lacks_the_cost_of_what_was_cut_off() -> None:
    answered = CallEnded(LATER, 1, completion(attempts=(attempt(cost_usd=0.25),)))
    story = _story(
        _call(), answered, _call(2, "beta"), CancelRequested(LATER), CallCancelled(LATER, 2), Ended(LATER, "cancelled")
    )
    assert [step.text for step in story.steps][-3:] == [
        "somebody asks for it to be cancelled",
        "the call to beta is cancelled: the question is cancelled",
        "the question is cancelled",
    ]
    assert (story.status, story.outcome) == ("cancelled", "cancelled after 2 s, at least $0.250000.")
    assert "is not in this sum" in story_text(story)


def test_a_terminated_question_is_told_with_the_reason() -> None:
    story = _story(Ended(LATER, "terminated", message="cleaning up"))
    assert (story.status, story.outcome) == ("cancelled", "terminated after 2 s, $0.000000. cleaning up.")


def test_a_review_waits_and_a_second_one_comes_too_late() -> None:
    steps = _steps(
        ReviewOpened(NOON),
        Announced(NOON, told=False),
        ReviewSent(NOON, None, by_signal=True),
        ReviewSent(LATER, Review(reject=True, reviewer="ada", note="both are wrong"), by_signal=True),
        ReviewSent(LATER, Review(choose="beta"), by_signal=False),
    )
    assert steps == [
        "a person is to decide",
        "the webhook was not told of the review",
        "a review came that cannot be read (by signal)",
        "ada rejects all answers: both are wrong (by signal)",
        "somebody chooses beta (by update), too late: it was decided before",
    ]
    assert _story(ReviewOpened(NOON)).status == "awaiting_review"


def test_what_went_wrong_inside_is_told() -> None:
    assert _steps(StepFailed(NOON, "score", "boom"), TaskFailed(NOON, "no such module"), ShadowStarted(LATER, "")) == [
        "the step score failed: boom",
        "a worker could not go on, and one tries again: no such module",
        "a new model was to be asked besides, and its workflow could not be started",
    ]


def test_what_cannot_be_read_is_counted() -> None:
    text = story_text(Story.of("q-1", (Asked(NOON, None, "run"), Unreadable(NOON, "Question")), now=LATER))
    assert "the question cannot be read here" in text
    assert "1 of its payloads cannot be read here" in text


def test_rejections_and_reasons_for_complexity_are_told() -> None:
    slow = provider_table(latency={"p50_ms": 9000, "p95_ms": 9000})
    settings = configuration({"alpha": provider_table(), "beta": slow}, classification={"by": "model"})
    lines = story_text(_story(Decided(NOON, decision(settings=settings)))).splitlines()
    assert "  not beta: over_latency, 9000 ms, 5000 ms allowed" in lines
    assert "  analysis, confidence 0.70 by the rules; complexity 1.41 (kind: analysis +0.38, length +0.03)" in lines


def test_who_classified_is_told() -> None:
    classified = Classified(classification=of_type(QueryType.CODE_TASK, 1.0, classifier="route"))
    assert _steps(ClassifiedAs(NOON, classified)) == ["classified as code_task by its task, confidence 1.00"]


def test_what_somebody_wrote_steers_no_terminal() -> None:
    review = Review(choose="beta", reviewer="a\x1b[2Jda", note="one\ntwo")
    text = story_text(_story(ReviewSent(NOON, review, by_signal=True)))
    assert "\x1b" not in text
    assert "a\\x1b[2Jda chooses beta: one\\x0atwo" in text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0304, "30 ms"), (1.63, "1.63 s"), (60, "60 s"), (300, "5 min"), (7380, "2 h 3 min"), (259_200, "3 d")],
)
def test_a_duration_is_told_as_precisely_as_needed(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_a_cost_is_told_with_how_it_is_known() -> None:
    estimated = Usage(source="estimated")
    rows = [
        attempt(cost_usd=None),
        attempt(cost_usd=0.0),
        attempt(cost_usd=0.1),
        attempt(cost_usd=0.1, usage=estimated),
    ]
    assert [paid(row) for row in rows] == ["unknown cost", "free", "$0.100000", "about $0.100000"]


def test_the_health_of_a_candidate_is_told() -> None:
    assert [
        standing_words(found)
        for found in (
            Standing(),
            Standing(ramping=True),
            Standing(cooling="flagged", calls_left=3),
            Standing(cooling="throttle", recovers_in_s=30),
        )
    ] == [
        "",
        "just back, so that it gets only a share of the questions",
        "cooling down (flagged) for 3 more questions",
        "cooling down (throttle) for 30 s",
    ]
