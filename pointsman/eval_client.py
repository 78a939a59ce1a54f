"""Evaluations from Python: a task's suite put to models, and what came of it.

client = await EvalClient.connect()
run_id = await client.start(EvalRequest(task="extract", providers=("alpha",)))
report = await client.report(run_id)
assert report.passed, report.models[0].failing
"""

from __future__ import annotations

from typing import Self

from temporalio.client import Client, WorkflowHandle

from pointsman.connection import connect
from pointsman.measuring.eval_report import EvalReport
from pointsman.measuring.request import EvalRequest
from pointsman.measuring_contract import EvalRun
from pointsman.measuring_runs import Tell, reported, started


class EvalClient:
    """Starts evaluations and fetches their reports. Every method raises the errors of `pointsman.errors`."""

    def __init__(self, client: Client) -> None:
        """Use a client that has `pointsman.plugin.PointsmanPlugin`, as `pointsman.connection.connect` gives it."""
        self._client = client

    @classmethod
    async def connect(cls, address: str | None = None, namespace: str | None = None) -> Self:
        """Connect as Temporal's environment says, or to `address` (host:port)."""
        return cls(await connect(address, namespace))

    async def start(self, request: EvalRequest) -> str:
        """Start a run and return its id; it goes on whether anybody waits for it or not."""
        return await started(self._client, EvalRun.run, request, "eval", f"Evaluates {request.task}"[:200])

    async def report(self, run_id: str, tell: Tell | None = None) -> EvalReport:
        """The report of a run; waits for it, and `tell` hears of its progress meanwhile."""
        return await reported(self._client, self._handle(run_id), "eval", tell)

    def _handle(self, run_id: str) -> WorkflowHandle[EvalRun, EvalReport]:
        return self._client.get_workflow_handle_for(EvalRun.run, run_id)
