"""The activity that puts an upgrade on record, with what the configuration of its process says of the provider."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from pointsman.catalogue.commands import BeginUpgrade, StartUpgrade
from pointsman.catalogue.upgrade import Upgrade
from pointsman.catalogue_client import CatalogueClient
from pointsman.configuration import Configuration
from pointsman.errors import CatalogueRefused
from pointsman.provider import Provider
from pointsman.upgrade_contract import INVALID_UPGRADE, UNKNOWN_PROVIDER, UPGRADE_REFUSED


class Begun(BaseModel):
    """An upgrade on record, and the tasks whose suites its new model has to stand."""

    model_config = ConfigDict(frozen=True)

    upgrade: Upgrade
    tasks: tuple[str, ...]


class UpgradeDesk:
    """Takes an operator's word and passes it on, complete, to the catalogue."""

    def __init__(self, client: Client, configuration: Configuration) -> None:
        """`client` reaches the catalogue."""
        self._catalogue = CatalogueClient(client)
        self._configuration = configuration

    @activity.defn
    async def begin_upgrade(self, order: StartUpgrade) -> Begun:
        """Put it on record, once however often this runs.

        Raises:
            ApplicationError: the provider is unknown, the model none of its, or another upgrade is under way.
        """
        name, settings = order.provider, self._configuration.upgrade
        provider = self._configuration.providers.get(name)
        if provider is None:
            known = ", ".join(sorted(self._configuration.providers))
            raise _refused(UNKNOWN_PROVIDER, f"{name!r} is no provider; known: {known}")
        fault = _fault(name, provider, order)
        if fault is not None:
            raise _refused(INVALID_UPGRADE, fault)
        cap = order.daily_cost_cap_usd
        command = BeginUpgrade(
            id=order.id,
            provider=name,
            base=provider.model,
            model=order.model,
            price=order.price or provider.price,
            sample=order.sample or settings.sample,
            daily_cost_cap_usd=settings.daily_cost_cap_usd if cap is None else cap,
            settings=settings,
            operator=order.operator,
            note=order.note,
        )
        try:
            upgrade = await self._catalogue.begin_upgrade(command)
        except CatalogueRefused as refused:
            raise _refused(UPGRADE_REFUSED, str(refused)) from None
        return Begun(upgrade=upgrade, tasks=self._tasks(name))

    def _tasks(self, name: str) -> tuple[str, ...]:
        routes = self._configuration.routes
        return tuple(task for task in sorted(self._configuration.suites) if name in routes[task].chain)


def _fault(name: str, provider: Provider, order: StartUpgrade) -> str | None:
    """Why the provider cannot serve the model: its adapter, its address and its key are made for one vendor."""
    model = order.model
    if order.price is None and provider.price is None:
        return (
            f"{name} has no price, so that the day's cap of shadows could not hold; give --input-price and "
            f"--output-price, or providers.{name}.price"
        )
    if not provider.enabled:
        return f"{name} is not enabled, so that nothing could be compared; enable it first"
    if model == provider.model:
        return f"{name} is configured with {model} already; name another model"
    vendor = provider.model.partition("/")[0]
    if model.partition("/")[0] != vendor:
        return (
            f"--model: {model} is not served by {name}, whose key and address are those of {vendor}; give a model "
            f"that begins with {vendor}/, or configure another provider"
        )
    return None


def _refused(kind: str, sentence: str) -> ApplicationError:
    return ApplicationError(sentence, type=kind, non_retryable=True)
