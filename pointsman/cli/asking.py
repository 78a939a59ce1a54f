"""`pointsman ask`, and what can be done with a question that was asked: status, answer, cancel."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pointsman
from pointsman.cli import rendering
from pointsman.cli.exits import Exit
from pointsman.cli.question import Limits, question_from
from pointsman.errors import NoServer, NoWorker, QuestionFailed
from pointsman.messages import Answer, Question

if TYPE_CHECKING:
    from pointsman.client import QuestionStatus, RouterClient

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
WaitReview = Annotated[
    bool, typer.Option("--wait-review", help="Wait on where a person must decide; else the status is 4.")
]
QuestionId = Annotated[str, typer.Argument(metavar="ID", help="The question's id.")]


def ask(  # noqa: PLR0913 - one parameter per option
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="The question; - reads standard input.")],
    *,
    task: Annotated[str | None, typer.Option(metavar="T", help="A route of the configuration.")] = None,
    stakes: Annotated[str | None, typer.Option(metavar="LEVEL", help="normal or high.")] = None,
    schema: Annotated[Path | None, typer.Option(metavar="FILE", help="JSON Schema that the answer must match.")] = None,
    context: Annotated[
        Path | None, typer.Option(metavar="FILE", help='JSON list of records {"id", "text", "weight"}.')
    ] = None,
    system: Annotated[str | None, typer.Option(metavar="TEXT", help="System prompt.")] = None,
    deadline: Annotated[float | None, typer.Option(metavar="S", help="Seconds until an answer is due; 60.")] = None,
    max_cost: Annotated[float | None, typer.Option(metavar="USD", help="Limit on all attempts together.")] = None,
    max_latency_ms: Annotated[
        float | None, typer.Option(metavar="MS", help="Providers slower than this are out.")
    ] = None,
    max_output_tokens: Annotated[int | None, typer.Option(metavar="N", help="Cap on the answer's length.")] = None,
    on_exhausted: Annotated[
        str | None, typer.Option(metavar="WHAT", help="fail, or wait for a provider to come back.")
    ] = None,
    allow: Annotated[str | None, typer.Option(metavar="P,..", help="Only these providers.")] = None,
    deny: Annotated[str | None, typer.Option(metavar="P,..", help="Not these providers.")] = None,
    tenant: Annotated[str | None, typer.Option(metavar="NAME", help="Whom it is asked for, and who pays.")] = None,
    question_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Ask once under this id: a repeat gives the same answer.")
    ] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Print the id and leave.")] = False,
    wait_review: WaitReview = False,
    as_json: AsJson = False,
) -> int:
    """Ask a question and print the answer with its route, attempts, tokens and cost."""
    limits = Limits(
        task=task,
        stakes=stakes,
        system=system,
        deadline_s=deadline,
        max_cost_usd=max_cost,
        max_latency_ms=max_latency_ms,
        max_output_tokens=max_output_tokens,
        on_exhausted=on_exhausted,
        allow=allow,
        deny=deny,
        tenant=tenant,
    )
    question = question_from(prompt, limits, schema=schema, context=context)

    async def run(client: RouterClient) -> int:
        return await _ask(client, question, question_id, no_wait=no_wait, wait_review=wait_review, as_json=as_json)

    return with_client(run)


def status(question_id: QuestionId, *, as_json: AsJson = False) -> int:
    """Tell where a question stands."""

    async def run(client: RouterClient) -> int:
        found = await client.status(question_id)
        print(found.model_dump_json(indent=2) if as_json else rendering.status_lines(found))
        return Exit.DONE

    return with_client(run)


def answer(question_id: QuestionId, *, wait_review: WaitReview = False, as_json: AsJson = False) -> int:
    """Fetch the answer to a question that was asked before, waiting for it if need be."""

    async def run(client: RouterClient) -> int:
        return await _print_answer(client, question_id, asked=False, wait_review=wait_review, as_json=as_json)

    return with_client(run)


def cancel(question_id: QuestionId, *, as_json: AsJson = False) -> int:
    """Cancel a question that is under way."""

    async def run(client: RouterClient) -> int:
        before = await client.status(question_id)
        if before.ended_at is None:
            await client.cancel(question_id)
        return _print_cancelled(before, as_json=as_json)

    return with_client(run)


async def _ask(  # noqa: PLR0913 - what was asked, and how it is waited for
    client: RouterClient,
    question: Question,
    question_id: str | None,
    *,
    no_wait: bool,
    wait_review: bool,
    as_json: bool,
) -> int:
    try:
        started = await client.start(question, id=question_id)
    except asyncio.CancelledError:
        _print_interrupted(question_id, _perhaps_there(question_id), as_json=as_json)
        raise
    except NoServer as fault:
        if fault.question_id is None or question_id is not None:
            raise
        hinted = NoServer(f"{fault}. {_if_taken(fault.question_id)}")
        hinted.question_id = fault.question_id
        raise hinted from fault
    if not no_wait:
        return await _print_answer(client, started, asked=True, wait_review=wait_review, as_json=as_json)
    if not as_json:
        print(started)
    try:
        await client.require_worker()
    except (NoWorker, NoServer) as fault:
        fault.question_id = started
        raise
    if as_json:
        print(json.dumps({"id": started}))
    return Exit.DONE


async def _print_answer(
    client: RouterClient, question_id: str, *, asked: bool, wait_review: bool, as_json: bool
) -> int:
    try:
        found = await client.answer(question_id, wait_review=wait_review)
    except QuestionFailed as fault:
        if as_json:
            print(rendering.failure_json(question_id, fault))
        print(rendering.printable(rendering.failure_line(fault)), file=sys.stderr)
        return Exit.FAILED
    except (NoWorker, NoServer) as fault:
        if not asked and isinstance(fault, NoServer):
            raise  # nobody has seen that there is such a question
        hinted = type(fault)(f"{fault}. {_still_there(question_id)}")
        hinted.question_id = question_id
        raise hinted from fault
    except asyncio.CancelledError:
        # Ctrl-C: the question is durable, so only this process ends.
        _print_interrupted(question_id, _still_there(question_id), as_json=as_json)
        raise
    _print(question_id, found, as_json=as_json)
    return Exit.DONE


def _print_interrupted(question_id: str | None, sentence: str, *, as_json: bool) -> None:
    if as_json:
        print(rendering.error_json("Interrupted", sentence, question_id))
    print(f"\n{rendering.printable(sentence)}", file=sys.stderr)


def _print(question_id: str, found: Answer, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"id": question_id, **found.model_dump(mode="json")}, ensure_ascii=False, indent=2))
    else:
        rendering.print_answer(question_id, found)


def _print_cancelled(before: QuestionStatus, *, as_json: bool) -> int:
    asked = before.ended_at is None
    if as_json:
        print(json.dumps({"id": before.id, "cancel_requested": asked, "status": before.status}))
    elif asked:
        print(rendering.printable(f"cancelling {before.id}"))
    else:
        print(rendering.printable(f"{before.id} has already ended ({before.status})"))
    return Exit.DONE


def _still_there(question_id: str) -> str:
    return f"The question {_goes_on(question_id)}"


def _if_taken(question_id: str) -> str:
    return f"If the server took the question, it {_goes_on(question_id)}"


def _goes_on(question_id: str) -> str:
    return (
        f"goes on as {question_id}: fetch it with `pointsman answer {question_id}`, "
        f"end it with `pointsman cancel {question_id}`"
    )


def _perhaps_there(question_id: str | None) -> str:
    if question_id is not None:
        return f"Interrupted while asking. {_if_taken(question_id)}"
    return "Interrupted while asking: the server may have taken the question. With --id asking again is safe."


def with_client(run: Callable[[RouterClient], Awaitable[int]]) -> int:
    """Run a command with a client that is connected as Temporal's environment says."""

    async def connected() -> int:
        return await run(await pointsman.RouterClient.connect())  # imports the SDK, which help needs not

    try:
        return asyncio.run(connected())
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
