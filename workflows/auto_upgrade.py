"""The workflows that outlive a version of the workers, for workers that have one: they move to the current build.

Apart from the workflows themselves: a server refuses each task of a worker without a version that names a behaviour.
"""

from __future__ import annotations

from temporalio import workflow
from temporalio.common import VersioningBehavior

with workflow.unsafe.imports_passed_through():
    from pointsman.catalogue.commands import StartUpgrade
    from pointsman.catalogue.state import CatalogueState
    from pointsman.catalogue.upgrade import Upgrade
    from pointsman.health.state import HealthState
    from workflows import model_upgrade, provider_catalogue, provider_health
    from workflows.bugs import BUGS


@workflow.defn(failure_exception_types=BUGS, versioning_behavior=VersioningBehavior.AUTO_UPGRADE)
class ProviderHealth(provider_health.ProviderHealth):
    """The health of all providers; there is one for all builds."""

    @workflow.init
    def __init__(self, state: HealthState | None = None) -> None:
        """As the workflow itself."""
        super().__init__(state)

    @workflow.run
    async def run(self, state: HealthState | None = None) -> None:
        """As the workflow itself."""
        await super().run(state)


@workflow.defn(versioning_behavior=VersioningBehavior.AUTO_UPGRADE)
class ProviderCatalogue(provider_catalogue.ProviderCatalogue):
    """What was measured of all models; there is one for all builds."""

    @workflow.init
    def __init__(self, state: CatalogueState | None = None) -> None:
        """As the workflow itself."""
        super().__init__(state)

    @workflow.run
    async def run(self, state: CatalogueState | None = None) -> None:
        """As the workflow itself."""
        await super().run(state)


@workflow.defn(failure_exception_types=BUGS, versioning_behavior=VersioningBehavior.AUTO_UPGRADE)
class ModelUpgrade(model_upgrade.ModelUpgrade):
    """The upgrade of a provider's model, which may take weeks."""

    @workflow.init
    def __init__(self, order: StartUpgrade) -> None:
        """As the workflow itself."""
        super().__init__(order)

    @workflow.run
    async def run(self, order: StartUpgrade) -> Upgrade:
        """As the workflow itself."""
        return await super().run(order)
