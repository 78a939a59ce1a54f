"""How reviews look on a terminal: what waits, and answers side by side with what differs marked."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pointsman.cli.rendering import printable
from pointsman.review import PendingReview, ProposedAnswer
from pointsman.review_client import WaitingReview

_PIPED_WIDTH = 100
_SIDE_BY_SIDE = 3
"""More answers than these stand one below the other."""
_LINES = 60
_LINE_CHARACTERS = 2000
MARK = "≠ "


def print_list(waiting: list[WaitingReview], now: datetime) -> None:
    """A row a question."""
    if not waiting:
        print("Nothing waits for a review.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("age", "id", "task", "question"):
        table.add_column(heading, overflow="fold")
    for one in waiting:
        cells = (age(now - one.opened_at), one.id, one.task or "-", one.question)
        table.add_row(*(escape(printable(cell)) for cell in cells))
    _console().print(table)


def print_review(question_id: str, pending: PendingReview, *, full: bool) -> None:
    """The question, its answers side by side, where they part, and how to decide."""
    console = _console()
    console.print(printable(_shortened(pending.question, full=full)), markup=False, highlight=False)
    console.print()
    columns = [_column(answer, pending, full=full) for answer in pending.answers]
    if len(columns) <= _SIDE_BY_SIDE:
        table = Table(expand=True, show_lines=False)
        for heading, _ in columns:
            table.add_column(escape(heading), ratio=1, overflow="fold")
        table.add_row(*(escape(text) for _, text in columns))
        console.print(table)
    else:
        for heading, text in columns:
            console.print(f"{heading}\n{text}\n", markup=False, highlight=False)
    for point in pending.differences:
        console.print(printable(f"- {point.in_words}"), markup=False, highlight=False)
    if pending.last_refused is not None:
        console.print(printable(f"- the last review was not taken: {pending.last_refused}"), markup=False)
    then = {"best": "the surest answer is taken", "fail": "the question fails", "extend": "it waits on"}
    console.print(
        printable(
            f"\nWhy: {pending.why}.\n"
            f"Due by {pending.decide_by:%Y-%m-%d %H:%M} UTC; then {then[pending.on_timeout]}.\n"
            f"Decide: pointsman reviews decide {question_id} --choose "
            f"{'|'.join(answer.provider for answer in pending.answers)}   (or --text TEXT, or --reject)"
        ),
        markup=False,
        highlight=False,
    )


def age(passed: timedelta) -> str:
    """How long ago, in its two largest units."""
    minutes, seconds = divmod(max(0, int(passed.total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def _column(answer: ProposedAnswer, pending: PendingReview, *, full: bool) -> tuple[str, str]:
    others = [set(_lines(other.text)) for other in pending.answers if other.provider != answer.provider]
    marked = [
        line if not line or all(line in lines for lines in others) else f"{MARK}{line}"
        for line in _lines(_shortened(answer.text, full=full))
    ]
    heading = f"{answer.provider} ({answer.confidence:.2f})"
    return printable(heading), printable("\n".join(marked))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def _shortened(text: str, *, full: bool) -> str:
    lines = text.splitlines()
    if full or (len(lines) <= _LINES and len(text) <= _LINES * _LINE_CHARACTERS):
        return text
    kept = "\n".join(line[:_LINE_CHARACTERS] for line in lines[:_LINES])
    return f"{kept}\n[... {len(text):,} characters in all: --full]"


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH)
