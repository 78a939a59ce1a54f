"""The questions of the demo, and how what came of them is shown."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pointsman.cli.rendering import attempt_words, money
from pointsman.messages import Answer, Question
from pointsman.query_types import QueryType
from workers.embedded.answers import DISPUTED

OUTAGE_TASK = "outage"
VERIFY_TASK = "verify"
OUT_OF_ORDER = "out-of-order"
"""The first provider of that task, which always fails."""

DEMO_QUESTIONS: tuple[Question, ...] = (
    Question(
        prompt="What is the capital of France?",
        system="You are a helpful assistant. Answer in one short sentence.",
        temperature=0.0,
        # The local model shares two cores with everything else that starts now.
        deadline_s=120,
    ),
    Question(prompt="Explain why ice floats on water."),
    Question(prompt="Write a short poem about a railway junction."),
    Question(prompt="Write a Python function that reverses a linked list."),
    Question(prompt="Evaluate the risks of a single supplier."),
    Question(prompt="Summarize what a circuit breaker does.", task=OUTAGE_TASK),
    Question(prompt=DISPUTED, task=VERIFY_TASK),
)
"""One per query type, one whose first provider is out of order, and one on which two providers differ."""
CHOSEN = "frontier-anthropic"
"""Whose answer the demo takes, in the place of a person."""


@dataclass(frozen=True)
class Told:
    """A question, its answer, and where its history is shown."""

    question: Question
    answer: Answer
    link: str

    @property
    def as_promised(self) -> bool:
        """Whether the question went the way that the demo is there to show."""
        if self.question.task == OUTAGE_TASK:
            return self.answer.route_reason.startswith("fallback:")
        if self.question.task == VERIFY_TASK:
            return self.answer.status == "reviewed" and self.answer.provider == CHOSEN
        return self.answer.query_type in set(QueryType)


def print_told(console: Console, told: list[Told]) -> None:
    """A table of the answers, then each one's text and link."""
    table = Table()
    for heading in (
        "",
        "query type",
        "provider, model served",
        "route reason",
        "attempts",
        "tokens",
        "cost",
        "latency",
    ):
        table.add_column(heading, overflow="fold")
    for number, entry in enumerate(told, start=1):
        answer = entry.answer
        table.add_row(
            str(number),
            answer.query_type,
            f"{answer.provider}\n{answer.model_served or 'unknown'}",
            answer.route_reason,
            "\n".join(attempt_words(answer)),
            f"{answer.usage.input_tokens} + {answer.usage.output_tokens}",
            money(answer.cost_usd),
            f"{answer.latency_ms:.0f} ms",
        )
    console.print(table)
    for number, entry in enumerate(told, start=1):
        console.print(f"{number}. [bold]{escape(entry.question.text)}[/bold]")
        console.print(f"   {escape(' '.join(entry.answer.text.split())[:300])}", highlight=False)
        console.print(f"   {entry.link}", soft_wrap=True, highlight=False)
