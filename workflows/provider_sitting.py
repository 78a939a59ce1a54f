"""`ProviderSitting`: one model is put to its questions, a few at once, and every answer is marked.

A call that no provider answered is an error and no mark against the model; after six in a row the rest is not asked.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ApplicationError, ChildWorkflowError, FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from activities.measure import Measure
    from pointsman import contract, measuring_contract, search_attributes
    from pointsman.call import Completion, FailedCall
    from pointsman.contract import TASK_QUEUE
    from pointsman.evals.judging import NoJudgement, judgement_in, judges_question
    from pointsman.examination.marks import Judgement, Marks
    from pointsman.measuring.progress import SittingProgress
    from pointsman.measuring.sitting import (
        CaseResult,
        Judges,
        Lot,
        LotRequest,
        MarkRequest,
        PlannedQuestion,
        Sitting,
        SittingResult,
        not_asked,
        result_of,
    )
    from workflows.bugs import BUGS
    from workflows.provider_call import ask
    from workflows.timeouts import MEASURING_RETRY, MEASURING_TIMEOUT

_HOPELESS_AFTER = 6
_TOLD_TIMES = 10


@workflow.defn(failure_exception_types=BUGS)
class ProviderSitting(measuring_contract.ProviderSitting):
    """One provider's part of a run."""

    @workflow.init
    def __init__(self, sitting: Sitting) -> None:
        """Nothing is asked yet."""
        self._sitting = sitting
        self._results: dict[str, CaseResult] = {}
        self._errors_in_a_row = 0
        self._marking = asyncio.Lock()

    @workflow.run
    async def run(self, sitting: Sitting) -> SittingResult:
        """Ask and mark, lot by lot."""
        start: int | None = 0
        order: list[str] = []
        while start is not None:
            lot = await workflow.execute_activity_method(
                Measure.next_lot,
                LotRequest(sitting=sitting, start=start),
                start_to_close_timeout=MEASURING_TIMEOUT,
                retry_policy=MEASURING_RETRY,
            )
            order += [question.id for question in lot.questions]
            await self._ask(lot)
            start = lot.following
        return SittingResult(sitting=sitting, results=tuple(self._results[found] for found in order))

    async def _ask(self, lot: Lot) -> None:
        waiting = list(reversed(lot.questions))

        async def one_after_another() -> None:
            while waiting:
                question = waiting.pop()
                await self._note(await self._result(question, lot))

        await asyncio.gather(*(one_after_another() for _ in range(lot.at_once)))

    async def _result(self, question: PlannedQuestion, lot: Lot) -> CaseResult:
        if self._errors_in_a_row >= _HOPELESS_AFTER:
            return not_asked(question, f"{_HOPELESS_AFTER} questions in a row had no answer")
        deadline = workflow.now() + timedelta(seconds=question.call.question.deadline_s)
        outcome = await ask(question.call, lot.limits, max_attempts=lot.max_attempts, deadline=deadline)
        marks = await self._marks(question, outcome)
        judging_usd: float | None = 0.0
        if marks.rubrics and isinstance(outcome, Completion):
            marks, judging_usd = await self._judged(question, outcome, marks, lot.judges)
        self._errors_in_a_row = self._errors_in_a_row + 1 if isinstance(outcome, FailedCall) and marks.no_answer else 0
        return result_of(question, outcome, marks, judging_usd=judging_usd)

    async def _marks(self, question: PlannedQuestion, outcome: Completion | FailedCall) -> Marks:
        # One at a time: several answers of the largest kind in one workflow task would end the workflow (ruling 9).
        async with self._marking:
            return await workflow.execute_activity_method(
                Measure.mark_answer,
                MarkRequest(sitting=self._sitting, question=question.id, outcome=outcome),
                start_to_close_timeout=MEASURING_TIMEOUT,
                retry_policy=MEASURING_RETRY,
            )

    async def _judged(
        self, question: PlannedQuestion, answer: Completion, marks: Marks, judges: Judges | None
    ) -> tuple[Marks, float | None]:
        """The marks with those of the judges, and what these cost."""
        if judges is None:
            return marks.unjudged("the suite names none"), 0.0
        found: list[Judgement] = []
        cost_usd: float | None = 0.0
        for number, rubric in enumerate(marks.rubrics, start=1):
            asked = judges_question(question.call.question, answer.text, rubric, judges.task, judges.deny)
            try:
                judged = await workflow.execute_child_workflow(
                    contract.RouteAndAnswer.run,
                    asked,
                    id=f"{workflow.info().workflow_id}/judge/{question.id}/{number}",
                    task_queue=TASK_QUEUE,
                    search_attributes=search_attributes.at_start(asked),
                    static_summary=f"Judges the answer to {question.id}",
                )
                cost_usd = None if cost_usd is None or judged.cost_usd is None else cost_usd + judged.cost_usd
                found.append(judgement_in(judged))
            except ChildWorkflowError as fault:
                if is_cancelled_exception(fault):
                    raise
                return marks.unjudged(_why(fault)), None
            except NoJudgement as none:
                return marks.unjudged(str(none)), cost_usd
        return marks.judged(tuple(found)), cost_usd

    async def _note(self, result: CaseResult) -> None:
        self._results[result.id] = result
        done, of = len(self._results), self._sitting.questions
        workflow.set_current_details(f"{self._sitting.provider}: {done} of {of} questions")
        step = max(1, of // _TOLD_TIMES)
        parent = workflow.info().parent
        if parent is None or (done % step and done != of):
            return
        told = SittingProgress(provider=self._sitting.provider, model=self._sitting.model, done=done, of=of)
        try:
            # By its name: the parent is a run of either kind.
            await workflow.get_external_workflow_handle(parent.workflow_id, run_id=parent.run_id).signal(
                "advanced", told
            )
        except FailureError as fault:
            if is_cancelled_exception(fault):
                raise
            workflow.logger.warning("progress could not be told: %s", fault)


def _why(fault: ChildWorkflowError) -> str:
    cause = fault.cause
    return cause.message if isinstance(cause, ApplicationError) else type(cause).__name__
