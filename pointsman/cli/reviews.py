"""`pointsman reviews`: what waits for a person, what he is to decide, and his decision."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from pointsman.cli.asking import AsJson, QuestionId
from pointsman.cli.exits import Exit
from pointsman.cli.operator import operator
from pointsman.cli.rendering import printable
from pointsman.review import Review
from pointsman.sentences import in_one

if TYPE_CHECKING:
    from pointsman.review_client import ReviewClient

app = typer.Typer(
    help="List the questions that wait for a person, show one, and decide it.\n\n"
    "list, then show ID, then decide ID --choose PROVIDER (or --text TEXT, or --reject).",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_(*, as_json: AsJson = False) -> int:
    """List the questions that wait for a decision, the oldest first."""

    async def run(client: ReviewClient) -> int:
        from pointsman.cli.review_table import print_list  # noqa: PLC0415 - only when there is something to show

        waiting = await client.list()
        if as_json:
            print(json.dumps({"reviews": [one.model_dump(mode="json") for one in waiting]}, ensure_ascii=False))
        else:
            print_list(waiting, datetime.now(UTC))
        return Exit.DONE

    return _with_client(run)


@app.command()
def show(
    question_id: QuestionId,
    *,
    full: Annotated[bool, typer.Option("--full", help="Print long answers whole.")] = False,
    as_json: AsJson = False,
) -> int:
    """Show the answers side by side, and where they differ."""

    async def run(client: ReviewClient) -> int:
        from pointsman.cli.review_table import print_review  # noqa: PLC0415

        pending = await client.show(question_id)
        if as_json:
            print(json.dumps({"id": question_id, **pending.model_dump(mode="json")}, ensure_ascii=False, indent=2))
        else:
            print_review(question_id, pending, full=full)
        return Exit.DONE

    return _with_client(run)


@app.command()
def decide(  # noqa: PLR0913 - one parameter per option
    question_id: QuestionId,
    *,
    choose: Annotated[str | None, typer.Option(metavar="PROVIDER", help="Take this provider's answer.")] = None,
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="Answer in your own words.")] = None,
    reject: Annotated[bool, typer.Option("--reject", help="Take none: the question fails.")] = False,
    reviewer: Annotated[str | None, typer.Option(metavar="R", help="Who decides; your login by default.")] = None,
    note: Annotated[str | None, typer.Option(metavar="N", help="Why; kept with the answer.")] = None,
    as_json: AsJson = False,
) -> int:
    """Decide: choose an answer, write one, or reject them all."""
    given = {"choose": choose, "text": text, "reviewer": reviewer or operator() or None, "note": note}
    try:
        review = Review.model_validate({**given, "reject": reject})
    except ValidationError as fault:
        raise typer.BadParameter(_as_options(in_one(fault, Review))) from None

    async def run(client: ReviewClient) -> int:
        await client.decide(question_id, review)
        if as_json:
            print(json.dumps({"id": question_id, "decided": True, **review.model_dump(mode="json")}))
        else:
            print(printable(f"decided: {question_id}"))
        return Exit.DONE

    return _with_client(run)


def _as_options(sentence: str) -> str:
    return (
        sentence.replace('"choose" (a provider)', "--choose")
        .replace('"text" (an answer)', "--text")
        .replace('"reject" (true)', "--reject")
    )


def _with_client(run: Callable[[ReviewClient], Awaitable[int]]) -> int:
    async def connected() -> int:
        from pointsman.review_client import ReviewClient  # noqa: PLC0415 - imports the SDK, which help needs not

        return await run(await ReviewClient.connect())

    try:
        return asyncio.run(connected())
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
