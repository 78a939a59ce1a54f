"""A story as a person reads it, line by line; what came from elsewhere cannot steer his terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.decision import Decision
from pointsman.messages import Question
from pointsman.narrative import headline
from pointsman.outcomes import Attempt
from pointsman.phrases import attempted, classifier_words, paid, passed_over, rejected, score_terms, scored, span
from pointsman.printable import one_line
from pointsman.story.story import Story


def story_text(story: Story) -> str:
    """What it came to, where it goes and why, what happened, and what it cost."""
    parts = [list(_head(story)), list(_where(story)), list(_steps(story)), list(_costs(story))]
    return "\n\n".join("\n".join(one_line(line) for line in part) for part in parts if part)


def _head(story: Story) -> Iterator[str]:
    yield f"{story.id}: {story.outcome}"
    if story.question is not None:
        yield f"  {headline(story.question)}"
        yield f"  asked {story.asked_at:%Y-%m-%d %H:%M:%S}Z, {_wanted(story.question)}"
    else:
        yield f"  asked {story.asked_at:%Y-%m-%d %H:%M:%S}Z; the question cannot be read here"
    for call in story.under_way:
        yield f"  waits for {call}"
    if story.unreadable:
        because = f"; the first one: {story.unread_because}" if story.unread_because else ""
        yield f"  {story.unreadable} of its payloads cannot be read here{because}"


def _wanted(question: Question) -> str:
    facts = {
        "task": question.task,
        "stakes": question.stakes,
        "tenant": question.tenant,
        "at most": None if question.max_cost_usd is None else f"${question.max_cost_usd:g}",
        "allowed": None if question.allow is None else ", ".join(question.allow),
        "denied": ", ".join(question.deny) or None,
    }
    given = [f"{name} {value}" for name, value in facts.items() if value is not None]
    given += ["waits where nobody can be asked"] if question.on_exhausted == "wait" else []
    return "; ".join([f"to be answered within {span(question.deadline_s)}", *given])


def _where(story: Story) -> Iterator[str]:
    decision = story.decision
    if decision is None:
        return
    yield "Where it goes, and why"
    sure = f"confidence {decision.classification_confidence:.2f} by {classifier_words(decision.classifier)}"
    yield f"  {decision.query_type}, {sure}; complexity {decision.complexity:g}{_reasons(decision)}"
    ordered = "in the order as written" if decision.order == "chain" else f"ordered by score, policy {decision.policy}"
    yield f"  chain {decision.route}, {ordered}, {decision.figures} figures"
    for place, candidate in enumerate(decision.candidates, start=1):
        yield f"  {place}. {scored(candidate)}"
        yield f"     {score_terms(candidate)}"
    if not decision.candidates:
        yield "  nobody may be asked"
    for rejection in passed_over(decision):
        yield f"  not {rejected(rejection)}"
    yield from _panel(decision)
    for warning in decision.warnings:
        yield f"  warning: {warning}"


def _reasons(decision: Decision) -> str:
    reasons = [f"{reason.what} {reason.points:+.2f}" for reason in decision.complexity_reasons]
    return f" ({', '.join(reasons)})" if reasons else ", usual for such questions"


def _panel(decision: Decision) -> Iterator[str]:
    panel = decision.panel
    if panel is None:
        return
    if not panel.can_compare:
        yield f"  high stakes, and no two equals that could be compared: {panel.on_unverifiable}"
        return
    reserves = f", in reserve {', '.join(panel.reserves)}" if panel.reserves else ""
    yield f"  high stakes: {', '.join(panel.members)} are asked at once{reserves}; decided by {panel.strategy}"


def _steps(story: Story) -> Iterator[str]:
    yield "What happened"
    for step in story.steps:
        yield f"  {f'+{step.after_s:.3f} s':>12}  {step.text}"
        for detail in step.details:
            yield f"  {'':12}    {detail}"
    review = story.review
    if review is not None:
        by = f" by {review.reviewer}" if review.reviewer else ""
        yield f"  the review: {review.outcome.replace('_', ' ')}{by}{f', {review.note}' if review.note else ''}"
        for ignored in review.ignored:
            yield f"    not taken: {ignored}"


def _costs(story: Story) -> Iterator[str]:
    yield f"What it cost: {story.cost}"
    for attempt in story.attempts:
        yield f"  {attempted(attempt)}; {_tokens(attempt)}, {paid(attempt)}"
    if not story.cost_known:
        yield "  what a call cost that was cut off or not read, or whose provider has no price, is not in this sum"


def _tokens(attempt: Attempt) -> str:
    usage = attempt.usage
    hedge = "hedge; " if attempt.hedge else ""
    purpose = "" if attempt.purpose == "answer" else f"{attempt.purpose}; "
    return f"{hedge}{purpose}{usage.input_tokens} tokens in, {usage.output_tokens} out ({usage.source})"
