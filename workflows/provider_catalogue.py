"""`ProviderCatalogue`: the one entity that keeps what was measured of the fleet's models.

Handlers change the state and do nothing else; the rules are `pointsman.catalogue`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from temporalio import workflow
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    from pointsman import catalogue_contract
    from pointsman.catalogue import entity
    from pointsman.catalogue.commands import (
        AcceptModel,
        BeginUpgrade,
        Command,
        ImportCatalogue,
        PromoteUpgrade,
        RollBackUpgrade,
    )
    from pointsman.catalogue.document import CatalogueDocument
    from pointsman.catalogue.entity import Change, CommandRefused
    from pointsman.catalogue.evaluation import Evaluation
    from pointsman.catalogue.events import CatalogueEvent
    from pointsman.catalogue.observations import Observations, ServedReport, ShadowResult, UpgradeEvaluated
    from pointsman.catalogue.profile import Profile
    from pointsman.catalogue.snapshot import CatalogueSnapshot
    from pointsman.catalogue.state import CatalogueState
    from pointsman.catalogue.upgrade import Upgrade
    from pointsman.sentences import in_one

_Rule = Callable[..., Change]
_Command = TypeVar("_Command", bound=Command)

# Unlike ProviderHealth it does not end by a bug: what it holds was paid for, and does not come back by itself.
# A task that fails, since a worker of another version cannot read the state, waits for one that can.


@workflow.defn
class ProviderCatalogue(catalogue_contract.ProviderCatalogue):
    """Profiles, evaluations, served models and upgrades, in one state that goes from run to run."""

    @workflow.init
    def __init__(self, state: CatalogueState | None = None) -> None:
        """Go on with a state, or begin an empty one: the start of the first run is its epoch."""
        started = workflow.info().workflow_start_time
        self._state = state or CatalogueState(epoch=int(started.timestamp() * 1000), now=started)

    @workflow.run
    async def run(self, state: CatalogueState | None = None) -> None:  # noqa: ARG002 - read in __init__
        """Take messages until it is time for a new run."""
        await workflow.wait_condition(self._renewal_due)
        await workflow.wait_condition(workflow.all_handlers_finished)
        workflow.continue_as_new(self._state)

    # Signals and updates take what comes, so that no message, however wrong, can fail a workflow task.

    @workflow.signal
    def profiled(self, *payloads: Any) -> None:
        """Take a measurement."""
        self._hear(entity.take_profile, Profile, payloads)

    @workflow.signal
    def evaluated(self, *payloads: Any) -> None:
        """Take a suite's result."""
        self._hear(entity.take_evaluation, Evaluation, payloads)

    @workflow.signal
    def served(self, *payloads: Any) -> None:
        """Take which model is served."""
        self._hear(entity.take_served, ServedReport, payloads)

    @workflow.signal
    def upgrade_evaluated(self, *payloads: Any) -> None:
        """Take how the new model of an upgrade stood its suites."""
        self._hear(entity.take_upgrade_evaluation, UpgradeEvaluated, payloads)

    @workflow.signal
    def shadowed(self, *payloads: Any) -> None:
        """Take what came of one shadowed question."""
        self._hear(entity.take_shadow, ShadowResult, payloads)

    @workflow.signal
    def observed(self, *payloads: Any) -> None:
        """Take how live answers were."""
        self._hear(entity.take_observations, Observations, payloads)

    @workflow.update
    def begin_upgrade(self, *payloads: Any) -> Upgrade:  # type: ignore[override]  # the type names the class
        """Begin an upgrade."""
        command = self._obey(entity.begin_upgrade, BeginUpgrade, payloads)
        return self._state.document.upgrades[command.provider]

    @workflow.update
    def promote(self, *payloads: Any) -> Upgrade:  # type: ignore[override]  # as above
        """Give the new model more of the questions."""
        command = self._obey(entity.promote, PromoteUpgrade, payloads)
        return self._state.document.upgrades[command.provider]

    @workflow.update
    def roll_back(self, *payloads: Any) -> Upgrade:  # type: ignore[override]  # as above
        """Send every further question to the configured model."""
        command = self._obey(entity.roll_back, RollBackUpgrade, payloads)
        return self._state.document.upgrades[command.provider]

    @workflow.update
    def accept_model(self, *payloads: Any) -> None:  # type: ignore[override]  # as above
        """Take what is served for what is wanted."""
        self._obey(entity.accept_model, AcceptModel, payloads)

    @workflow.update
    def import_catalogue(self, *payloads: Any) -> None:  # type: ignore[override]  # as above
        """Take a whole catalogue."""
        self._obey(entity.import_catalogue, ImportCatalogue, payloads)

    @workflow.query
    def snapshot(self) -> CatalogueSnapshot:
        """What processes decide by."""
        return self._state.snapshot()

    @workflow.query
    def document(self) -> CatalogueDocument:
        """The whole catalogue."""
        return self._state.document

    @workflow.query
    def events(self) -> tuple[CatalogueEvent, ...]:
        """What happened of late."""
        return self._state.events

    def _hear(self, rule: _Rule, kind: type[BaseModel], payloads: tuple[Any, ...]) -> None:
        try:
            self._change(lambda now: rule(self._state, kind.model_validate(payloads[0]), now=now))
        except Exception as fault:  # noqa: BLE001 - whatever is wrong with a message, the entity outlives it
            # Only the names: the text quotes the message.
            refused = f"{kind.__name__}: {type(fault).__name__}"
            self._change(lambda now: entity.note_refused(self._state, refused, now=now))

    def _obey(self, rule: _Rule, kind: type[_Command], payloads: tuple[Any, ...]) -> _Command:
        try:
            command = kind.model_validate(payloads[0] if payloads else None)
            self._change(lambda now: rule(self._state, command, now=now))
        except CommandRefused as refused:
            raise _refused(str(refused)) from None
        except ValidationError as fault:
            raise _refused(in_one(fault, kind)) from None
        return command

    def _change(self, change: Callable[[datetime], Change]) -> None:
        self._state, events = change(workflow.now())
        _log(events)

    def _renewal_due(self) -> bool:
        info = workflow.info()
        return info.is_continue_as_new_suggested() or info.get_current_history_length() >= self._state.event_limit


def _refused(sentence: str) -> ApplicationError:
    return ApplicationError(sentence, type="CommandRefused", non_retryable=True)


def _log(events: Iterable[CatalogueEvent]) -> None:
    for event in events:
        level = workflow.logger.warning if event.alarming else workflow.logger.info
        level("%s", event.sentence())
