"""A result against an earlier one, case by case: which are lost, which are won, and whether that is chance."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from pointsman.intervals import worse_by_chance
from pointsman.measuring.eval_report import EvalReport, ModelReport

SIGNIFICANT = 0.05
"""Chance below which a one-sided sign test calls it a regression: 5 lost and none won are, 4 are not."""


class NothingToCompare(ValueError):
    """The two results have no model, or no case, in common."""


class Regression(BaseModel):
    """How one model stands against the earlier result."""

    model_config = ConfigDict(frozen=True)

    provider: str
    before: str
    """The provider that it is compared with."""
    compared: int
    """Cases that both have, and that were marked in both."""
    lost: tuple[str, ...]
    """Cases that passed before and do not now."""
    won: tuple[str, ...]
    chance: float
    """Of at least so many losses among the cases that differ, if neither were the better."""
    suite_changed: bool

    @property
    def significant(self) -> bool:
        """Whether it is worse, and not by chance."""
        return len(self.lost) > len(self.won) and self.chance <= SIGNIFICANT


def regressions(report: EvalReport, earlier: EvalReport) -> tuple[Regression, ...]:
    """Each model against itself, else against that of the same provider; a lone one against a lone one.

    Raises:
        NothingToCompare: a sentence.
    """
    if report.task != earlier.task:
        raise NothingToCompare(f"it is a result of {earlier.task!r} and not of {report.task!r}")
    pairs = [(model, then) for model in report.models if (then := _counterpart(model, report, earlier)) is not None]
    if not pairs:
        has = ", ".join(model.provider for model in earlier.models) or "none"
        raise NothingToCompare(f"it holds none of these providers; it has {has}")
    changed = report.suite != earlier.suite
    return tuple(_regression(now, then, suite_changed=changed) for now, then in pairs)


def _counterpart(model: ModelReport, report: EvalReport, earlier: EvalReport) -> ModelReport | None:
    if len(report.models) == len(earlier.models) == 1:
        return earlier.models[0]
    of_provider = [then for then in earlier.models if then.provider == model.provider]
    same = [then for then in of_provider if then.model == model.model]
    return next(iter(same or of_provider), None)


def _regression(now: ModelReport, then: ModelReport, *, suite_changed: bool) -> Regression:
    earlier = {result.id: result.outcome for result in then.results if result.outcome != "error"}
    both = [
        (result, earlier[result.id]) for result in now.results if result.outcome != "error" and result.id in earlier
    ]
    if not both:
        raise NothingToCompare(f"{now.provider} has no case in common with it")
    lost = tuple(result.id for result, before in both if before == "passed" and result.outcome == "failed")
    won = tuple(result.id for result, before in both if before == "failed" and result.outcome == "passed")
    return Regression(
        provider=now.provider,
        before=then.provider,
        compared=len(both),
        lost=lost,
        won=won,
        chance=worse_by_chance(len(lost), len(won)),
        suite_changed=suite_changed,
    )
