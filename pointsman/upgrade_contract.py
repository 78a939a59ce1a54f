"""`ModelUpgrade` as its callers see it: the workflow that puts a new model to its suites, and then has it shadowed.

It is started with an update, so that a refusal comes back at once; `pointsman.upgrade_client` does both.
"""

from __future__ import annotations

from temporalio import workflow

from pointsman.catalogue.commands import StartUpgrade
from pointsman.catalogue.upgrade import Upgrade

UNKNOWN_PROVIDER = "UnknownProvider"
INVALID_UPGRADE = "InvalidUpgrade"
UPGRADE_REFUSED = "UpgradeRefused"


def upgrade_workflow_id(provider: str) -> str:
    """The workflow's id: a provider's upgrades are evaluated one at a time."""
    return f"model-upgrade-{provider}"


@workflow.defn
class ModelUpgrade:
    """One upgrade, from an operator's word to the end of its evaluation; the catalogue keeps what comes after."""

    @workflow.run
    async def run(self, order: StartUpgrade) -> Upgrade:
        """Put it on record, evaluate it and tell the catalogue; returns it as it was begun.

        Raises:
            ApplicationError: of one of the types above, with a sentence.
        """
        raise NotImplementedError

    @workflow.update
    async def begun(self) -> Upgrade:
        """The upgrade, once it is on record; fails as the run does where it is refused."""
        raise NotImplementedError
