"""The catalogue from Python: what was measured, where it came from, and an operator's hand.

client = await CatalogueClient.connect()
for profile in (await client.document()).profiles.values():
    print(profile.key, profile.measured_at)

Workers follow a change with their next look at the catalogue, in about a second.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable
from datetime import timedelta
from typing import Any, Self, TypeVar

from pydantic import ValidationError
from temporalio.client import (
    Client,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.workflow import UpdateMethodMultiParam

from pointsman.catalogue.commands import (
    AcceptModel,
    BeginUpgrade,
    Command,
    ImportCatalogue,
    PromoteUpgrade,
    RollBackUpgrade,
)
from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.events import CatalogueEvent
from pointsman.catalogue.room import TooLarge, check
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.upgrade import Upgrade
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, ProviderCatalogue
from pointsman.connection import connect
from pointsman.errors import CatalogueRefused, NoWorker
from pointsman.sentences import sentences
from pointsman.server_faults import server_fault, unknown_namespace
from pointsman.watch import START_ONE

_ANSWER_WITHIN_S = 10.0
_UNANSWERED = f"no worker answers for the catalogue; {START_ONE}"
# What the server has taken it keeps for the next worker.
_UNCONFIRMED = (
    "no worker has confirmed the order, and one that starts may still carry it out: see `pointsman catalogue show` "
    f"before it is given again; {START_ONE}"
)
_AGAIN_AFTER_S = 0.2
_NOBODY_ANSWERS = frozenset(
    {RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED, RPCStatusCode.FAILED_PRECONDITION}
)

_Told = TypeVar("_Told")
_Command = TypeVar("_Command", bound=Command)


class CatalogueClient:
    """Reads and steers the catalogue. Every method raises the errors of `pointsman.errors`."""

    def __init__(self, client: Client, *, answer_within_s: float = _ANSWER_WITHIN_S) -> None:
        """Use a client that has `pointsman.plugin.PointsmanPlugin`, as `pointsman.connection.connect` gives it."""
        self._client = client
        self._patience = timedelta(seconds=answer_within_s)

    @classmethod
    async def connect(cls, address: str | None = None, namespace: str | None = None) -> Self:
        """Connect as Temporal's environment says, or to `address` (host:port)."""
        return cls(await connect(address, namespace))

    @property
    def temporal(self) -> Client:
        """The Temporal client underneath."""
        return self._client

    async def document(self) -> CatalogueDocument:
        """Everything measured, as it is exported."""
        return await self._within(self._entity.query(ProviderCatalogue.document, rpc_timeout=self._patience))

    async def snapshot(self) -> CatalogueSnapshot:
        """What workers decide by."""
        return await self._within(self._entity.query(ProviderCatalogue.snapshot, rpc_timeout=self._patience))

    async def events(self) -> tuple[CatalogueEvent, ...]:
        """The last 200 events, oldest first; what operators did is among them, with their names."""
        return await self._within(self._entity.query(ProviderCatalogue.events, rpc_timeout=self._patience))

    async def import_document(self, document: CatalogueDocument, *, operator: str = "", note: str = "") -> None:
        """Put a document in place of what is kept.

        Raises:
            CatalogueRefused: it is larger than what can be kept, or dated in the future.
        """
        try:
            # The server would not even carry it to the catalogue.
            check(document)
        except TooLarge as refused:
            raise CatalogueRefused(str(refused)) from None
        command = _command(ImportCatalogue, document=document, operator=operator, note=note)
        await self._obeyed(ProviderCatalogue.import_catalogue, command)

    async def accept(self, provider: str, *, operator: str = "", note: str = "") -> None:
        """Take what a provider now serves for what is wanted.

        Raises:
            CatalogueRefused: nothing that it serves waits to be accepted.
        """
        command = _command(AcceptModel, provider=provider, operator=operator, note=note)
        await self._obeyed(ProviderCatalogue.accept_model, command)

    async def begin_upgrade(self, command: BeginUpgrade) -> Upgrade:
        """Put an upgrade on record, to be evaluated next.

        Raises:
            CatalogueRefused: another one of the provider is under way.
        """
        return await self._obeyed(ProviderCatalogue.begin_upgrade, command)

    async def promote(self, command: PromoteUpgrade) -> Upgrade:
        """Give an upgrade's new model more of the questions.

        Raises:
            CatalogueRefused: it is not ready, or over.
        """
        return await self._obeyed(ProviderCatalogue.promote, command)

    async def roll_back(self, command: RollBackUpgrade) -> Upgrade:
        """Send every further question to the configured model.

        Raises:
            CatalogueRefused: there is nothing to roll back.
        """
        return await self._obeyed(ProviderCatalogue.roll_back, command)

    @property
    def _entity(self) -> WorkflowHandle[ProviderCatalogue, None]:
        return self._client.get_workflow_handle_for(ProviderCatalogue.run, CATALOGUE_ENTITY_ID)

    async def _obeyed(
        self, order: UpdateMethodMultiParam[[ProviderCatalogue, _Command], _Told], command: _Command
    ) -> _Told:
        try:
            return await self._within(self._until_taken(order, command), _UNCONFIRMED)
        except WorkflowUpdateFailedError as fault:
            cause = fault.cause
            raise CatalogueRefused(cause.message if isinstance(cause, ApplicationError) else str(cause)) from fault

    async def _until_taken(
        self, order: UpdateMethodMultiParam[[ProviderCatalogue, _Command], _Told], command: _Command
    ) -> _Told:
        """Give an order, again where the entity could not take it: it goes on in a new run just now."""
        order_id = str(uuid.uuid4())
        while True:
            try:
                return await self._entity.execute_update(order, command, id=order_id, rpc_timeout=self._patience)
            except RPCError as fault:
                if fault.status is not RPCStatusCode.FAILED_PRECONDITION:
                    raise
            await asyncio.sleep(_AGAIN_AFTER_S)

    async def _within(self, asking: Awaitable[_Told], unanswered: str = _UNANSWERED) -> _Told:
        try:
            # The SDK may try several times, each with the timeout of its own.
            async with asyncio.timeout(self._patience.total_seconds() + 1):
                return await asking
        except RPCError as fault:
            raise _fault(fault, unanswered) from fault
        except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError):
            raise NoWorker(unanswered) from None
        except WorkflowQueryFailedError as fault:
            raise NoWorker(f"the worker that answered is of another version ({fault.message[:100]})") from fault


def _command(kind: type[_Command], **fields: Any) -> _Command:
    try:
        return kind(**fields)
    except ValidationError as fault:
        raise CatalogueRefused("; ".join(sentences(fault, kind))) from None


def _fault(fault: RPCError, unanswered: str) -> Exception:
    if fault.status is RPCStatusCode.NOT_FOUND and unknown_namespace(fault) is None:
        return NoWorker(f"no worker has kept a catalogue here yet; {START_ONE}")
    if fault.status in _NOBODY_ANSWERS:
        return NoWorker(unanswered)
    return server_fault(fault)
