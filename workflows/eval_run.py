"""`EvalRun`: models put to the suite of a task."""

from __future__ import annotations

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.measure import Measure
    from pointsman import measuring_contract
    from pointsman.catalogue_contract import ProviderCatalogue
    from pointsman.measuring.eval_report import EvalReport, model_report
    from pointsman.measuring.progress import RunProgress, SittingProgress
    from pointsman.measuring.request import EvalRequest
    from workflows.bugs import BUGS
    from workflows.recording import recorded
    from workflows.sittings import Sittings
    from workflows.timeouts import MEASURING_RETRY, MEASURING_TIMEOUT


@workflow.defn(failure_exception_types=BUGS)
class EvalRun(measuring_contract.EvalRun):
    """A suite's run."""

    def __init__(self) -> None:
        """Nothing is planned yet."""
        self._sittings = Sittings()

    @workflow.run
    async def run(self, request: EvalRequest) -> EvalReport:
        """Plan, ask, mark, tell the catalogue and report."""
        plan = await workflow.execute_activity_method(
            Measure.plan_eval,
            request,
            start_to_close_timeout=MEASURING_TIMEOUT,
            retry_policy=MEASURING_RETRY,
        )
        done = await self._sittings.hold(plan)
        report = EvalReport(
            task=request.task,
            description=plan.description,
            suite=plan.digest,
            threshold=plan.threshold,
            evaluated_at=workflow.now(),
            models=tuple(model_report(one, plan) for one in done),
        )
        return report.model_copy(
            update={"unrecorded": await recorded(ProviderCatalogue.evaluated, report.evaluations())}
        )

    @workflow.signal
    def advanced(self, progress: SittingProgress) -> None:
        """One provider's sitting is so far."""
        self._sittings.advanced(progress)

    @workflow.query
    def progress(self) -> RunProgress:
        """How far it is."""
        return self._sittings.progress
