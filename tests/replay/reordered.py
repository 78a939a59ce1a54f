"""A workflow that must not replay: it calls a provider before anything was classified or scored."""

from __future__ import annotations

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from pointsman import contract
    from pointsman.contract import Status
    from pointsman.decision import Decision
    from pointsman.messages import Answer, Question


@workflow.defn(name="RouteAndAnswer")
class Reordered(contract.RouteAndAnswer):
    @workflow.run
    async def run(self, question: Question) -> Answer:
        answer: Answer = await workflow.execute_activity(
            "complete", question, result_type=Answer, start_to_close_timeout=timedelta(seconds=1)
        )
        return answer

    @workflow.query
    def status(self) -> Status:
        return Status.ROUTING

    @workflow.query
    def decision(self) -> Decision | None:
        return None
