"""`ProfileRun`: models put to the benchmark."""

from __future__ import annotations

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.measure import Measure
    from pointsman import measuring_contract
    from pointsman.catalogue_contract import ProviderCatalogue
    from pointsman.measuring.profile_report import ProfileReport, profile_report
    from pointsman.measuring.progress import RunProgress, SittingProgress
    from pointsman.measuring.request import ProfileRequest
    from workflows.bugs import BUGS
    from workflows.recording import recorded
    from workflows.sittings import Sittings
    from workflows.timeouts import MEASURING_RETRY, MEASURING_TIMEOUT


@workflow.defn(failure_exception_types=BUGS)
class ProfileRun(measuring_contract.ProfileRun):
    """A benchmark's run."""

    def __init__(self) -> None:
        """Nothing is planned yet."""
        self._sittings = Sittings()

    @workflow.run
    async def run(self, request: ProfileRequest) -> ProfileReport:
        """Plan, ask, mark, tell the catalogue and report."""
        plan = await workflow.execute_activity_method(
            Measure.plan_profile,
            request,
            start_to_close_timeout=MEASURING_TIMEOUT,
            retry_policy=MEASURING_RETRY,
        )
        done = await self._sittings.hold(plan)
        report = profile_report(done, plan, workflow.now())
        return report.model_copy(update={"unrecorded": await recorded(ProviderCatalogue.profiled, report.profiles)})

    @workflow.signal
    def advanced(self, progress: SittingProgress) -> None:
        """One provider's sitting is so far."""
        self._sittings.advanced(progress)

    @workflow.query
    def progress(self) -> RunProgress:
        """How far it is."""
        return self._sittings.progress
