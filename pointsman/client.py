"""Asking from Python: a typed client for a running Pointsman.

client = await RouterClient.connect()
answer = await client.ask("What is the boiling point of water at sea level?")
print(answer.text, answer.provider, answer.cost_usd)
"""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from datetime import datetime
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from temporalio.client import (
    Client,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
)
from temporalio.common import Priority, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import (
    ApplicationError,
    CancelledError,
    TerminatedError,
    WorkflowAlreadyStartedError,
)
from temporalio.service import RPCError

from pointsman import search_attributes, watch
from pointsman.connection import connect
from pointsman.contract import INVALID_QUESTION, TASK_QUEUE, RouteAndAnswer, Status, Unanswered
from pointsman.data_converter import max_question_bytes
from pointsman.errors import (
    IdTaken,
    InvalidQuestion,
    NoServer,
    PointsmanError,
    QuestionCancelled,
    QuestionFailed,
    UnknownQuestion,
)
from pointsman.explaining import explained
from pointsman.messages import Answer, Question, oversize
from pointsman.narrative import headline
from pointsman.sentences import in_one
from pointsman.server_faults import question_fault, server_fault, server_gone, steadily
from pointsman.story.story import Story

_MAX_ID_BYTES = 1000

Handle = WorkflowHandle[RouteAndAnswer, Answer]
_Fault = TypeVar("_Fault", bound=PointsmanError)


class QuestionStatus(BaseModel):
    """Where a question stands, read without any worker."""

    model_config = ConfigDict(frozen=True)

    id: str
    run_id: str
    status: Status
    task: str | None = None
    query_type: str | None = None
    provider: str | None = None
    cost_usd: float | None = None
    asked_at: datetime
    ended_at: datetime | None = None


class RouterClient:
    """Asks questions and fetches answers. Every method raises the errors of `pointsman.errors`."""

    def __init__(self, client: Client) -> None:
        """Use a client that has `pointsman.plugin.PointsmanPlugin`, as `pointsman.connection.connect` gives it."""
        self._client = client

    @classmethod
    async def connect(cls, address: str | None = None, namespace: str | None = None) -> Self:
        """Connect as Temporal's environment says, or to `address` (host:port)."""
        return cls(await connect(address, namespace))

    @property
    def temporal(self) -> Client:
        """The Temporal client underneath."""
        return self._client

    async def ask(
        self,
        question: str | Question,
        *,
        id: str | None = None,  # noqa: A002
        wait_review: bool = True,
        **fields: Any,
    ) -> Answer:
        """Ask and wait for the answer.

        Args:
            question: The prompt, with further fields of `Question` as keywords; or a whole `Question`.
            id: Asking twice with one id gives the one answer, paid once; by default each question has its own.
            wait_review: Whether to wait on where a person must decide; else `AwaitingReview` is raised.
            **fields: Fields of `Question`, such as `task`, `deadline_s` or `max_cost_usd`.
        """
        # The handle that starts a question is the one for which a time-skipping test server skips.
        return await self._answer_of(await self._start(question, id, fields), wait_review=wait_review)

    async def start(self, question: str | Question, *, id: str | None = None, **fields: Any) -> str:  # noqa: A002
        """Ask without waiting; returns the question's id."""
        return (await self._start(question, id, fields)).id

    async def answer(self, question_id: str, *, wait_review: bool = True) -> Answer:
        """The answer to a question that was asked before; waits for it."""
        return await self._answer_of(self._handle(question_id), wait_review=wait_review)

    async def status(self, question_id: str) -> QuestionStatus:
        """Where a question stands."""
        return _status_of(await self._describe(question_id))

    async def explain(self, question_id: str) -> Story:
        """A question's way, told from its history alone: no worker is needed."""
        try:
            return await explained(self._client, _usable(question_id))
        except PointsmanError as fault:
            raise _about(question_id, fault) from fault.__cause__

    async def cancel(self, question_id: str) -> None:
        """Cancel a question that is under way; the calls it has out are closed. One that has ended stays as it is."""
        try:
            await steadily(self._handle(question_id).cancel)
        except RPCError as fault:
            raise _about(question_id, question_fault(question_id, fault)) from fault

    async def require_worker(self) -> None:
        """Return if a worker has asked for questions in the last minutes; else raise `NoWorker`."""
        await watch.require_worker(self._client)

    async def _start(self, question: str | Question, wanted_id: str | None, fields: dict[str, Any]) -> Handle:
        asked = _question(question, fields)
        refusal = oversize(asked, max_question_bytes(self._client.data_converter))
        if refusal is not None:
            raise InvalidQuestion(refusal)
        question_id = f"question-{uuid.uuid4()}" if wanted_id is None else _usable(wanted_id)
        if wanted_id is not None:
            # Before the start, since after a failure the server would let any question run under the id.
            await self._refuse_another(question_id, asked)

        async def start() -> Handle:
            return await self._client.start_workflow(
                RouteAndAnswer.run,
                asked,
                id=question_id,
                task_queue=TASK_QUEUE,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                search_attributes=search_attributes.at_start(asked),
                static_summary=headline(asked),
                priority=Priority(priority_key=asked.priority, fairness_key=asked.tenant),
            )

        try:
            handle = await steadily(start)
        except WorkflowAlreadyStartedError:
            handle = self._handle(question_id)  # it has its answer already
        except RPCError as fault:
            told = server_fault(fault)
            # One that has gone may have taken the question before.
            raise (_about(question_id, told) if server_gone(fault) else told) from fault
        if wanted_id is not None:
            # And after it, since somebody else may have asked at the same moment; a server that has gone since is
            # told of by whoever waits for the answer.
            with suppress(NoServer):
                await self._refuse_another(question_id, asked)
        return handle

    async def _refuse_another(self, question_id: str, asked: Question) -> None:
        try:
            found = await self._question_of(question_id)
        except UnknownQuestion:
            return
        if found != asked:
            raise _about(
                question_id,
                IdTaken(f"another question has the id {question_id!r}; choose another id, or ask that same question"),
            )

    async def _answer_of(self, handle: Handle, *, wait_review: bool) -> Answer:
        result = asyncio.create_task(steadily(handle.result))
        watching = asyncio.create_task(watch.until_abandoned(self._client, handle, wait_review=wait_review))
        try:
            await asyncio.wait([result, watching], return_when=asyncio.FIRST_COMPLETED)
            if not result.done():
                await watching
            return await result
        except WorkflowFailureError as failure:
            raise _about(handle.id, _ended(handle.id, failure)) from failure
        except RPCError as fault:
            raise _about(handle.id, question_fault(handle.id, fault)) from fault
        except PointsmanError as fault:
            raise _about(handle.id, fault) from fault.__cause__
        finally:
            for task in (result, watching):
                task.cancel()

    async def _question_of(self, question_id: str) -> Question | None:
        """The question under an id; `None` for another kind of workflow."""
        events = self._handle(question_id).fetch_history_events(page_size=1)
        try:
            first = await steadily(events.__anext__)
        except StopAsyncIteration:
            return None
        except RPCError as fault:
            raise _about(question_id, question_fault(question_id, fault)) from fault
        payloads = first.workflow_execution_started_event_attributes.input.payloads
        try:
            decoded = await steadily(lambda: self._client.data_converter.decode(payloads, [Question]))
        except (ApplicationError, ValueError, RuntimeError):
            return None
        return decoded[0] if decoded else None

    async def _describe(self, question_id: str) -> WorkflowExecutionDescription:
        try:
            return await steadily(self._handle(question_id).describe)
        except RPCError as fault:
            raise _about(question_id, question_fault(question_id, fault)) from fault

    def _handle(self, question_id: str) -> Handle:
        return self._client.get_workflow_handle_for(RouteAndAnswer.run, _usable(question_id))


def _question(question: str | Question, fields: dict[str, Any]) -> Question:
    if isinstance(question, Question):
        if fields:
            raise TypeError("give a Question or a prompt with fields, not both")
        return question
    try:
        return Question.model_validate({"prompt": question, **fields})
    except ValidationError as fault:
        raise InvalidQuestion(in_one(fault, Question)) from fault


def _about(question_id: str, fault: _Fault) -> _Fault:
    fault.question_id = question_id
    return fault


def _usable(question_id: str) -> str:
    """The id, if Temporal can carry it."""
    if not question_id:
        raise InvalidQuestion("id is empty; give an id, or none for a new one")
    try:
        size = len(question_id.encode())
    except UnicodeEncodeError:
        raise InvalidQuestion("id is not valid Unicode (a lone surrogate); send text that is UTF-8") from None
    if size > _MAX_ID_BYTES:
        raise InvalidQuestion(f"id is {size:,} bytes as UTF-8 and at most {_MAX_ID_BYTES:,} fit; shorten it")
    return question_id


def _status_of(found: WorkflowExecutionDescription) -> QuestionStatus:
    attributes = found.typed_search_attributes
    if found.status in {None, WorkflowExecutionStatus.RUNNING}:
        status = Status(attributes.get(search_attributes.STATUS) or Status.ROUTING)
    elif found.status is WorkflowExecutionStatus.COMPLETED:
        status = Status.ANSWERED
    elif found.status in {WorkflowExecutionStatus.CANCELED, WorkflowExecutionStatus.TERMINATED}:
        status = Status.CANCELLED
    else:
        status = Status.FAILED
    return QuestionStatus(
        id=found.id,
        run_id=found.run_id,
        status=status,
        task=attributes.get(search_attributes.TASK),
        query_type=attributes.get(search_attributes.QUERY_TYPE),
        provider=attributes.get(search_attributes.PROVIDER),
        cost_usd=attributes.get(search_attributes.COST_USD),
        asked_at=found.start_time,
        ended_at=found.close_time,
    )


def _ended(question_id: str, failure: WorkflowFailureError) -> PointsmanError:
    cause = failure.cause
    if isinstance(cause, CancelledError | TerminatedError):
        return QuestionCancelled(f"the question {question_id} was cancelled")
    if not isinstance(cause, ApplicationError):
        return QuestionFailed(f"the question ended without an answer ({cause})", type(cause).__name__, Unanswered())
    if cause.type == INVALID_QUESTION:
        return InvalidQuestion(cause.message)
    detail = cause.details[0] if cause.details and isinstance(cause.details[0], dict) else {}
    return QuestionFailed(cause.message, cause.type or "", Unanswered.model_validate(detail))
