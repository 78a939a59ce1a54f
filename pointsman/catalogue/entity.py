"""The rules by which the catalogue changes: a measurement, an observation, an operator.

Each takes a state and the time, and gives the next state, with what happened on the way:

    state, events = take_profile(state, profile, now=now)
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from pointsman.catalogue import room, upgrading
from pointsman.catalogue.commands import AcceptModel, BeginUpgrade, ImportCatalogue, PromoteUpgrade, RollBackUpgrade
from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.evaluation import Evaluation
from pointsman.catalogue.events import CatalogueEvent, CatalogueEventKind
from pointsman.catalogue.observations import Observations, ServedReport, ShadowResult, UpgradeEvaluated
from pointsman.catalogue.profile import POINTS_TO_JOIN, Profile
from pointsman.catalogue.room import ROOM, TooLarge
from pointsman.catalogue.served import ServedModel, matches
from pointsman.catalogue.state import REPORTERS_KEPT, CatalogueState
from pointsman.catalogue.upgrade import Upgrade
from pointsman.catalogue.upgrading import Course, UpgradeRefused

Change = tuple[CatalogueState, tuple[CatalogueEvent, ...]]

_SLACK = timedelta(days=1)
"""By which clocks may differ: what is dated later than that would never grow old."""


class CommandRefused(ValueError):
    """An operator's word that cannot be followed; the sentence says why, and what can be done."""


class OfTheFuture(ValueError):
    """A measurement that is dated later than any clock could be wrong by."""


def take_profile(state: CatalogueState, profile: Profile, *, now: datetime) -> Change:
    """A measurement takes the place of the model's last one, unless that is newer; what it served is then accepted.

    One that was hardly answered, in an outage say, is told and leaves the last one as it was: it would take a provider
    out of the pool for what his worst hour was like.

    Raises:
        OfTheFuture: it is dated so.
        TooLarge: there is no room for it.
    """
    held = state.document
    _check_date(profile.key, profile.measured_at, now)
    before = held.profiles.get(profile.key)
    if before is not None and before.measured_at > profile.measured_at:
        return state, ()
    lacking = () if before is None else profile.lacks(before)
    if lacking:
        detail = f"fewer than {POINTS_TO_JOIN} answers to {', '.join(lacking)}, so that the one before stays"
        return _told(state, now, _event(now, "profile_kept", profile.key, detail))
    document = _updated(held, profiles=_profiles_with(held, profile))
    seen = held.served.get(profile.key)
    if seen is not None and not seen.accepted and profile.model_served == seen.served:
        accepted = seen.model_copy(update={"accepted": True})
        document = _updated(document, served=_served_with(held, accepted))
    answered = sum(figures.answered for figures in profile.figures.values())
    detail = f"{answered} answers to {len(profile.figures)} types of questions"
    return _changed(state, document, now, _event(now, "profiled", profile.key, detail))


def take_evaluation(state: CatalogueState, evaluation: Evaluation, *, now: datetime) -> Change:
    """A suite's result takes the place of the last one; an inconclusive one is told and not kept.

    Raises:
        OfTheFuture: it is dated so.
        TooLarge: there is no room for it.
    """
    held = state.document
    _check_date(evaluation.key, evaluation.evaluated_at, now)
    detail = f"{evaluation.passed} of {evaluation.cases} cases passed, {evaluation.verdict}"
    event = _event(now, "evaluated", evaluation.key, detail)
    before = held.evaluations.get(evaluation.key)
    if before == evaluation:
        return state, ()  # told by the run itself, and again by the upgrade that it was for
    if evaluation.verdict == "inconclusive" or (before is not None and before.evaluated_at > evaluation.evaluated_at):
        return _told(state, now, event)
    document = _updated(held, evaluations=_evaluations_with(held, evaluation))
    return _changed(state, document, now, event)


def take_served(state: CatalogueState, report: ServedReport, *, now: datetime) -> Change:
    """Which model is served: the first time it is noted, a change is an event and waits to be accepted.

    Raises:
        TooLarge: there is no room for it.
    """
    held = state.document
    key = f"{report.provider}/{report.model}"
    before = held.served.get(key)
    # One that comes late tells what was, and not what is.
    if before is not None and (before.served == report.served or report.at < before.since):
        return state, ()
    contradicts = report.dated and not matches(report.model, report.served)
    seen = ServedModel(
        provider=report.provider,
        model=report.model,
        served=report.served,
        since=min(report.at, now),
        before=None if before is None else before.served,
        accepted=before is None and not contradicts,
    )
    events: list[CatalogueEvent] = []
    if before is not None:
        events.append(_event(now, "model_changed", key, f"{before.served} before, {report.served} now"))
    if contradicts:
        events.append(_event(now, "model_differs", key, f"{report.served} is served"))
    return _changed(state, _updated(held, served=_served_with(held, seen)), now, *events)


def take_upgrade_evaluation(state: CatalogueState, report: UpgradeEvaluated, *, now: datetime) -> Change:
    """How an upgrade's new model stood its suites; each result counts for the model, too."""
    for evaluation in report.evaluations:
        state, _ = take_evaluation(state, evaluation, now=now)
    return _of_upgrade(
        state, report.provider, report.upgrade_id, now, lambda held: upgrading.evaluated(held, report, now)
    )


def take_shadow(state: CatalogueState, result: ShadowResult, *, now: datetime) -> Change:
    """One comparison of an upgrade."""
    return _of_upgrade(
        state, result.provider, result.upgrade_id, now, lambda held: upgrading.shadowed(held, result, now)
    )


def take_observations(state: CatalogueState, observations: Observations, *, now: datetime) -> Change:
    """What a process saw of live answers; a report that comes twice is taken once.

    Raises:
        TooLarge: there is no room for the name of the process.
    """
    if len(observations.worker_id) > room.WORKER_ID_CHARACTERS:
        raise TooLarge("worker_id: longer than that of any process")
    if observations.seq <= state.reporters.get(observations.worker_id, 0):
        return state, ()
    reporters = {worker: seq for worker, seq in state.reporters.items() if worker != observations.worker_id}
    reporters[observations.worker_id] = observations.seq
    while len(reporters) > REPORTERS_KEPT:
        del reporters[next(iter(reporters))]
    state = state.model_copy(update={"reporters": reporters})
    events: tuple[CatalogueEvent, ...] = ()
    for upgrade in state.document.upgrades.values():
        if upgrade.id in observations.broken:
            state, more = _kept(state, upgrade, upgrading.broke(upgrade, now), now)
            events += more
            continue
        arms = observations.arms.get(upgrade.id)
        if arms is not None:
            state, more = _kept(state, upgrade, upgrading.observed(upgrade, arms, now), now)
            events += more
    return state, events


def begin_upgrade(state: CatalogueState, command: BeginUpgrade, *, now: datetime) -> Change:
    """A new upgrade of a provider.

    Raises:
        CommandRefused: another one is under way.
    """
    return _ordered(state, command.provider, now, lambda held: upgrading.begin(held, command, now))


def promote(state: CatalogueState, command: PromoteUpgrade, *, now: datetime) -> Change:
    """More questions for the new model.

    Raises:
        CommandRefused: there is none that could be promoted.
    """
    return _ordered(state, command.provider, now, lambda held: upgrading.promote(_known(held, command), command, now))


def roll_back(state: CatalogueState, command: RollBackUpgrade, *, now: datetime) -> Change:
    """No further question for the new model.

    Raises:
        CommandRefused: there is none to roll back.
    """
    return _ordered(state, command.provider, now, lambda held: upgrading.roll_back(_known(held, command), command, now))


def accept_model(state: CatalogueState, command: AcceptModel, *, now: datetime) -> Change:
    """What a provider now serves is what is wanted.

    Raises:
        CommandRefused: nothing that it serves waits to be accepted.
    """
    held = state.document
    waiting = {
        key: seen for key, seen in held.served.items() if seen.provider == command.provider and not seen.accepted
    }
    if not waiting:
        raise CommandRefused(f"nothing that {command.provider!r} serves has changed; see `pointsman catalogue show`")
    accepted = {key: seen.model_copy(update={"accepted": True}) for key, seen in waiting.items()}
    events = [
        _event(now, "model_accepted", key, seen.served, operator=command.operator, note=command.note)
        for key, seen in accepted.items()
    ]
    return _changed(state, _updated(held, served={**held.served, **accepted}), now, *events)


def import_catalogue(state: CatalogueState, command: ImportCatalogue, *, now: datetime) -> Change:
    """A whole catalogue in place of the one that is kept.

    Raises:
        CommandRefused: there is no room for it, or it is dated in the future.
    """
    told = command.document
    try:
        room.check(told)
        for key, profile in told.profiles.items():
            _check_date(f"profiles.{key}", profile.measured_at, now)
        for key, evaluation in told.evaluations.items():
            _check_date(f"evaluations.{key}", evaluation.evaluated_at, now)
        for key, seen in told.served.items():
            _check_date(f"served.{key}", seen.since, now)
    except (TooLarge, OfTheFuture) as refused:
        raise CommandRefused(str(refused)) from None
    detail = f"{len(told.profiles)} profiles, {len(told.evaluations)} evaluations, {len(told.upgrades)} upgrades"
    event = _event(now, "imported", "", detail, operator=command.operator, note=command.note)
    return _changed(state, told, now, event)


def note_refused(state: CatalogueState, message: str, *, now: datetime) -> Change:
    """A message that could not be read, or was wrong."""
    return _told(state, now, _event(now, "message_refused", "", message))


def _of_upgrade(
    state: CatalogueState, provider: str, upgrade_id: str, now: datetime, step: Callable[[Upgrade], Course]
) -> Change:
    """Something about an upgrade; about one that is not the provider's any more it is nothing."""
    held = state.document.upgrades.get(provider)
    if held is None or held.id != upgrade_id:
        return state, ()
    return _kept(state, held, step(held), now)


def _ordered(state: CatalogueState, provider: str, now: datetime, step: Callable[[Upgrade | None], Course]) -> Change:
    held = state.document.upgrades.get(provider)
    try:
        return _kept(state, held, step(held), now)
    except (UpgradeRefused, TooLarge) as refused:
        raise CommandRefused(str(refused)) from None


def _kept(state: CatalogueState, held: Upgrade | None, course: Course, now: datetime) -> Change:
    upgrade, events = course
    document = _updated(state.document, upgrades=room.with_upgrade(state.document.upgrades, upgrade))
    if held is not None and not events and upgrading.plan(held, now) == upgrading.plan(upgrade, now):
        # A tally has grown, which nobody decides by.
        return state.model_copy(update={"document": document, "now": max(state.now, now)}), ()
    return _changed(state, document, now, *events)


def _known(held: Upgrade | None, command: PromoteUpgrade | RollBackUpgrade) -> Upgrade:
    if held is None:
        raise UpgradeRefused(
            f"no upgrade of {command.provider!r} is on record; begin one with `pointsman upgrade start`"
        )
    return held


def _updated(document: CatalogueDocument, **changes: object) -> CatalogueDocument:
    return document.model_copy(update=changes)


def _profiles_with(held: CatalogueDocument, profile: Profile) -> dict[str, Profile]:
    return room.fitting(
        held.profiles, profile.key, profile, room=ROOM["profiles"], taken_at=lambda one: one.measured_at
    )


def _evaluations_with(held: CatalogueDocument, evaluation: Evaluation) -> dict[str, Evaluation]:
    return room.fitting(
        held.evaluations, evaluation.key, evaluation, room=ROOM["evaluations"], taken_at=lambda one: one.evaluated_at
    )


def _served_with(held: CatalogueDocument, seen: ServedModel) -> dict[str, ServedModel]:
    return room.fitting(held.served, seen.key, seen, room=ROOM["served"], taken_at=lambda one: one.since)


def _check_date(what: str, at: datetime, now: datetime) -> None:
    if at > now + _SLACK:
        raise OfTheFuture(f"{what[:200]}: its date {at.date()} lies in the future; correct it")


def _event(  # noqa: PLR0913 - an event's own fields
    now: datetime, kind: CatalogueEventKind, target: str, detail: str = "", *, operator: str = "", note: str = ""
) -> CatalogueEvent:
    return CatalogueEvent(at=now, kind=kind, target=target, detail=detail, operator=operator, note=note)


def _changed(state: CatalogueState, document: CatalogueDocument, now: datetime, *events: CatalogueEvent) -> Change:
    after = state.model_copy(update={"document": document, "version": state.version + 1})
    return _told(after, now, *events)


def _told(state: CatalogueState, now: datetime, *events: CatalogueEvent) -> Change:
    kept = room.latest((*state.events, *events))
    return state.model_copy(update={"events": kept, "now": max(state.now, now)}), events
