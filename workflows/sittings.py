"""The sittings of a run: one child workflow a model, all at once, and how far they are."""

from __future__ import annotations

import asyncio

from temporalio import workflow
from temporalio.exceptions import ApplicationError, ChildWorkflowError

with workflow.unsafe.imports_passed_through():
    from pointsman.measuring.progress import RunProgress, SittingProgress
    from pointsman.measuring.sitting import Plan, Sitting, SittingResult
    from pointsman.measuring_contract import RUN_REFUSED
    from workflows.provider_sitting import ProviderSitting


class Sittings:
    """What a run knows of its children."""

    def __init__(self) -> None:
        """None is begun."""
        self.progress = RunProgress()

    async def hold(self, plan: Plan) -> tuple[SittingResult, ...]:
        """Let all sit, and wait for the last.

        Raises:
            ApplicationError: one of them found other questions than were planned.
        """
        self.progress = RunProgress(
            sittings=tuple(
                SittingProgress(provider=one.provider, model=one.model, of=one.questions) for one in plan.sittings
            )
        )
        self._show()
        try:
            return tuple(await asyncio.gather(*map(_hold, plan.sittings)))
        except ChildWorkflowError as fault:
            refusal = _refusal(fault)
            if refusal is None:
                raise
            raise ApplicationError(refusal, type=RUN_REFUSED, non_retryable=True) from None

    def advanced(self, progress: SittingProgress) -> None:
        """One of them is so far."""
        self.progress = self.progress.advanced(progress)
        self._show()

    def _show(self) -> None:
        workflow.set_current_details(self.progress.in_words())


async def _hold(sitting: Sitting) -> SittingResult:
    return await workflow.execute_child_workflow(
        ProviderSitting.run,
        sitting,
        id=f"{workflow.info().workflow_id}/{sitting.provider}/{sitting.model}",
        static_summary=f"{sitting.provider} ({sitting.model})",
    )


def _refusal(cause: BaseException | None) -> str | None:
    """The sentence of a refusal that lies somewhere in what a child ended with."""
    while cause is not None:
        if isinstance(cause, ApplicationError) and cause.type == RUN_REFUSED:
            return cause.message
        cause = cause.__cause__
    return None
