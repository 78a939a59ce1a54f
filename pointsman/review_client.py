"""Reviews from Python: what waits for a person, what he is to decide, and his decision.

client = await ReviewClient.connect()
for waiting in await client.list():
    print(waiting.id, waiting.opened_at, waiting.question)
await client.decide("q-1", Review(choose="frontier-a", reviewer="ada"))
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Self

from pydantic import BaseModel, ConfigDict
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from pointsman import search_attributes
from pointsman.client import RouterClient
from pointsman.connection import connect
from pointsman.contract import RouteAndAnswer, Status
from pointsman.errors import NoWorker, ReviewRefused
from pointsman.messages import Answer
from pointsman.review import MEMO_OPENED_AT, MEMO_QUESTION, PendingReview, Review
from pointsman.server_faults import question_fault, server_fault
from pointsman.watch import START_ONE

_ANSWER_WITHIN_S = 10.0
WAITING = f"{search_attributes.STATUS.name} = '{Status.AWAITING_REVIEW.value}' AND ExecutionStatus = 'Running'"
"""The questions that wait for a person, as the server's list is asked for them."""


class WaitingReview(BaseModel):
    """A question that waits for a person, read without any worker."""

    model_config = ConfigDict(frozen=True)

    id: str
    run_id: str
    opened_at: datetime
    task: str | None = None
    question: str
    """Its first line."""


class ReviewClient:
    """Lists, shows and decides reviews. Every method raises the errors of `pointsman.errors`."""

    def __init__(self, client: Client, *, answer_within_s: float = _ANSWER_WITHIN_S) -> None:
        """Use a client that was connected with `pointsman.connection.DATA_CONVERTER`."""
        self._client = client
        self._patience = timedelta(seconds=answer_within_s)

    @classmethod
    async def connect(cls, address: str | None = None, namespace: str | None = None) -> Self:
        """Connect as Temporal's environment says, or to `address` (host:port)."""
        return cls(await connect(address, namespace))

    async def list(self) -> list[WaitingReview]:
        """What waits, the oldest first. The server's list follows a second or so behind."""
        try:
            found = [await _waiting(execution) async for execution in self._client.list_workflows(WAITING)]
        except RPCError as fault:
            raise server_fault(fault) from fault
        return sorted(found, key=lambda waiting: (waiting.opened_at, waiting.id))

    async def show(self, question_id: str) -> PendingReview:
        """What is to be decided.

        Raises:
            ReviewRefused: the question does not wait for a review.
        """
        try:
            async with asyncio.timeout(self._patience.total_seconds() + 1):
                pending = await self._handle(question_id).query(
                    RouteAndAnswer.pending_review, rpc_timeout=self._patience
                )
        except RPCError as fault:
            raise question_fault(question_id, fault) from fault
        except TimeoutError:
            raise NoWorker(f"no worker answers for the question {question_id}; {START_ONE}") from None
        except WorkflowQueryFailedError as fault:
            raise NoWorker(f"the worker that answered is of another version ({fault.message[:100]})") from fault
        if pending is None:
            raise await self._not_waiting(question_id)
        return pending

    async def decide(self, question_id: str, review: Review) -> None:
        """Decide; returns once the question has taken the decision.

        Raises:
            ReviewRefused: it has been decided, does not wait for a review, or the choice is unknown.
        """
        try:
            async with asyncio.timeout(self._patience.total_seconds() + 1):
                await self._handle(question_id).execute_update(
                    RouteAndAnswer.review, review, rpc_timeout=self._patience
                )
        except WorkflowUpdateFailedError as fault:
            cause = fault.cause
            told = cause.message if isinstance(cause, ApplicationError) else str(cause)
            raise ReviewRefused(f"{question_id}: {told}") from fault
        except (WorkflowUpdateRPCTimeoutOrCancelledError, TimeoutError):
            raise NoWorker(
                f"the decision on {question_id} is not confirmed, since no worker answers; one that starts may still "
                f"take it: see `pointsman status {question_id}`; {START_ONE}"
            ) from None
        except RPCError as fault:
            raise await self._fault(question_id, fault) from fault

    async def _fault(self, question_id: str, fault: RPCError) -> Exception:
        told = question_fault(question_id, fault)
        # The server says of a question that has ended what it says of one that never was.
        found = await RouterClient(self._client).status(question_id)
        return told if found.ended_at is None else _ended(question_id, found.status)

    async def _not_waiting(self, question_id: str) -> ReviewRefused:
        found = await RouterClient(self._client).status(question_id)
        if found.ended_at is not None:
            return _ended(question_id, found.status)
        return ReviewRefused(f"{question_id} does not wait for a review (it is {found.status})")

    def _handle(self, question_id: str) -> WorkflowHandle[RouteAndAnswer, Answer]:
        return self._client.get_workflow_handle_for(RouteAndAnswer.run, question_id)


def _ended(question_id: str, status: Status) -> ReviewRefused:
    return ReviewRefused(f"{question_id} does not wait for a review: it has ended ({status})")


async def _waiting(execution: WorkflowExecution) -> WaitingReview:
    memo = await execution.memo()
    opened_at = memo.get(MEMO_OPENED_AT)
    return WaitingReview(
        id=execution.id,
        run_id=execution.run_id,
        opened_at=datetime.fromisoformat(opened_at) if isinstance(opened_at, str) else execution.start_time,
        task=execution.typed_search_attributes.get(search_attributes.TASK),
        question=str(memo.get(MEMO_QUESTION, "")),
    )
