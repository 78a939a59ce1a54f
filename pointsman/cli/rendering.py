"""How answers and failures look on a terminal."""

from __future__ import annotations

import json
from math import ceil
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pointsman.errors import QuestionFailed
from pointsman.messages import Answer
from pointsman.phrases import paid_together
from pointsman.printable import printable as printable  # noqa: PLC0414 - part of how things look here

if TYPE_CHECKING:
    from pointsman.client import QuestionStatus


def money(usd: float | None) -> str:
    """A cost for people; never 0 for unknown."""
    return "unknown" if usd is None else f"${usd:.6f}"


def print_answer(question_id: str, answer: Answer) -> None:
    """The answer's text, then how it came about."""
    console = Console(soft_wrap=True)
    console.print(printable(answer.text), markup=False, highlight=False)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    usage = answer.usage
    for name, value in (
        ("id", question_id),
        ("provider", f"{answer.provider} ({answer.model_served or answer.model_requested})"),
        ("route", f"{answer.query_type}, {answer.route_reason}"),
        ("confidence", f"{answer.confidence:.2f}{' (refused)' if answer.refused else ''}"),
        ("attempts", "; ".join(attempt_words(answer))),
        ("tokens", f"{usage.input_tokens} in, {usage.output_tokens} out ({usage.source})"),
        ("cost", "unknown" if answer.cost_usd is None else paid_together(answer.cost_usd, answer.attempts)),
        ("compared", comparison_words(answer)),
        ("review", review_words(answer)),
        ("latency", f"{answer.latency_ms:.0f} ms"),
        ("tags", ", ".join(answer.tags)),
    ):
        if value:
            table.add_row(f"[dim]{name}[/dim]", escape(printable(value)))
    console.print()
    console.print(table)


def attempt_words(answer: Answer) -> list[str]:
    """Each attempt in a few words."""
    return [
        f"{attempt.provider} {attempt.outcome}{f' ({attempt.kind})' if attempt.kind else ''}"
        for attempt in answer.attempts
    ]


def comparison_words(answer: Answer) -> str:
    """How several answers compared: the outcome and who said the same."""
    found = answer.divergence
    if found is None:
        return ""
    return f"{found.outcome}: {' | '.join(' = '.join(group) for group in found.votes)}"


def review_words(answer: Answer) -> str:
    """What became of a review, and by whom."""
    review = answer.review
    if review is None:
        return ""
    told = [review.outcome.replace("_", " "), f"by {review.reviewer}" if review.reviewer else "", review.note or ""]
    return ", ".join(part for part in told if part)


def failure_line(fault: QuestionFailed) -> str:
    """The failure as one sentence, with the wait that makes sense."""
    again = "" if fault.retry_after_s is None else f" Ask again in {max(1, ceil(fault.retry_after_s))} s."
    return f"{fault.failure_type}: {str(fault).rstrip('.')}.{again}"


def failure_json(question_id: str, fault: QuestionFailed) -> str:
    """The failure as one JSON object."""
    document = {
        "id": question_id,
        "status": "failed",
        "error": fault.failure_type,
        "message": str(fault),
        "retry_after_s": fault.retry_after_s,
        "cost_usd": fault.cost_usd,
        "attempts": [attempt.model_dump(mode="json") for attempt in fault.attempts],
        "rejected": [rejection.model_dump(mode="json") for rejection in fault.rejected],
        "divergence": None if fault.divergence is None else fault.divergence.model_dump(mode="json"),
        "review": None if fault.review is None else fault.review.model_dump(mode="json"),
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def error_json(kind: str, sentence: str, question_id: str | None) -> str:
    """Any other failure as a line of JSON; its `error` and `message` are named like those of a failed question."""
    document = {"error": kind, "message": sentence}
    return json.dumps(document if question_id is None else {"id": question_id, **document}, ensure_ascii=False)


def status_lines(found: QuestionStatus) -> str:
    """A question's status, a fact a line."""
    facts = found.model_dump(mode="json", exclude_none=True)
    return "\n".join(f"{name:<12}{printable(str(value))}" for name, value in facts.items())
