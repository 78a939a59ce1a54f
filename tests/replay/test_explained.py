"""Every recorded question is explained, at each of its events, and the tale says what happened."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import WorkflowHistory
from temporalio.converter import PayloadCodec

from pointsman.connection import DATA_CONVERTER
from pointsman.contract import RouteAndAnswer
from pointsman.errors import UnreadablePayload
from pointsman.story.facts import Answered, Ended, Fact
from pointsman.story.history import read_facts, workflow_type
from pointsman.story.story import Story
from pointsman.story.text import story_text

ALPHA = "alpha (openai/model-2026-01-01)"
UNDECIDED = "the answers differ, and none outweighs the others (alpha is 0.80 sure, beta 0.80)"
BESIDES = "is asked besides, which the question neither waits nor pays for (shadowed_question-0.1.0/shadow)"
_NOW = datetime(2026, 12, 1, tzinfo=UTC)


def _history(path: Path) -> WorkflowHistory:
    return WorkflowHistory.from_json("q-1", path.read_text(encoding="utf-8"))


QUESTIONS = {
    path.stem.rpartition("-")[0]: path
    for path in sorted((Path(__file__).parent / "histories").glob("*.json"))
    if workflow_type(_history(path).events[0]) == RouteAndAnswer.__name__
}


async def _facts(name: str, upto: int | None = None) -> tuple[Fact, ...]:
    return await read_facts(_history(QUESTIONS[name]).events[:upto], DATA_CONVERTER)


async def _told(name: str) -> list[str]:
    return story_text(Story.of("q-1", await _facts(name), now=_NOW)).splitlines()


def _happened(lines: list[str]) -> list[str]:
    """The steps without their times."""
    begin = lines.index("What happened") + 1
    return [line[14:].strip() for line in lines[begin : lines.index("", begin)]]


def test_questions_of_every_shape_are_recorded() -> None:
    assert len(QUESTIONS) >= 26


@pytest.mark.parametrize("name", QUESTIONS)
async def test_a_recorded_question_is_explained_whole(name: str) -> None:
    facts = await _facts(name)
    story = Story.of("q-1", facts, now=_NOW)
    end = facts[-1]
    assert isinstance(end, Answered | Ended)
    assert (story.unreadable, story.under_way, story.ended_at) == (0, (), end.at)
    assert story.decision is not None
    text = story_text(story)
    assert all(
        candidate.provider in text and f"{candidate.score:.3f}" in text for candidate in story.decision.candidates
    )
    assert text.count(", attempt ") >= len(story.attempts) > 0
    if isinstance(end, Answered):
        assert end.answer is not None
        assert (story.attempts, story.cost_known) == (end.answer.attempts, end.answer.cost_known)
        assert story.cost_usd == pytest.approx(end.answer.cost_usd)
    assert [step.at for step in story.steps] == sorted(step.at for step in story.steps)


@pytest.mark.parametrize("name", QUESTIONS)
async def test_a_question_is_explained_at_each_of_its_events(name: str) -> None:
    for upto in range(1, len(_history(QUESTIONS[name]).events)):
        story = Story.of("q-1", await _facts(name, upto), now=_NOW)
        assert story.status in {"routing", "awaiting_review"}
        assert story_text(story).startswith("q-1: ")


class _Changing(PayloadCodec):
    """Reads each payload otherwise than it was written."""

    def __init__(self, change: Callable[[Payload], Payload]) -> None:
        self._change = change

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return list(payloads)

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._change(payload) for payload in payloads]


def _without_key(_payload: Payload) -> Payload:
    raise UnreadablePayload("a payload is encrypted with the key 'k1', which this process does not have")


def _strange(_payload: Payload) -> Payload:
    """A record that this version does not know."""
    return Payload(metadata={"encoding": b"json/plain"}, data=b'{"attempts": 7, "fault": [], "attempt": "none"}')


def _broken(_payload: Payload) -> Payload:
    return Payload(metadata={"encoding": b"json/plain"}, data=b"{")


async def _unread(name: str, change: Callable[[Payload], Payload], upto: int | None = None) -> Story:
    reading = dataclasses.replace(DATA_CONVERTER, payload_codec=_Changing(change))
    facts = await read_facts(_history(QUESTIONS[name]).events[:upto], reading)
    return Story.of("q-1", facts, now=_NOW)


@pytest.mark.parametrize("change", [_without_key, _strange, _broken])
@pytest.mark.parametrize("name", QUESTIONS)
async def test_a_reader_who_can_read_nothing_is_told_so_and_nothing_false(
    name: str, change: Callable[[Payload], Payload]
) -> None:
    whole, story = Story.of("q-1", await _facts(name), now=_NOW), await _unread(name, change)
    text = story_text(story)
    # What has ended is not told as running, and what was paid not as free.
    assert (story.under_way, story.status, story.ended_at) == ((), whole.status, whole.ended_at)
    assert story.cost_known is False
    assert story.cost.startswith("at least ")
    assert "unexpected" not in text
    assert story.unread_because
    assert f"cannot be read here; the first one: {story.unread_because}" in text


async def test_the_missing_key_is_named() -> None:
    story = await _unread("plain", _without_key)
    assert story.unread_because == "a payload is encrypted with the key 'k1', which this process does not have"
    assert any("alpha has answered, and what it said cannot be read here" in step.text for step in story.steps)


@pytest.mark.parametrize("change", [_without_key, _strange, _broken])
async def test_of_failed_calls_whose_reason_cannot_be_read_the_cost_is_missing(
    change: Callable[[Payload], Payload],
) -> None:
    before_its_end = len(_history(QUESTIONS["all_failed"]).events) - 1
    story = await _unread("all_failed", change, before_its_end)
    assert (story.status, story.under_way, story.cost_known) == ("routing", (), False)
    told = [step.text for step in (await _unread("all_failed", change)).steps]
    assert [text.partition(",")[0] for text in told if "why cannot be read" in text] == [
        f"{name} has given no answer" for name in ("alpha", "beta", "gamma")
    ]


async def test_a_hedge_that_won_is_told_with_the_time_at_which_the_loser_was_cancelled() -> None:
    assert await _told("hedge_won_by_second") == [
        "q-1: answered by beta in 441 ms, about $0.000873; route hedge",
        "  What is 1 + 1?",
        "  asked 2026-11-30 08:41:38Z, to be answered within 60 s",
        "",
        "Where it goes, and why",
        "  simple_factual, confidence 0.70 by the rules; complexity 1, usual for such questions",
        "  chain query_types.simple_factual, in the order as written, declared figures",
        *(
            line
            for place, name in enumerate(("alpha", "beta", "gamma"), start=1)
            for line in (
                f"  {place}. {name} (openai/model-2026-01-01): score 0.473 = fit 0.500 - cost 0.026 - latency 0.000",
                "     strength 0.50, match 1.00, $0.00874 per 1,000 tokens, about $0.000813 an answer, 10 ms declared",
            )
        ),
        "",
        "What happened",
        "      +0.036 s  classified as simple_factual by the rules, confidence 0.70",
        "      +0.036 s  decided: alpha, beta, gamma, in this order",
        f"      +0.036 s  {ALPHA} is asked; a second one too if there is no answer within 300 ms",
        "      +0.341 s  no answer within 300 ms",
        "      +0.412 s  the retry budget grants a hedge",
        "      +0.412 s  beta (openai/model-2026-01-01) is asked too: a hedge",
        "      +0.424 s  beta has answered (attempt 1, +0.416 s to +0.424 s, $0.000060)",
        "      +0.441 s  the call to alpha is cancelled: beta was first",
        "      +0.441 s  the answer is given",
        "",
        "What it cost: about $0.000873",
        "  beta, attempt 1: answered, 1 ms; hedge; 10 tokens in, 5 out (reported), $0.000060",
        "  alpha, attempt 1: cancelled (hedge_lost), 416 ms; 13 tokens in, 80 out (estimated), about $0.000813",
    ]


async def test_a_review_is_told_with_what_differed_and_who_decided() -> None:
    lines = await _told("review_chosen")
    assert lines[0] == "q-1: answered by beta in 142 ms, $0.000120; route review; tagged divergent"
    assert "  high stakes: alpha, beta are asked at once, in reserve gamma; decided by tiered" in lines
    assert _happened(lines)[-8:] == [
        "beta has answered; 0.80 sure (attempt 1, +0.025 s to +0.039 s, $0.000060)",
        f"answers compared: undecided, {UNDECIDED}",
        "alpha | beta (compared by number, similarity 0.00)",
        "number: the numbers differ (alpha: '5'; beta: '6')",
        "a person is to decide within 3 d; after that the surest answer is given",
        "recorder chooses beta (by update)",
        "the answer is given",
        "chosen by recorder",
    ]


async def test_waiting_is_told_with_everybodys_reason() -> None:
    lines = await _told("waited_for_a_breaker")
    out = "; ".join(f"{name}: breaker_open, back in 1 s at the earliest" for name in ("alpha", "beta", "gamma"))
    assert lines[2].endswith("; waits where nobody can be asked")
    assert _happened(lines)[1:4] == [
        f"decided: nobody may be asked ({out})",
        "waits 1.61 s until a provider may be back",
        "decided anew: alpha, beta, gamma, in this order",
    ]


async def test_a_failure_is_told_with_every_providers_reason() -> None:
    lines = await _told("all_failed")
    assert lines[0] == (
        "q-1: failed after 98 ms, $0.000000. AllProvidersFailed: Every provider failed. alpha: http_503; "
        "beta: http_503; gamma: http_503. Worth asking again in 500 ms."
    )
    assert "alpha has failed: http_503 [http_503] (attempt 2, +0.047 s to +0.054 s, free)" in _happened(lines)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("killed_worker", "alpha, attempt 1: its worker left no word of it: activity Heartbeat timeout"),
        ("hedge_denied", "the retry budget denies a hedge"),
        ("charged_fallback", "the retry budget grants a further call"),
        ("panel_majority", "the call to alpha is cancelled: the vote is settled"),
        ("panel_leg_failed", "gamma (openai/model-2026-01-01) is asked in the place of one that failed"),
        ("review_own_text", "recorder writes an answer (by update)"),
        ("review_timed_out", "nobody has decided the review yet"),
        ("second_opinion", "gamma (openai/model-2026-01-01) is asked what kind of question this is"),
        ("breaker_open_at_start", "decided: beta, gamma, in this order (breaker_open:alpha)"),
        ("shadowed_question", f"openai/model-2026-11-01, the new model of alpha, {BESIDES}"),
    ],
)
async def test_a_step_is_told(name: str, line: str) -> None:
    assert line in _happened(await _told(name))


async def test_a_question_under_way_names_whom_it_waits_for_and_what_is_known_of_its_cost() -> None:
    facts = await _facts("plain", 7)
    story = Story.of("q-1", facts, now=facts[-1].at)
    assert (story.status, story.cost, story.cost_known) == ("routing", "at least $0.000000", False)
    assert story.under_way == ("alpha, asked 0 ms ago",)
