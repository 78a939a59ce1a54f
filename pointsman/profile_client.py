"""Profiles from Python: the benchmark put to models, once or again and again.

client = await ProfileClient.connect()
report = await client.report(await client.start(ProfileRequest(providers=("alpha",))))
next_run = await client.schedule(timedelta(days=30))
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Self

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleHandle,
    ScheduleIntervalSpec,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
    WorkflowHandle,
)
from temporalio.service import RPCError, RPCStatusCode

from pointsman.catalogue_contract import CATALOGUE_QUEUE
from pointsman.connection import connect
from pointsman.measuring.profile_report import ProfileReport
from pointsman.measuring.request import ProfileRequest
from pointsman.measuring_contract import ProfileRun
from pointsman.measuring_runs import Tell, reported, started
from pointsman.server_faults import server_fault, steadily, unknown_namespace

SCHEDULE_ID = "pointsman-profile"


class ProfileClient:
    """Starts and schedules profiles and fetches reports. Every method raises the errors of `pointsman.errors`."""

    def __init__(self, client: Client) -> None:
        """Use a client that has `pointsman.plugin.PointsmanPlugin`, as `pointsman.connection.connect` gives it."""
        self._client = client

    @classmethod
    async def connect(cls, address: str | None = None, namespace: str | None = None) -> Self:
        """Connect as Temporal's environment says, or to `address` (host:port)."""
        return cls(await connect(address, namespace))

    async def start(self, request: ProfileRequest) -> str:
        """Start a run and return its id; it goes on whether anybody waits for it or not."""
        return await started(self._client, ProfileRun.run, request, "profile", "Measures the fleet's models")

    async def report(self, run_id: str, tell: Tell | None = None) -> ProfileReport:
        """The report of a run; waits for it, and `tell` hears of its progress meanwhile."""
        return await reported(self._client, self._handle(run_id), "profile", tell)

    async def schedule(self, every: timedelta, request: ProfileRequest | None = None) -> datetime | None:
        """Profile the fleet each so often, in place of an earlier schedule; when it runs next.

        The first run comes after one interval, counted from now. One that is still under way when the next is due lets
        that one pass.
        """
        wanted = _schedule(every, request or ProfileRequest())
        handle = self._schedule
        try:
            try:
                await self._client.create_schedule(SCHEDULE_ID, wanted)
            except ScheduleAlreadyRunningError:

                def changed(_: ScheduleUpdateInput) -> ScheduleUpdate:
                    return ScheduleUpdate(schedule=wanted)

                await handle.update(changed)
            return await self.scheduled()
        except RPCError as fault:
            raise server_fault(fault) from fault

    async def scheduled(self) -> datetime | None:
        """When the schedule runs next; `None` where there is none."""
        try:
            described = await steadily(self._schedule.describe)
        except RPCError as fault:
            if _absent(fault):
                return None
            raise server_fault(fault) from fault
        return next(iter(described.info.next_action_times), None)

    async def unschedule(self) -> bool:
        """End the schedule; whether there was one."""
        try:
            await steadily(self._schedule.delete)
        except RPCError as fault:
            if _absent(fault):
                return False
            raise server_fault(fault) from fault
        return True

    @property
    def _schedule(self) -> ScheduleHandle:
        return self._client.get_schedule_handle(SCHEDULE_ID)

    def _handle(self, run_id: str) -> WorkflowHandle[ProfileRun, ProfileReport]:
        return self._client.get_workflow_handle_for(ProfileRun.run, run_id)


def _schedule(every: timedelta, request: ProfileRequest) -> Schedule:
    # Intervals are counted from the epoch; the offset lets the first one begin now.
    since_epoch = timedelta(seconds=datetime.now(UTC).timestamp())
    return Schedule(
        action=ScheduleActionStartWorkflow(
            ProfileRun.run, request, id=SCHEDULE_ID, task_queue=CATALOGUE_QUEUE, static_summary="Measures the fleet"
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=every, offset=since_epoch % every)]),
    )


def _absent(fault: RPCError) -> bool:
    return fault.status is RPCStatusCode.NOT_FOUND and unknown_namespace(fault) is None
