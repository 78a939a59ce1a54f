"""Reviews that come early, in time, twice, too late, or unreadable."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from pointsman.review import MAX_TEXT_BYTES, PendingReview, ProposedAnswer, Review, read_review, shown
from pointsman.review_desk import ReviewDesk
from tests.builders import NOON

A = {"choose": "alpha", "reviewer": "ada"}
LATER = NOON + timedelta(hours=3)


def _pending() -> PendingReview:
    return PendingReview(
        question="How many?",
        why="the answers differ",
        answers=tuple(ProposedAnswer(provider=name, model="m", text="5", confidence=0.8) for name in ("alpha", "beta")),
        opened_at=NOON,
        decide_by=NOON + timedelta(days=3),
        on_timeout="best",
    )


def _open(schema: dict[str, Any] | None = None) -> ReviewDesk:
    desk = ReviewDesk(schema)
    desk.open(_pending(), NOON)
    return desk


def test_a_decision_in_time_is_taken_and_kept_with_its_reviewer() -> None:
    desk = _open()
    assert desk.waits
    desk.submit({**A, "note": "beta forgot one"}, LATER)
    assert not desk.waits
    record = desk.record(LATER)
    assert (record.outcome, record.provider, record.reviewer, record.note) == (
        *("chosen", "alpha", "ada", "beta forgot one"),
    )
    assert (record.opened_at, record.decided_at) == (NOON, LATER)


def test_an_early_decision_is_kept_until_the_question_waits() -> None:
    desk = ReviewDesk()
    desk.submit({"choose": "gamma"}, NOON)
    desk.submit(A, NOON)
    assert desk.decision is None
    desk.open(_pending(), LATER)
    assert desk.decision == Review(choose="alpha", reviewer="ada")
    assert desk.ignored == ["choose: 'gamma' gave no answer; choose alpha or beta"]


def test_a_flood_of_early_decisions_takes_no_more_room_than_ten() -> None:
    desk = ReviewDesk()
    for _ in range(1000):
        desk.submit(A, NOON)
    assert len(desk.early) == 10


def test_the_second_decision_is_noted_and_ignored() -> None:
    desk = _open()
    desk.submit(A, NOON)
    assert desk.refusal({"reject": True}) == "the question has been decided already by ada"
    desk.submit({"reject": True}, LATER)
    record = desk.record(LATER)
    assert (record.outcome, record.ignored) == ("chosen", ("the question has been decided already by ada",))


def test_nothing_is_taken_after_the_end() -> None:
    desk = _open()
    desk.close()
    desk.submit(A, LATER)
    assert desk.decision is None
    assert desk.record(LATER).outcome == "timed_out"
    assert desk.record(LATER).ignored == ("the question does not wait for a review",)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "exactly one"),
        ({"choose": "alpha", "reject": True}, "exactly one"),
        ({"choose": "gamma"}, "choose: 'gamma' gave no answer; choose alpha or beta"),
        ({"chose": "alpha"}, "chose: unknown key"),
        ({"text": "  "}, "text is empty"),
        ({"text": "\ud800"}, "text"),
        ({"text": "x" * (MAX_TEXT_BYTES + 1)}, "shorten"),
        ("alpha", "object"),
        (None, "object"),
        ([A], "object"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence_and_noted(sent: object, told: str) -> None:
    desk = _open()
    refusal = desk.refusal(sent)
    assert refusal is not None
    assert told in refusal
    desk.submit(sent, NOON)
    assert desk.waits
    assert desk.pending is not None
    assert desk.pending.last_refused == refusal


def test_a_reviewers_own_text_must_match_the_questions_schema() -> None:
    desk = _open({"type": "object", "required": ["n"]})
    assert "response_schema" in (desk.refusal({"text": "five"}) or "")
    assert "response_schema" in (desk.refusal({"text": '{"m": 5}'}) or "")
    desk.submit({"text": '{"n": 5}'}, NOON)
    assert desk.record(NOON).outcome == "own_text"


def test_only_the_latest_ten_are_kept_of_those_ignored() -> None:
    desk = _open()
    for number in range(30):
        desk.submit({"choose": f"nobody-{number}"}, NOON)
    assert len(desk.record(NOON).ignored) == 10
    assert "nobody-29" in desk.record(NOON).ignored[-1]


def test_a_long_answer_is_shown_cut_with_a_mark() -> None:
    assert shown("short") == "short"
    assert shown("ü" * 10, 5) == "üü [... cut: 20 bytes in all]"


def test_a_review_reads_back_as_it_was_sent() -> None:
    review = Review(text="five", reviewer="ada")
    assert read_review(review.model_dump(mode="json")) == review
