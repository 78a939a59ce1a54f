"""`ModelUpgrade`: a new model is put on record, and to the suites of every task that its provider may serve."""

from __future__ import annotations

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, ChildWorkflowError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from activities.upgrade_desk import Begun, UpgradeDesk
    from pointsman import upgrade_contract
    from pointsman.catalogue.commands import StartUpgrade
    from pointsman.catalogue.evaluation import Evaluation
    from pointsman.catalogue.observations import UpgradeEvaluated
    from pointsman.catalogue.upgrade import Upgrade
    from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, ProviderCatalogue
    from pointsman.measuring.request import EvalRequest
    from pointsman.measuring_contract import EvalRun
    from workflows.bugs import BUGS

_BEGINNING = timedelta(minutes=5)
_BEGIN_ATTEMPT = timedelta(seconds=30)
_RETRY = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(seconds=10))


@workflow.defn(failure_exception_types=BUGS)
class ModelUpgrade(upgrade_contract.ModelUpgrade):
    """Begins an upgrade and has it evaluated; the catalogue takes it from there."""

    @workflow.init
    def __init__(self, order: StartUpgrade) -> None:  # noqa: ARG002 - as run takes it
        """Nothing is on record yet."""
        self._begun: Begun | None = None
        self._refusal: ApplicationError | None = None

    @workflow.run
    async def run(self, order: StartUpgrade) -> Upgrade:
        """Begin, evaluate task by task, tell."""
        begun = await self._begin(order)
        evaluations: list[Evaluation] = []
        for task in begun.tasks:
            workflow.set_current_details(f"{order.model} is put to the suite of {task}")
            evaluations += await self._evaluate(task, begun.upgrade)
        report = UpgradeEvaluated(upgrade_id=begun.upgrade.id, provider=order.provider, evaluations=tuple(evaluations))
        catalogue = workflow.get_external_workflow_handle_for(ProviderCatalogue.run, CATALOGUE_ENTITY_ID)
        await catalogue.signal(ProviderCatalogue.upgrade_evaluated, report)
        verdicts = ", ".join(f"{one.task} {one.verdict}" for one in evaluations) or "no task has a suite"
        workflow.set_current_details(f"evaluated: {verdicts}")
        await workflow.wait_condition(workflow.all_handlers_finished)
        return begun.upgrade

    @workflow.update
    async def begun(self) -> Upgrade:  # type: ignore[override]  # the decorator's type names the class
        """The upgrade, once it is on record."""
        await workflow.wait_condition(lambda: self._begun is not None or self._refusal is not None)
        if self._begun is None:
            raise self._refusal or AssertionError("neither begun nor refused")
        return self._begun.upgrade

    async def _begin(self, order: StartUpgrade) -> Begun:
        try:
            self._begun = await workflow.execute_activity_method(
                UpgradeDesk.begin_upgrade,
                order,
                start_to_close_timeout=_BEGIN_ATTEMPT,
                schedule_to_close_timeout=_BEGINNING,
                retry_policy=_RETRY,
            )
        except ActivityError as fault:
            if is_cancelled_exception(fault):
                raise
            self._refusal = _refusal(fault)
            # Whoever waits is told before the run ends.
            await workflow.wait_condition(workflow.all_handlers_finished)
            raise self._refusal from fault
        return self._begun

    async def _evaluate(self, task: str, upgrade: Upgrade) -> tuple[Evaluation, ...]:
        """How the new model stands a task's suite; a run that comes to nothing is inconclusive."""
        name = upgrade.provider
        request = EvalRequest(
            task=task,
            providers=(name,),
            models={name: upgrade.model},
            prices={} if upgrade.price is None else {name: upgrade.price},
        )
        try:
            report = await workflow.execute_child_workflow(
                EvalRun.run,
                request,
                id=f"{upgrade.id}/{task}",
                static_summary=f"{upgrade.model} and the suite of {task}",
            )
        except ChildWorkflowError as fault:
            if is_cancelled_exception(fault):
                raise
            return (_inconclusive(task, upgrade),)
        return report.evaluations()


def _inconclusive(task: str, upgrade: Upgrade) -> Evaluation:
    return Evaluation(
        task=task,
        provider=upgrade.provider,
        model=upgrade.model,
        suite="",
        cases=0,
        passed=0,
        threshold=0.0,
        verdict="inconclusive",
        evaluated_at=workflow.now(),
    )


def _refusal(fault: ActivityError) -> ApplicationError:
    cause = fault.cause
    if isinstance(cause, ApplicationError) and cause.non_retryable:
        return ApplicationError(cause.message, type=cause.type, non_retryable=True)
    return ApplicationError(
        "the catalogue could not be told of the upgrade; try again",
        type=upgrade_contract.UPGRADE_REFUSED,
        non_retryable=True,
    )
