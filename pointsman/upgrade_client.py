"""Upgrades from Python: begin one, see how it does, give it more of the questions, or end it.

client = await UpgradeClient.connect()
await client.start("alpha", "openai/gpt-5.2-2026-11-01", sample=0.1)
print((await client.status())["alpha"].shadow_comparison().verdict)
await client.promote("alpha", share=0.1)
"""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from datetime import timedelta
from typing import Self, TypeVar

from pydantic import ValidationError
from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from pointsman.catalogue.commands import Command, PromoteUpgrade, RollBackUpgrade, StartUpgrade
from pointsman.catalogue.upgrade import Upgrade
from pointsman.catalogue_client import CatalogueClient
from pointsman.catalogue_contract import CATALOGUE_QUEUE
from pointsman.connection import connect
from pointsman.errors import CatalogueRefused, InvalidUpgrade, NoWorker, PointsmanError, UnknownProvider
from pointsman.provider import Price
from pointsman.sentences import in_one
from pointsman.server_faults import server_fault
from pointsman.upgrade_contract import INVALID_UPGRADE, UNKNOWN_PROVIDER, ModelUpgrade, upgrade_workflow_id
from pointsman.watch import START_ONE

_ANSWER_WITHIN_S = 15.0
_LOOKS, _LOOK_EVERY_S = 5, 0.2
_Command = TypeVar("_Command", bound=Command)
_TOLD: dict[str | None, type[PointsmanError]] = {UNKNOWN_PROVIDER: UnknownProvider, INVALID_UPGRADE: InvalidUpgrade}


class _UnderWay(CatalogueRefused):
    """The provider's upgrade workflow has not ended."""


class UpgradeClient:
    """Begins, shows, promotes and ends upgrades. Every method raises the errors of `pointsman.errors`."""

    def __init__(self, client: Client, *, answer_within_s: float = _ANSWER_WITHIN_S) -> None:
        """Use a client that has `pointsman.plugin.PointsmanPlugin`, as `pointsman.connection.connect` gives it."""
        self._client = client
        self._catalogue = CatalogueClient(client, answer_within_s=answer_within_s)
        self._patience = timedelta(seconds=answer_within_s)

    @classmethod
    async def connect(cls, address: str | None = None, namespace: str | None = None) -> Self:
        """Connect as Temporal's environment says, or to `address` (host:port)."""
        return cls(await connect(address, namespace))

    @property
    def temporal(self) -> Client:
        """The Temporal client underneath."""
        return self._client

    async def start(  # noqa: PLR0913 - an operator's word, field by field
        self,
        provider: str,
        model: str,
        *,
        price: Price | None = None,
        sample: float | None = None,
        daily_cost_cap_usd: float | None = None,
        operator: str = "",
        note: str = "",
    ) -> Upgrade:
        """Begin an upgrade; what is left out is as the workers' configuration has it.

        Raises:
            UnknownProvider: no worker's configuration has it.
            InvalidUpgrade: the model is none that the provider could serve.
            CatalogueRefused: another one is under way.
        """
        order = _checked(
            StartUpgrade,
            id=f"upgrade-{uuid.uuid4()}",
            provider=provider,
            model=model,
            price=price,
            sample=sample,
            daily_cost_cap_usd=daily_cost_cap_usd,
            operator=operator,
            note=note,
        )
        for _ in range(_LOOKS):
            # The one before may have been refused a moment ago, and its workflow be about to end.
            with suppress(_UnderWay):
                return await self._begun(order)
            await asyncio.sleep(_LOOK_EVERY_S)
        return await self._begun(order)

    async def _begun(self, order: StartUpgrade) -> Upgrade:
        provider = order.provider
        starting = WithStartWorkflowOperation(
            ModelUpgrade.run,
            order,
            id=upgrade_workflow_id(provider),
            task_queue=CATALOGUE_QUEUE,
            id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
            static_summary=f"{provider} to {order.model}",
        )
        try:
            async with asyncio.timeout(self._patience.total_seconds() + 1):
                return await self._client.execute_update_with_start_workflow(
                    ModelUpgrade.begun, start_workflow_operation=starting, rpc_timeout=self._patience
                )
        except WorkflowUpdateFailedError as fault:
            raise _told(fault) from fault
        except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError):
            raise NoWorker(
                f"the server has the order, but no worker has confirmed it; see `pointsman upgrade status {provider}`; "
                f"{START_ONE}"
            ) from None
        except (RPCError, WorkflowAlreadyStartedError) as fault:
            # The handle holds the same fault, which nobody else will look at.
            with suppress(RPCError, WorkflowAlreadyStartedError):
                await starting.workflow_handle()
            raise _not_started(provider, fault) from fault

    async def status(self) -> dict[str, Upgrade]:
        """The last upgrade of every provider that has had one."""
        return (await self._catalogue.document()).upgrades

    async def promote(
        self, provider: str, *, share: float | None = None, operator: str = "", note: str = ""
    ) -> Upgrade:
        """Give the new model the next step's share of the questions, or the one that is named (0.1 is 10 %).

        Raises:
            InvalidUpgrade: the share is none.
            CatalogueRefused: what was measured does not allow it, or there is nothing to promote.
        """
        held = (await self.status()).get(provider)
        return await self._catalogue.promote(
            _checked(
                PromoteUpgrade,
                provider=provider,
                held=None if held is None else held.share,
                share=share,
                operator=operator,
                note=note,
            )
        )

    async def roll_back(self, provider: str, *, operator: str = "", note: str = "") -> Upgrade:
        """Send every further question to the configured model; what is still being evaluated is ended.

        Raises:
            CatalogueRefused: there is nothing to roll back.
        """
        ended = await self._catalogue.roll_back(
            _checked(RollBackUpgrade, provider=provider, operator=operator, note=note)
        )
        with suppress(RPCError):  # it has ended by itself, mostly
            evaluating = self._client.get_workflow_handle(upgrade_workflow_id(provider))
            await evaluating.cancel(rpc_timeout=self._patience)
        return ended


def _checked(kind: type[_Command], **fields: object) -> _Command:
    try:
        return kind.model_validate(fields)
    except ValidationError as fault:
        raise InvalidUpgrade(in_one(fault, kind)) from None


def _not_started(provider: str, fault: RPCError | WorkflowAlreadyStartedError) -> PointsmanError:
    # Servers differ in how they say it.
    if isinstance(fault, RPCError) and fault.status is not RPCStatusCode.ALREADY_EXISTS:
        return server_fault(fault)
    return _UnderWay(
        f"an upgrade of {provider} is being evaluated; see `pointsman upgrade status {provider}`, or end it with "
        f"`pointsman upgrade rollback {provider}`"
    )


def _told(fault: WorkflowUpdateFailedError) -> PointsmanError:
    cause = fault.cause
    if not isinstance(cause, ApplicationError):
        return CatalogueRefused(str(cause))
    return _TOLD.get(cause.type, CatalogueRefused)(cause.message)
