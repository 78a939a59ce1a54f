"""The course of an upgrade: which word or observation leads to which stage. Pure rules; the entity keeps the time.

evaluating -> shadowing | refused          its suites
shadowing -> promoting | promoted          an operator, once the comparison allows it
promoting -> promoting | promoted          an operator, a step at a time
any of these, promoted too -> rolled_back  an operator, or its live answers
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pointsman.catalogue.commands import BeginUpgrade, Command, PromoteUpgrade, RollBackUpgrade
from pointsman.catalogue.events import CatalogueEvent, CatalogueEventKind
from pointsman.catalogue.observations import ShadowResult, UpgradeEvaluated
from pointsman.catalogue.side_by_side import SideBySide
from pointsman.catalogue.tally import ArmTally
from pointsman.catalogue.upgrade import (
    ALL,
    SERVING,
    Shadows,
    ShadowSpend,
    Stage,
    StageChange,
    Upgrade,
    UpgradePlan,
    share_words,
)
from pointsman.health.spend import MICRO, day_of, micro_usd

Course = tuple[Upgrade, tuple[CatalogueEvent, ...]]

STEPS_KEPT = 50
_NOBODY = Command()


class UpgradeRefused(ValueError):
    """An operator's word that cannot be followed now; the sentence says why, and what can be done."""


def plan(upgrade: Upgrade, now: datetime) -> UpgradePlan:
    """What processes need to know of it at this time."""
    day = day_of(now.timestamp())
    return UpgradePlan(
        id=upgrade.id,
        provider=upgrade.provider,
        base=upgrade.base,
        model=upgrade.model,
        price=upgrade.price,
        stage=upgrade.stage,
        share=upgrade.share,
        sample=upgrade.sample if upgrade.stage == "shadowing" else 0.0,
        daily_cost_cap_usd=upgrade.daily_cost_cap_usd,
        spent_usd=upgrade.spend.today / MICRO if upgrade.spend.day == day else 0.0,
        spent_on=day,
        watched_until=upgrade.watched_until,
    )


def begin(held: Upgrade | None, command: BeginUpgrade, now: datetime) -> Course:
    """A new upgrade, unless one is under way; one whose evaluation came to nothing makes room.

    Raises:
        UpgradeRefused: another one is under way, or there is nothing to upgrade.
    """
    name = command.provider
    if command.model == command.base:
        raise UpgradeRefused(f"{name} is configured with {command.base} already; name another model")
    if held is not None and held.id == command.id:
        return held, ()  # the same word again, after an answer that was lost
    if held is not None and held.stage == "promoted" and held.base == command.base:
        raise UpgradeRefused(
            f"{name} answers with {held.model}, which was promoted over the configured {held.base}; write that model "
            f"into the configuration first, or roll it back with `pointsman upgrade rollback {name}`"
        )
    if held is not None and held.stage != "promoted" and not held.over and not held.inconclusive:
        raise UpgradeRefused(
            f"an upgrade of {name} to {held.model} is {held.stage}; end it with `pointsman upgrade rollback {name}` "
            "before another one begins"
        )
    begun = Upgrade(
        id=command.id,
        provider=name,
        base=command.base,
        model=command.model,
        price=command.price,
        sample=command.sample,
        daily_cost_cap_usd=command.daily_cost_cap_usd,
        settings=command.settings,
    )
    return _step(begun, "evaluating", now, "upgrade_begun", f"{command.base} to {command.model}", by=command)


def evaluated(upgrade: Upgrade, report: UpgradeEvaluated, now: datetime) -> Course:
    """The new model has stood its suites, and is shadowed; or it has not, and is refused.

    Where faults of transport decided, it stays as it is, and its evaluation may be made again.
    """
    if upgrade.stage != "evaluating":
        return upgrade, ()
    upgrade = upgrade.model_copy(update={"evaluations": report.evaluations})
    tasks = {
        verdict: ", ".join(one.task for one in report.evaluations if one.verdict == verdict)
        for verdict in ("failed", "inconclusive", "passed")
    }
    if tasks["failed"]:
        return _step(upgrade, "refused", now, "upgrade_refused", f"it failed the suite of {tasks['failed']}")
    if tasks["inconclusive"]:
        why = f"the suite of {tasks['inconclusive']} came to no verdict; start the upgrade again"
        return _step(upgrade, "evaluating", now, None, why)
    why = f"it passed the suite of {tasks['passed']}" if tasks["passed"] else "no task of the provider has a suite"
    return _step(upgrade, "shadowing", now, "upgrade_shadowing", why)


def shadowed(upgrade: Upgrade, result: ShadowResult, now: datetime) -> Course:
    """One more comparison; its money counts whatever it says."""
    if upgrade.over:
        return upgrade, ()
    spend, capped = _spent(upgrade, result.spent_usd, day_of(now.timestamp()))
    upgrade = upgrade.model_copy(update={"spend": spend, "shadows": _counted(upgrade.shadows, result)})
    if not capped:
        return upgrade, ()
    detail = f"{upgrade.daily_cost_cap_usd:g} USD are spent for today"
    return upgrade, (_event(upgrade, now, "upgrade_capped", detail, _NOBODY),)


def observed(upgrade: Upgrade, arms: dict[str, ArmTally], now: datetime) -> Course:
    """More live answers, by model; the new model is rolled back where they break a threshold beyond chance."""
    if upgrade.stage not in SERVING:
        return upgrade, ()
    upgrade = upgrade.model_copy(
        update={
            "live_base": upgrade.live_base.merge(arms.get(upgrade.base, ArmTally())).faded(),
            "live_new": upgrade.live_new.merge(arms.get(upgrade.model, ArmTally())).faded(),
        }
    )
    if not plan(upgrade, now).watched(now):
        return upgrade, ()
    found = upgrade.live_comparison()
    if found.verdict != "worse":
        return upgrade, ()
    why = f"after {found.n} live calls the new model is worse in {', '.join(found.named('worse'))}"
    return _step(upgrade, "rolled_back", now, "upgrade_rolled_back", why)


def broke(upgrade: Upgrade, now: datetime) -> Course:
    """The new model's breaker has opened and its base's has not: too few of its calls come through to be counted."""
    if upgrade.stage not in SERVING or not plan(upgrade, now).watched(now):
        return upgrade, ()
    why = f"the breaker of {upgrade.model} is open, that of {upgrade.base} is not"
    return _step(upgrade, "rolled_back", now, "upgrade_rolled_back", why)


def promote(upgrade: Upgrade, command: PromoteUpgrade, now: datetime) -> Course:
    """More of the questions for the new model; a smaller share than it has is always granted.

    Raises:
        UpgradeRefused: it has not been evaluated, is over or has all questions; or the comparison does not allow it.
    """
    if upgrade.stage not in ("shadowing", "promoting"):
        raise UpgradeRefused(_not_promotable(upgrade))
    if command.held is not None and command.held != upgrade.share:
        raise UpgradeRefused(
            f"{upgrade.provider} has {share_words(upgrade.share)} by now, of another order; see `pointsman upgrade "
            f"status {upgrade.provider}`, and give this one again if it is still wanted"
        )
    share = _next_share(upgrade) if command.share is None else command.share
    if share > upgrade.share:
        _check(upgrade)
    detail = share_words(share)
    stage: Stage = "promoting" if share < ALL else "promoted"
    until = now + timedelta(seconds=upgrade.settings.watch_promoted_s) if stage == "promoted" else None
    upgrade = upgrade.model_copy(update={"watched_until": until})
    return _step(upgrade, stage, now, "upgrade_promoted", detail, by=command, share=share)


def roll_back(upgrade: Upgrade, command: RollBackUpgrade, now: datetime) -> Course:
    """No further question for the new model.

    Raises:
        UpgradeRefused: it is over already.
    """
    if upgrade.over:
        raise UpgradeRefused(f"the upgrade of {upgrade.provider} to {upgrade.model} is over already ({upgrade.stage})")
    return _step(upgrade, "rolled_back", now, "upgrade_rolled_back", f"it was {upgrade.stage}", by=command)


def _check(upgrade: Upgrade) -> None:
    """Whether what was measured allows more questions for the new model.

    There is no way around it here: who wants the model all the same writes it into the configuration.
    """
    name = upgrade.provider
    _allow(name, upgrade.shadow_comparison(), "comparisons", "min_shadows")
    if upgrade.stage == "promoting" and upgrade.live_new.calls >= upgrade.settings.min_live:
        _allow(name, upgrade.live_comparison(), "live calls", "min_live")


def _allow(name: str, found: SideBySide, calls: str, setting: str) -> None:
    if found.verdict == "worse":
        raise UpgradeRefused(
            f"the new model of {name} is worse in {', '.join(found.named('worse'))} by {found.n} {calls}; end it with "
            f"`pointsman upgrade rollback {name}`"
        )
    if found.n < found.wanted:
        raise UpgradeRefused(
            f"the new model of {name} has {found.n} {calls} and {found.wanted} are wanted ([upgrade] {setting}); "
            "wait for more, or begin again with a larger --sample"
        )
    if found.verdict == "too_few":
        raise UpgradeRefused(
            f"the new model of {name} lies beyond the limit in {', '.join(found.named('unclear'))}, which may be "
            f"chance by {found.n} {calls}; wait for more of them"
        )


def _not_promotable(upgrade: Upgrade) -> str:
    name, model = upgrade.provider, upgrade.model
    match upgrade.stage:
        case "evaluating":
            why = upgrade.steps[-1].reason if upgrade.inconclusive else "its evaluation has not ended"
            return f"the new model of {name} cannot be promoted yet: {why}"
        case "promoted":
            return f"{name} answers all questions with {model} already"
        case _:
            return f"the upgrade of {name} to {model} is over ({upgrade.stage}); begin another one"


def _next_share(upgrade: Upgrade) -> float:
    higher = [step / 100 for step in upgrade.settings.steps if step / 100 > upgrade.share]
    if not higher:
        raise UpgradeRefused(
            f"{upgrade.provider} has {share_words(upgrade.share)} already, above every step of [upgrade] steps; "
            "give --share"
        )
    return higher[0]


def _spent(upgrade: Upgrade, usd: float, day: str) -> tuple[ShadowSpend, bool]:
    """The spend with this amount, and whether it has just reached the day's cap."""
    held, micro = upgrade.spend, micro_usd(usd)
    today = micro + (held.today if held.day == day else 0)
    capped = held.capped_on != day and micro > 0 and today >= micro_usd(upgrade.daily_cost_cap_usd)
    spend = ShadowSpend(day=day, today=today, total=held.total + micro, capped_on=day if capped else held.capped_on)
    return spend, capped


def _counted(shadows: Shadows, result: ShadowResult) -> Shadows:
    if result.base is None or result.new is None:
        return shadows.model_copy(update={"unpaired": shadows.unpaired + 1})
    agreement = shadows.agreement
    match result.agreement:
        case "agree":
            agreement = agreement.model_copy(update={"agreed": agreement.agreed + 1})
        case "disagree":
            agreement = agreement.model_copy(update={"disagreed": agreement.disagreed + 1})
        case "cannot_tell":
            agreement = agreement.model_copy(update={"undecided": agreement.undecided + 1})
        case None:
            pass
    return shadows.model_copy(
        update={
            "base": shadows.base.merge(result.base.tally()).faded(),
            "new": shadows.new.merge(result.new.tally()).faded(),
            "agreement": agreement,
        }
    )


def _step(  # noqa: PLR0913 - one step: where to, when, why, by whom
    upgrade: Upgrade,
    stage: Stage,
    now: datetime,
    kind: CatalogueEventKind | None,
    reason: str,
    *,
    by: Command = _NOBODY,
    share: float = 0.0,
) -> Course:
    step = StageChange(at=now, stage=stage, share=share, operator=by.operator, reason=reason, note=by.note)
    steps = (*upgrade.steps, step)[-STEPS_KEPT:]
    moved = upgrade.model_copy(update={"stage": stage, "share": share, "steps": steps})
    return moved, () if kind is None else (_event(moved, now, kind, reason, by),)


def _event(upgrade: Upgrade, now: datetime, kind: CatalogueEventKind, detail: str, by: Command) -> CatalogueEvent:
    return CatalogueEvent(at=now, kind=kind, target=upgrade.provider, detail=detail, operator=by.operator, note=by.note)
