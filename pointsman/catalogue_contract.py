"""`ProviderCatalogue` as its callers see it: the entity that keeps what was measured of the fleet's models.

    await handle.signal(ProviderCatalogue.profiled, profile)
    snapshot = await handle.query(ProviderCatalogue.snapshot)

The workflow that does the work subclasses this one and is what workers register.
"""

from __future__ import annotations

from temporalio import workflow

from pointsman.catalogue.commands import AcceptModel, BeginUpgrade, ImportCatalogue, PromoteUpgrade, RollBackUpgrade
from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.events import CatalogueEvent
from pointsman.catalogue.observations import Observations, ServedReport, ShadowResult, UpgradeEvaluated
from pointsman.catalogue.profile import Profile
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.state import CatalogueState
from pointsman.catalogue.upgrade import Upgrade

CATALOGUE_ENTITY_ID = "provider-catalogue"
CATALOGUE_QUEUE = "pointsman-catalogue"
"""The task queue of the entity and of everything that measures, so that none of it delays a question."""


@workflow.defn
class ProviderCatalogue:
    """Profiles, evaluations, served models and upgrades of a fleet. It never ends by itself.

    Every worker process starts it, with the conflict policy USE_EXISTING.
    """

    @workflow.run
    async def run(self, state: CatalogueState | None = None) -> None:
        """Keep the catalogue; a state is only given by the run before."""
        raise NotImplementedError

    @workflow.signal
    def profiled(self, profile: Profile, /) -> None:
        """Take a measurement; it takes the place of the model's last one."""
        raise NotImplementedError

    @workflow.signal
    def evaluated(self, evaluation: Evaluation, /) -> None:
        """Take a suite's result; it takes the place of the last one, unless it is inconclusive."""
        raise NotImplementedError

    @workflow.signal
    def served(self, report: ServedReport, /) -> None:
        """Take which model a vendor says it has served."""
        raise NotImplementedError

    @workflow.signal
    def upgrade_evaluated(self, report: UpgradeEvaluated, /) -> None:
        """Take how the new model of an upgrade stood its suites."""
        raise NotImplementedError

    @workflow.signal
    def shadowed(self, result: ShadowResult, /) -> None:
        """Take what came of one shadowed question."""
        raise NotImplementedError

    @workflow.signal
    def observed(self, observations: Observations, /) -> None:
        """Take how live answers of a provider under upgrade were, by model."""
        raise NotImplementedError

    @workflow.update
    def begin_upgrade(self, command: BeginUpgrade, /) -> Upgrade:
        """Begin an upgrade; refused with a sentence where one is under way."""
        raise NotImplementedError

    @workflow.update
    def promote(self, command: PromoteUpgrade, /) -> Upgrade:
        """Give the new model a share of the questions, or the next step's."""
        raise NotImplementedError

    @workflow.update
    def roll_back(self, command: RollBackUpgrade, /) -> Upgrade:
        """Send every further question to the configured model."""
        raise NotImplementedError

    @workflow.update
    def accept_model(self, command: AcceptModel, /) -> None:
        """Take what a vendor now serves for what is wanted."""
        raise NotImplementedError

    @workflow.update
    def import_catalogue(self, command: ImportCatalogue, /) -> None:
        """Take a whole catalogue in place of the one that is kept."""
        raise NotImplementedError

    @workflow.query
    def snapshot(self) -> CatalogueSnapshot:
        """What processes decide by."""
        raise NotImplementedError

    @workflow.query
    def document(self) -> CatalogueDocument:
        """The whole catalogue, as it is exported."""
        raise NotImplementedError

    @workflow.query
    def events(self) -> tuple[CatalogueEvent, ...]:
        """What happened of late, oldest first."""
        raise NotImplementedError
