"""`RouteAndAnswer`: classify the question, score its candidates, call the best, fall back until one answers."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import partial
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from activities.classify import Classify
    from activities.score import Score
    from activities.take_token import TakeToken
    from pointsman import contract, narrative, search_attributes
    from pointsman.ballot import Ballot
    from pointsman.call import Completion, Leg, ProviderCall
    from pointsman.charges import Charge, TokenRequest
    from pointsman.classification import Classification, of_type
    from pointsman.contract import Status
    from pointsman.decision import Decision
    from pointsman.failure import failure
    from pointsman.messages import Answer, Question
    from pointsman.panel import Panel
    from pointsman.progress import Progress
    from pointsman.prompt import classification_question
    from pointsman.query_types import QueryType
    from pointsman.review import PendingReview
    from pointsman.review_desk import ReviewDesk
    from pointsman.steps import ScoringRequest, SecondOpinion
    from workflows.bugs import BUGS
    from workflows.high_stakes import HighStakes, elapsed_ms
    from workflows.panel import poll
    from workflows.provider_call import ask
    from workflows.race import race
    from workflows.review import show
    from workflows.shadowing import start_shadow
    from workflows.timeouts import LOCAL_RETRY, LOCAL_TIMEOUT
    from workflows.unheard import unheard


_MIN_WAIT_S = 1.0
_WAIT_SHARE = 0.05
"""Of the time that has passed: so that even a wait of weeks takes some hundred rounds, and its history stays small."""
_WAIT_SPREAD = 0.2


@workflow.defn(failure_exception_types=BUGS)
class RouteAndAnswer(contract.RouteAndAnswer):
    """One question, answered: the decision is data in the history, and so is every attempt."""

    @workflow.init
    def __init__(self, question: Question) -> None:
        """Start routing."""
        self._status = Status.ROUTING
        self._decision: Decision | None = None
        self._progress = Progress(question)
        self._desk = ReviewDesk()
        self._local = asyncio.Lock()
        self._shadowed = False
        self._deadline = workflow.info().workflow_start_time + timedelta(seconds=question.deadline_s)

    @workflow.run
    async def run(self, question: Question) -> Answer:
        """Answer the question, or fail with a typed error that lists every attempt."""
        asyncio.get_running_loop().set_exception_handler(unheard)
        try:
            answer = await self._answer(question)
        except (Exception, asyncio.CancelledError) as fault:
            self._status = Status.CANCELLED if is_cancelled_exception(fault) else Status.FAILED
            workflow.upsert_search_attributes([search_attributes.STATUS.value_set(self._status.value)])
            raise
        self._status = Status.ANSWERED
        workflow.set_current_details(narrative.of_answer(answer))
        workflow.upsert_search_attributes(search_attributes.of_answer(answer, question))
        return answer

    @property
    def route_reason(self) -> str:
        """Why it asks whom it asks now, for its trace."""
        return self._progress.reason

    @workflow.query
    def status(self) -> Status:
        """Where the question stands."""
        return Status.AWAITING_REVIEW if self._desk.waits else self._status

    @workflow.query
    def decision(self) -> Decision | None:
        """Where it goes and why, once that is decided."""
        return self._decision

    @workflow.query
    def pending_review(self) -> PendingReview | None:
        """What a person is to decide; `None` where nothing waits for one."""
        return self._desk.pending if self._desk.waits else None

    # Taken as plain JSON: what cannot be read is to be noted, and not dropped by the SDK with a line in a log.
    @workflow.signal
    def submit_review(self, review: Any = None, *more: Any) -> None:
        """A person's decision, if it can be taken now; else the reviewer is shown why not."""
        self._desk.submit([review, *more] if more else review, workflow.now())
        show(self._desk)

    @workflow.update
    def review(self, review: Any = None, *more: Any) -> None:  # type: ignore[override]  # the decorator's type names the class
        """The same; the validator has let it through."""
        del more
        self._desk.submit(review, workflow.now())

    @review.validator
    def _refuse(self, review: Any = None, *more: Any) -> None:
        refusal = self._desk.refusal([review, *more] if more else review)
        if refusal is not None:
            raise ApplicationError(refusal, type="ReviewRefused", non_retryable=True)

    async def _answer(self, question: Question) -> Answer:
        classification = await self._classify(question)
        while True:
            decision = self._decision = await self._score(question, classification)
            workflow.set_current_details(narrative.of_decision(decision))
            self._shadow(question, decision)
            if decision.panel is None:
                answer = await self._ask_one(decision)
            else:
                answer = await self._ask_panel(question, decision, decision.panel)
            if answer is not None:
                return answer
            await self._wait_or_fail(question, decision)

    def _shadow(self, question: Question, decision: Decision) -> None:
        """Have a new model asked besides, once, where the decision says so; nothing here waits for it."""
        if decision.shadow is not None and not self._shadowed:
            self._shadowed = True
            start_shadow(question, decision, decision.shadow, workflow.info().workflow_start_time)

    async def _ask_one(self, decision: Decision) -> Answer | None:
        await self._ask_in_order(decision)
        best = self._progress.best
        return None if best is None else self._progress.answer(best, decision, elapsed_ms())

    async def _ask_panel(self, question: Question, decision: Decision, panel: Panel) -> Answer | None:
        """Ask equals at once and compare; where there are no two of them, what the route wants then."""
        self._desk.schema = question.response_schema or decision.response_schema
        stakes = HighStakes(question, decision, panel, self._progress, self._desk, self._local)
        if not panel.can_compare:
            if decision.candidates and panel.on_unverifiable == "fail":
                raise stakes.unverifiable("no two equal providers can be asked")
            await self._ask_in_order(decision)
            best = self._progress.best
            return None if best is None else await stakes.unverified(best)
        ballot = Ballot(decision, panel, self._progress)
        found = await poll(
            ballot,
            deadline=self._deadline,
            question_bytes=len(question.model_dump_json().encode()),
            reconcile=partial(stakes.reconciled, ballot),
            allowed=self._paid_for,
        )
        if found is not None and found.winner is not None:
            return stakes.agreed(ballot, found, found.winner)
        if found is not None:
            return await stakes.reviewed(ballot.in_order, found, found.why)
        best = ballot.best
        if best is None and panel.on_unverifiable != "fail":
            await self._ask_in_order(decision, besides=ballot.asked)
            best = self._progress.best
        return None if best is None else await stakes.unverified(best)

    async def _classify(self, question: Question) -> Classification:
        try:
            classified = await workflow.execute_local_activity_method(
                Classify.classify,
                question,
                start_to_close_timeout=LOCAL_TIMEOUT,
                retry_policy=LOCAL_RETRY,
            )
        except ActivityError as error:
            raise _plainly(error) from error
        if classified.second_opinion is None:
            return classified.classification
        return await self._second_opinion(question, classified.second_opinion) or classified.classification

    async def _second_opinion(self, question: Question, opinion: SecondOpinion) -> Classification | None:
        """What a model says about the question's kind, or `None` if it does not say so in time."""
        call = ProviderCall(
            question=classification_question(question),
            candidate=opinion.candidate,
            retry=opinion.limits.retry,
            last_candidate=False,
            purpose="classification",
            query_type="classification",
        )
        bound = workflow.now() + timedelta(seconds=opinion.candidate.timeout_s)
        outcome = await ask(call, opinion.limits, max_attempts=1, deadline=min(bound, self._deadline))
        self._progress.record(outcome.attempts)
        if not isinstance(outcome, Completion) or outcome.refused or outcome.parsed is None:
            return None
        return of_type(QueryType(outcome.parsed["query_type"]), outcome.parsed["confidence"], classifier="llm")

    async def _score(self, question: Question, classification: Classification) -> Decision:
        try:
            return await workflow.execute_local_activity_method(
                Score.score,
                ScoringRequest(
                    question=question,
                    classification=classification,
                    question_id=workflow.info().workflow_id,
                    asked_at=workflow.now(),
                    request_id=workflow.info().run_id,
                ),
                start_to_close_timeout=LOCAL_TIMEOUT,
                retry_policy=LOCAL_RETRY,
            )
        except ActivityError as error:
            raise _plainly(error) from error

    async def _ask_in_order(self, decision: Decision, besides: frozenset[str] = frozenset()) -> None:
        """Ask one candidate after another, or two at once where the first takes long, until an answer settles it."""
        progress = self._progress
        progress.begin_round(decision, besides)
        while not progress.settled and workflow.now() < self._deadline:
            call = progress.next_call(decision)
            if call is None or not await self._paid_for(progress.charge(decision)):
                return
            second = progress.second_leg(call, decision)
            if second is None:
                attempts = progress.attempts_for(call, decision)
                outcome = await ask(call, decision.limits, max_attempts=attempts, deadline=self._deadline)
                progress.take(Leg(call=call, outcome=outcome), decision)
            else:
                allowed = partial(self._paid_for, "hedge")
                await race(call, second, decision, progress, deadline=self._deadline, allowed=allowed)

    async def _paid_for(self, charge: Charge | None) -> bool:
        """Whether the retry budget of this process grants what is to come."""
        if charge is None:
            return True
        async with self._local:
            return await workflow.execute_local_activity_method(
                TakeToken.take_token,
                TokenRequest(charge=charge, request_id=workflow.info().run_id),
                start_to_close_timeout=LOCAL_TIMEOUT,
                retry_policy=LOCAL_RETRY,
            )

    async def _wait_or_fail(self, question: Question, decision: Decision) -> None:
        """Sleep until a provider may be back where the question waits for that; else fail with every reason."""
        late = workflow.now() >= self._deadline
        failure_type, message, unanswered = failure(self._progress, decision, late=late)
        if question.on_exhausted == "wait" and unanswered.retry_after_s is not None and not late:
            spread = 1 + _WAIT_SPREAD * workflow.random().random()
            passed_s = (workflow.now() - workflow.info().workflow_start_time).total_seconds()
            shortest_s = max(_MIN_WAIT_S, _WAIT_SHARE * passed_s)
            delay = timedelta(seconds=max(shortest_s, unanswered.retry_after_s) * spread)
            if workflow.now() + delay < self._deadline:
                await workflow.sleep(delay, summary="until a provider may be back")
                return
        raise ApplicationError(message, unanswered, type=failure_type, non_retryable=True)


def _plainly(error: ActivityError) -> BaseException:
    """The fault that a local step raised, without the activity around it."""
    return error if error.cause is None or is_cancelled_exception(error) else error.cause
