"""The health of the providers from Python: how they are, what happened, and an operator's hand.

client = await HealthClient.connect()
for key in (await client.overview()).keys:
    print(key.provider, key.state)
await client.open("alpha", operator="ada", note="maintenance")

Workers follow an order with their next look at the fleet's health, in about a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Self, TypeVar

from pydantic import ValidationError
from temporalio.client import Client, WorkflowHandle, WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from pointsman.connection import connect
from pointsman.errors import NoServer, NoWorker, UnknownProvider
from pointsman.health.events import AdminCommand, HealthLog
from pointsman.health.overview import HealthOverview
from pointsman.health.snapshot import Snapshot
from pointsman.health_contract import HEALTH_ENTITY_ID, ProviderHealth
from pointsman.sentences import sentences
from pointsman.server_faults import server_fault, server_gone, unknown_namespace

_ANSWER_WITHIN_S = 5.0
_SIGN_OF_LIFE_S = 2.0
_SHOWN_WITHIN = 20
_LOOK_EVERY_S = 0.25
_START_ONE = "start one with `python -m workers` or `make dev`"
_NOBODY_ANSWERS = frozenset(
    {RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED, RPCStatusCode.FAILED_PRECONDITION}
)

_Answer = TypeVar("_Answer")
_Order = Callable[[ProviderHealth, AdminCommand], None]


class HealthClient:
    """Reads and steers the health of all providers. Every method raises the errors of `pointsman.errors`."""

    def __init__(self, client: Client, *, answer_within_s: float = _ANSWER_WITHIN_S) -> None:
        """Use a client that has `pointsman.plugin.PointsmanPlugin`, as `pointsman.connection.connect` gives it."""
        self._client = client
        self._patience_s = answer_within_s

    @classmethod
    async def connect(cls, address: str | None = None, namespace: str | None = None) -> Self:
        """Connect as Temporal's environment says, or to `address` (host:port)."""
        return cls(await connect(address, namespace))

    @property
    def temporal(self) -> Client:
        """The Temporal client underneath."""
        return self._client

    async def overview(self) -> HealthOverview:
        """Everything that a person asks: a row a provider, and the processes that report."""
        return await self._within(lambda patience: self._entity.query(ProviderHealth.overview, rpc_timeout=patience))

    async def snapshot(self) -> Snapshot:
        """What a worker reads to decide by."""
        return await self._within(
            lambda patience: self._entity.query(ProviderHealth.snapshot, "", rpc_timeout=patience)
        )

    async def events(self) -> HealthLog:
        """The last 100 events and the last 100 orders of operators, oldest first."""
        return await self._within(lambda patience: self._entity.query(ProviderHealth.events, rpc_timeout=patience))

    async def open(self, provider: str, *, operator: str = "", note: str = "") -> HealthOverview:
        """Send a provider, or one of its keys, no calls until further notice."""
        return await self._order(ProviderHealth.force_open, provider, operator, note)

    async def close(self, provider: str, *, operator: str = "", note: str = "") -> HealthOverview:
        """Always admit calls to a provider, or to one of its keys: outcomes are only counted."""
        return await self._order(ProviderHealth.force_close, provider, operator, note)

    async def reset(self, provider: str, *, operator: str = "", note: str = "") -> HealthOverview:
        """Let a provider, or one of its keys, begin anew: closed, nothing counted, no cooldown."""
        return await self._order(ProviderHealth.reset, provider, operator, note)

    @property
    def _entity(self) -> WorkflowHandle[ProviderHealth, None]:
        return self._client.get_workflow_handle_for(ProviderHealth.run, HEALTH_ENTITY_ID)

    async def _order(self, order: _Order, target: str, operator: str, note: str) -> HealthOverview:
        """Give the order and return how things stand once it shows."""
        before = await self.overview()
        if not before.of(target):
            known = ", ".join(before.providers) or "none yet"
            raise UnknownProvider(f"{target!r} is no provider; known: {known}")
        command = _command(target, operator, note)
        await self._within(lambda patience: self._entity.signal(order, command, rpc_timeout=patience))
        generations = {key.key: key.gen for key in before.of(target)}
        for _ in range(_SHOWN_WITHIN):
            after = await self._after(target)
            if all(key.gen > generations.get(key.key, 0) for key in after.of(target)):
                return after
            await asyncio.sleep(_LOOK_EVERY_S)
        raise NoWorker(f"the server has the order for {target}, but no worker has carried it out; {_START_ONE}")

    async def _after(self, target: str) -> HealthOverview:
        try:
            return await self.overview()
        except NoWorker as fault:
            raise NoWorker(f"the server has the order for {target}, to be carried out by a worker; {fault}") from fault

    async def _within(self, ask: Callable[[timedelta], Awaitable[_Answer]]) -> _Answer:
        try:
            # The SDK may try several times, each with the timeout of its own.
            async with asyncio.timeout(self._patience_s + 1):
                return await ask(timedelta(seconds=self._patience_s))
        except RPCError as fault:
            if fault.status in _NOBODY_ANSWERS:
                raise await self._silent() from fault
            raise self._gone() if server_gone(fault) else _told(fault) from fault
        except TimeoutError:
            raise await self._silent() from None
        except WorkflowQueryFailedError as fault:
            raise NoWorker(f"the worker that answered is of another version ({fault.message[:100]})") from fault

    async def _silent(self) -> Exception:
        """Why nobody answered in time: no worker does, or the server has gone since the client was connected."""
        try:
            async with asyncio.timeout(_SIGN_OF_LIFE_S):
                await self._client.service_client.check_health()
        except (RPCError, TimeoutError):
            return self._gone()
        return NoWorker(_nobody_answers())

    def _gone(self) -> NoServer:
        return NoServer(f"the Temporal server at {self._client.service_client.config.target_host} does not answer")


def _command(target: str, operator: str, note: str) -> AdminCommand:
    try:
        return AdminCommand(target=target, operator=operator, note=note)
    except ValidationError as fault:
        raise ValueError("; ".join(sentences(fault, AdminCommand))) from None


def _told(fault: RPCError) -> Exception:
    if fault.status is RPCStatusCode.NOT_FOUND and unknown_namespace(fault) is None:
        return NoWorker(f"no worker has told of its providers yet; {_START_ONE}")
    return server_fault(fault)


def _nobody_answers() -> str:
    return f"no worker answers for the health of the providers; {_START_ONE}"
