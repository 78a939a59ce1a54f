"""Asking from Python: a typed client for a running Pointsman.

client = await RouterClient.connect()
answer = await client.ask("What is the boiling point of water at sea level?")
print(answer.text, answer.provider, answer.cost_usd)
"""

from __future__ import annotations

import asyncio
import uuid
from datetime import datetime
from typing import Any, NoReturn, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
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
from temporalio.service import RPCError, RPCStatusCode

from pointsman import search_attributes
from pointsman.connection import connect
from pointsman.contract import INVALID_QUESTION, TASK_QUEUE, RouteAndAnswer, Status, Unanswered
from pointsman.errors import (
    IdTaken,
    InvalidQuestion,
    NoServer,
    NoWorker,
    QuestionCancelled,
    QuestionFailed,
    UnknownQuestion,
)
from pointsman.messages import Answer, Question
from pointsman.narrative import headline
from pointsman.sentences import sentences

_LOOK_EVERY_S = 1.0
_NO_POLLER_AFTER_S = 2.0
_NOT_TAKEN_AFTER_S = 10.0
_UNTOUCHED_EVENTS = 2
_START_ONE = "start one with `python -m workers` or `make dev`"

Handle = WorkflowHandle[RouteAndAnswer, Answer]


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
        """Use a client that was connected with `pointsman.connection.DATA_CONVERTER`."""
        self._client = client

    @classmethod
    async def connect(cls, address: str | None = None, namespace: str | None = None) -> Self:
        """Connect as Temporal's environment says, or to `address` (host:port)."""
        return cls(await connect(address, namespace))

    @property
    def temporal(self) -> Client:
        """The Temporal client underneath."""
        return self._client

    async def ask(self, question: str | Question, *, id: str | None = None, **fields: Any) -> Answer:  # noqa: A002
        """Ask and wait for the answer.

        Args:
            question: The prompt, with further fields of `Question` as keywords; or a whole `Question`.
            id: Asking twice with one id gives the one answer, paid once; by default each question has its own.
            **fields: Fields of `Question`, such as `task`, `deadline_s` or `max_cost_usd`.
        """
        # The handle that starts a question is the one for which a time-skipping test server skips.
        return await self._answer_of(await self._start(question, id, fields))

    async def start(self, question: str | Question, *, id: str | None = None, **fields: Any) -> str:  # noqa: A002
        """Ask without waiting; returns the question's id."""
        return (await self._start(question, id, fields)).id

    async def answer(self, question_id: str) -> Answer:
        """The answer to a question that was asked before; waits for it."""
        return await self._answer_of(self._handle(question_id))

    async def status(self, question_id: str) -> QuestionStatus:
        """Where a question stands."""
        return _status_of(await self._describe(question_id))

    async def cancel(self, question_id: str) -> None:
        """Cancel a question that is under way; the calls it has out are closed. One that has ended stays as it is."""
        try:
            await self._handle(question_id).cancel()
        except RPCError as fault:
            raise _not_found(question_id, fault) from fault

    async def require_worker(self) -> None:
        """Return if a worker has asked for questions in the last minutes; else raise `NoWorker`."""
        request = DescribeTaskQueueRequest(
            namespace=self._client.namespace,
            task_queue=TaskQueue(name=TASK_QUEUE),
            task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
        )
        try:
            described = await self._client.workflow_service.describe_task_queue(request)
        except RPCError as fault:
            if fault.status is RPCStatusCode.UNIMPLEMENTED:
                return  # a test server that cannot tell
            raise _server_fault(fault) from fault
        if not described.pollers:
            raise NoWorker(f"no worker polls the task queue {TASK_QUEUE!r}; {_START_ONE}")

    async def _start(self, question: str | Question, wanted_id: str | None, fields: dict[str, Any]) -> Handle:
        asked = _question(question, fields)
        question_id = f"question-{uuid.uuid4()}" if wanted_id is None else _usable(wanted_id)
        try:
            handle = await self._client.start_workflow(
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
        except WorkflowAlreadyStartedError:
            handle = self._handle(question_id)  # it has its answer already
        except RPCError as fault:
            raise _server_fault(fault) from fault
        if wanted_id is not None and await self._question_of(question_id) != asked:
            raise IdTaken(f"another question has the id {question_id!r}; choose another id, or ask that same question")
        return handle

    async def _answer_of(self, handle: Handle) -> Answer:
        result = asyncio.create_task(handle.result())
        watch = asyncio.create_task(self._watch(handle))
        try:
            await asyncio.wait([result, watch], return_when=asyncio.FIRST_COMPLETED)
            if not result.done():
                await watch
            return await result
        except WorkflowFailureError as failure:
            raise _ended(handle.id, failure) from failure
        except RPCError as fault:
            raise _not_found(handle.id, fault) from fault
        finally:
            for task in (result, watch):
                task.cancel()

    async def _watch(self, handle: Handle) -> NoReturn:
        """Raise `NoWorker` when no worker takes the question, or when none is left that could finish it."""
        # The first look comes after a while: most questions have their answer by then and cost no further request.
        await asyncio.sleep(_LOOK_EVERY_S)
        waited_s = _LOOK_EVERY_S
        while (await handle.describe()).history_length <= _UNTOUCHED_EVENTS:
            if waited_s >= _NOT_TAKEN_AFTER_S:
                raise NoWorker(f"no worker has taken the question for {_NOT_TAKEN_AFTER_S:.0f} s; {_START_ONE}")
            if waited_s >= _NO_POLLER_AFTER_S:
                await self.require_worker()
            await asyncio.sleep(_LOOK_EVERY_S)
            waited_s += _LOOK_EVERY_S
        while True:
            await asyncio.sleep(_NOT_TAKEN_AFTER_S)
            await self.require_worker()

    async def _question_of(self, question_id: str) -> Question | None:
        async for event in self._handle(question_id).fetch_history_events(page_size=1):
            payloads = event.workflow_execution_started_event_attributes.input.payloads
            try:
                decoded = await self._client.data_converter.decode(payloads, [Question])
            except (ApplicationError, ValueError, RuntimeError):
                return None  # another kind of workflow
            return decoded[0] if decoded else None
        return None

    async def _describe(self, question_id: str) -> WorkflowExecutionDescription:
        try:
            return await self._handle(question_id).describe()
        except RPCError as fault:
            raise _not_found(question_id, fault) from fault

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
        raise InvalidQuestion("; ".join(sentences(fault, Question))) from fault


def _usable(question_id: str) -> str:
    """The id, if Temporal can carry it."""
    if not question_id:
        raise InvalidQuestion("id is empty; give an id, or none for a new one")
    try:
        question_id.encode()
    except UnicodeEncodeError:
        raise InvalidQuestion("id is not valid Unicode (a lone surrogate); send text that is UTF-8") from None
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


def _ended(question_id: str, failure: WorkflowFailureError) -> Exception:
    cause = failure.cause
    if isinstance(cause, CancelledError | TerminatedError):
        return QuestionCancelled(f"the question {question_id} was cancelled")
    if not isinstance(cause, ApplicationError):
        return QuestionFailed(f"the question ended without an answer ({cause})", type(cause).__name__, Unanswered())
    if cause.type == INVALID_QUESTION:
        return InvalidQuestion(cause.message)
    detail = cause.details[0] if cause.details and isinstance(cause.details[0], dict) else {}
    return QuestionFailed(cause.message, cause.type or "", Unanswered.model_validate(detail))


def _not_found(question_id: str, fault: RPCError) -> Exception:
    if fault.status is RPCStatusCode.NOT_FOUND:
        return UnknownQuestion(f"no question has the id {question_id!r}, or its history has been deleted")
    return _server_fault(fault)


def _server_fault(fault: RPCError) -> Exception:
    if fault.status is RPCStatusCode.INVALID_ARGUMENT and "search attribute" in fault.message:
        # Workers register them, so none has been here.
        return NoWorker("no worker has served this namespace yet; start one with `python -m workers` or `make dev`")
    if fault.status is RPCStatusCode.INVALID_ARGUMENT:
        return InvalidQuestion(f"the server did not take the question: {fault.message}")
    return NoServer(f"the Temporal server did not take the request ({fault.message[:200]})")
