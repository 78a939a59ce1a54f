"""`EvalRun` and `ProfileRun` as their callers see them.

    handle = await client.start_workflow(EvalRun.run, EvalRequest(task="extract"), id=..., task_queue=CATALOGUE_QUEUE)
    report = await handle.result()

The workflows that do the work subclass these. A workflow can have its own model measured by a child:

    report = await workflow.execute_child_workflow(EvalRun.run, EvalRequest(task="extract", providers=("alpha",),
                                                   models={"alpha": "openai/new-2026-11-01"}), task_queue=...)
"""

from __future__ import annotations

from temporalio import workflow

from pointsman.measuring.eval_report import EvalReport
from pointsman.measuring.profile_report import ProfileReport
from pointsman.measuring.progress import RunProgress, SittingProgress
from pointsman.measuring.request import EvalRequest, ProfileRequest
from pointsman.measuring.sitting import Sitting, SittingResult

RUN_REFUSED = "RunRefused"
"""Type of the failure of a run that cannot be: an unknown task or provider, or questions that changed meanwhile."""


@workflow.defn
class EvalRun:
    """Models put to the suite of a task, all at once; each result is told to the catalogue."""

    @workflow.run
    async def run(self, request: EvalRequest) -> EvalReport:
        """Ask, mark and report.

        Raises:
            ApplicationError: of the type `RUN_REFUSED`, with a sentence.
        """
        raise NotImplementedError

    @workflow.signal
    def advanced(self, progress: SittingProgress) -> None:
        """One provider's sitting is so far."""
        raise NotImplementedError

    @workflow.query
    def progress(self) -> RunProgress:
        """How far it is."""
        raise NotImplementedError


@workflow.defn
class ProfileRun:
    """Models put to the benchmark, all at once; each profile is told to the catalogue."""

    @workflow.run
    async def run(self, request: ProfileRequest) -> ProfileReport:
        """Ask, mark and report.

        Raises:
            ApplicationError: of the type `RUN_REFUSED`, with a sentence.
        """
        raise NotImplementedError

    @workflow.signal
    def advanced(self, progress: SittingProgress) -> None:
        """One provider's sitting is so far."""
        raise NotImplementedError

    @workflow.query
    def progress(self) -> RunProgress:
        """How far it is."""
        raise NotImplementedError


@workflow.defn
class ProviderSitting:
    """One model of one provider, put to its questions, a few at once."""

    @workflow.run
    async def run(self, sitting: Sitting) -> SittingResult:
        """Ask and mark."""
        raise NotImplementedError
