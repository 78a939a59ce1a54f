"""A question's way in words, for the Temporal UI: one line for the list, and its details as Markdown.

The line quotes the question; the details hold names and figures only.
"""

from __future__ import annotations

import re

from pointsman.decision import Decision
from pointsman.messages import Answer, Question
from pointsman.phrases import attempted, passed_over, rejected, scored
from pointsman.printable import printable
from pointsman.review import PendingReview

_HEADLINE_CHARACTERS = 100
_HEADLINE_BYTES = 300
# Details hold 20,000 bytes; five answers and what differs take less.
_ANSWER_CHARACTERS = 1500
_ANSWER_BYTES = 2000
_ANSWER_LINES = 60
_DIFFERENCES_SHOWN = 10
# As JSON a control character takes six bytes of the 400 that a summary may have.
_CONTROL = re.compile(r"[\x00-\x1f]")


def headline(question: Question) -> str:
    """The question's first line after its task, cut to 100 characters and to what a summary holds (400 bytes)."""
    lines = question.text.strip().splitlines()
    text = f"{question.task}: " if question.task else ""
    text += lines[0] if lines else "(no text)"
    text = _CONTROL.sub(" ", text)
    short = text[:_HEADLINE_CHARACTERS].encode()[:_HEADLINE_BYTES].decode(errors="ignore")
    return text if short == text else f"{short}…"


def of_decision(decision: Decision) -> str:
    """Where the question goes and why."""
    kind = (
        f"**{decision.query_type}** ({decision.classifier}, confidence {decision.classification_confidence:.2f}), "
        f"chain `{decision.route}`"
    )
    order = [f"{place}. {scored(candidate)}" for place, candidate in enumerate(decision.candidates, start=1)]
    out = [f"- not {rejected(rejection)}" for rejection in passed_over(decision)]
    return "\n".join([kind, "", *(order or ["No provider may answer."]), *out])


def of_answer(answer: Answer) -> str:
    """Who answered, why he was asked, and what every attempt took and cost."""
    cost = "unknown cost" if answer.cost_usd is None else f"{answer.cost_usd:.6f} USD"
    verb = "refused" if answer.refused else "answered"
    first = f"**{answer.provider}** {verb} ({answer.route_reason}) in {answer.latency_ms:.0f} ms for {cost}"
    rows = [f"- {attempted(attempt)}" for attempt in answer.attempts]
    return "\n".join([first, "", *rows, "", of_decision(answer.decision)])


def of_review(pending: PendingReview) -> str:
    """What a person is to decide and how, with the first lines of each answer."""
    parts = [f"**Waits for a review**: {pending.why}. Decide by {pending.decide_by:%Y-%m-%d %H:%M} UTC.", ""]
    parts += [_quoted(pending.question), ""]
    for answer in pending.answers:
        parts += [f"**{answer.provider}** (confidence {answer.confidence:.2f})", "", _quoted(answer.text), ""]
    differing = "\n".join(difference.in_words for difference in pending.differences[:_DIFFERENCES_SHOWN])
    parts += [*(["Where they differ:", "", _quoted(differing)] if differing else [])]
    if pending.last_refused is not None:
        parts += ["", "The last review was not taken:", "", _quoted(pending.last_refused)]
    first = pending.answers[0].provider
    parts += [
        "",
        "Send the signal `submit_review` with one of",
        "",
        f'    {{"choose": "{first}", "reviewer": "your name"}}',
        '    {"text": "an answer of your own", "reviewer": "your name"}',
        '    {"reject": true, "reviewer": "your name", "note": "why"}',
    ]
    return "\n".join(parts)


def _quoted(text: str) -> str:
    """As a block of code: what a model or a caller wrote is shown, and neither rendered nor obeyed."""
    whole = printable(text[: 2 * _ANSWER_CHARACTERS])
    short = whole[:_ANSWER_CHARACTERS].encode()[:_ANSWER_BYTES].decode(errors="ignore")
    lines = short.splitlines()
    cut = len(lines) > _ANSWER_LINES or short != whole or len(text) > 2 * _ANSWER_CHARACTERS
    return "\n".join(f"    {line}" for line in [*(lines[:_ANSWER_LINES] or [""]), *(["…"] if cut else [])])
