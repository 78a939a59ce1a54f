"""Several answers, one truth, or a person: what follows from a panel's votes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from activities.reconcile import Reconcile
    from pointsman import conclusion, contract, search_attributes
    from pointsman.ballot import Ballot
    from pointsman.contract import Unanswered
    from pointsman.decision import Decision
    from pointsman.messages import Answer, Question
    from pointsman.narrative import headline
    from pointsman.outcomes import total_cost
    from pointsman.panel import Panel
    from pointsman.progress import Held, Progress
    from pointsman.reconciliation import Reconciliation, uncompared
    from pointsman.review import MEMO_OPENED_AT, MEMO_QUESTION, PendingReview, ProposedAnswer, ReviewRecord, shown
    from pointsman.review_desk import ReviewDesk
    from pointsman.steps import PanelAnswer, ReconcilingRequest
    from workflows.review import decided, first_times
    from workflows.timeouts import LOCAL_RETRY, LOCAL_TIMEOUT

ONE_ANSWER = "only one of the providers that could be compared has answered"


@dataclass
class HighStakes:
    """One question whose answer is compared, and what it is made of."""

    question: Question
    decision: Decision
    panel: Panel
    progress: Progress
    desk: ReviewDesk
    local: asyncio.Lock
    """Local activities run one after another: two at once replay in another order."""

    async def reconciled(self, ballot: Ballot, outstanding: int) -> Reconciliation:
        """What the votes so far come to; answers that cannot be compared are nobody's win."""
        votes = ballot.in_order
        request = ReconcilingRequest(
            question=self.question.text,
            answers=tuple(_compared(held) for held in votes),
            response_schema=self.desk.schema,
            strategy=self.panel.strategy,
            on_cannot_tell=self.panel.on_cannot_tell,
            outstanding=outstanding,
        )
        try:
            async with self.local:
                return await workflow.execute_local_activity_method(
                    Reconcile.reconcile,
                    request,
                    start_to_close_timeout=LOCAL_TIMEOUT,
                    retry_policy=LOCAL_RETRY,
                )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            workflow.logger.error("answers could not be compared: %s", type(error.cause).__name__)
            return uncompared([held.candidate.provider for held in votes], self.panel.strategy, outstanding)

    def agreed(self, ballot: Ballot, found: Reconciliation, winner: str) -> Answer:
        """The answer of the winner."""
        return conclusion.reconciled(self._answer(ballot.vote_of(winner), verified=True), found)

    async def unverified(self, held: Held) -> Answer:
        """What becomes of an answer that there is nothing to compare with, by the route's policy."""
        match self.panel.on_unverifiable:
            case "answer":
                return self._answer(held, verified=False)
            case "review":
                return await self.reviewed([held], None, ONE_ANSWER)
            case "fail":
                raise self.unverifiable(ONE_ANSWER)

    def unverifiable(self, why: str) -> ApplicationError:
        """The failure of a question whose route takes no answer that was not compared."""
        return self._failure(contract.UNVERIFIABLE, f"The answer could not be verified: {why}.")

    async def reviewed(self, votes: list[Held], found: Reconciliation | None, why: str) -> Answer:
        """What a person makes of it, or what the route wants if nobody decides in time."""
        pending = self._pending(votes, found, why)
        workflow.upsert_search_attributes(search_attributes.of_review())
        workflow.upsert_memo({MEMO_QUESTION: headline(self.question), MEMO_OPENED_AT: pending.opened_at.isoformat()})
        in_time = await decided(self.desk, pending, self.panel.review)
        record = self.desk.record(workflow.now())
        review = self.desk.decision
        if review is None or not in_time:
            return self._overdue(votes, found, record)
        if review.reject:
            by = "" if review.reviewer is None else f" by {review.reviewer}"
            raise self._failure(contract.REVIEW_REJECTED, f"The answers were rejected{by}.", found, record)
        chosen = next((held for held in votes if held.candidate.provider == review.choose), votes[0])
        answer = self._answer(chosen, verified=True)
        if review.text is not None:
            return conclusion.rewritten(answer, review, record, found, self.desk.schema)
        return conclusion.reviewed(answer, record, found)

    def _overdue(self, votes: list[Held], found: Reconciliation | None, record: ReviewRecord) -> Answer:
        if self.panel.review.on_timeout == "fail":
            raise self._failure(contract.REVIEW_TIMED_OUT, "Nobody decided the review in time.", found, record)
        surest = max(votes, key=lambda held: held.completion.confidence)
        return conclusion.undecided(self._answer(surest, verified=False), record, found)

    def _pending(self, votes: list[Held], found: Reconciliation | None, why: str) -> PendingReview:
        now = workflow.now()
        remind_at, decide_by = first_times(self.panel.review, now)
        return PendingReview(
            question=shown(self.question.text),
            task=self.question.task,
            why=why,
            answers=tuple(_proposed(held) for held in votes),
            votes=() if found is None else found.votes,
            differences=() if found is None else found.differences,
            opened_at=now,
            remind_at=remind_at,
            decide_by=decide_by,
            on_timeout=self.panel.review.on_timeout,
        )

    def _answer(self, held: Held, *, verified: bool) -> Answer:
        return self.progress.answer(held, self.decision, elapsed_ms(), verified=verified)

    def _failure(
        self,
        failure_type: str,
        message: str,
        found: Reconciliation | None = None,
        record: ReviewRecord | None = None,
    ) -> ApplicationError:
        attempts = self.progress.attempts
        detail = Unanswered(
            attempts=attempts,
            rejected=self.decision.rejected,
            cost_usd=total_cost(attempts),
            divergence=found,
            review=record,
        )
        return ApplicationError(message, detail, type=failure_type, non_retryable=True)


def elapsed_ms() -> float:
    """Since the question was asked, by Temporal's clock."""
    return (workflow.now() - workflow.info().workflow_start_time).total_seconds() * 1000


def _compared(held: Held) -> PanelAnswer:
    completion = held.completion
    return PanelAnswer(
        provider=held.candidate.provider,
        text=completion.text,
        parsed=completion.parsed,
        claims=completion.claims,
        confidence=completion.confidence,
    )


def _proposed(held: Held) -> ProposedAnswer:
    return ProposedAnswer(
        provider=held.candidate.provider,
        model=held.candidate.model,
        text=shown(held.completion.text),
        confidence=held.completion.confidence,
        cost_usd=total_cost(held.completion.attempts),
    )
