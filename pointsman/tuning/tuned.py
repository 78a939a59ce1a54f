"""From outcomes to the report: the policies, the curve, and what is recommended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import get_args

from pointsman.configuration import Scoring
from pointsman.errors import InvalidOutcomes
from pointsman.policy import OwnWeights, PolicyName
from pointsman.provider import Price, Provider
from pointsman.tuning.choices import chosen_by, swept
from pointsman.tuning.curve import Beside, sweeping, tight
from pointsman.tuning.folds import FOLDS, folds
from pointsman.tuning.judgement import judge_of, oracle
from pointsman.tuning.learned import Lesson, by_type, priced
from pointsman.tuning.outcomes import Outcome, Outcomes
from pointsman.tuning.recommendation import LEAST_QUESTIONS, Sweep, recommended
from pointsman.tuning.report import Point, ProviderFigures, TuningReport

_LEAST_OUTCOMES = 10
"""Of a provider, where there are gaps: with fewer nothing is known of it."""
_ROOM = 1.25


@dataclass(frozen=True)
class Settings:
    """What is asked for, and the owner's configuration where there is one."""

    keep: float = 0.97
    scoring: Scoring = field(default_factory=Scoring)
    owned: dict[str, Provider] = field(default_factory=dict[str, Provider])
    fixed: bool = False
    """Whether the limits of `scoring` are the owner's; else they give way so that nobody is out."""


def tuned(source: str, outcomes: Outcomes, settings: Settings) -> TuningReport:
    """Measure every policy and weight on outcomes whose questions have their types.

    Raises:
        InvalidOutcomes: they cannot be compared.
    """
    outcomes = priced(_comparable(outcomes))
    scoring, notes = _limits(outcomes, settings)
    outcomes = outcomes.noting(*notes, *_unmeasured(outcomes, settings))
    judge, parts = judge_of(outcomes), folds(len(outcomes.asked))
    beside = Beside(outcomes, judge)
    policies = [
        beside.point(policy, chosen_by(outcomes, parts, _under(policy, scoring), settings.owned))
        for policy in get_args(PolicyName)
    ]
    if settings.fixed and settings.scoring.weights != OwnWeights():
        configured = chosen_by(outcomes, parts, scoring, settings.owned)
        policies.append(beside.point(f"{scoring.policy}, as configured", configured))
    limit = tight(_dearest(outcomes, settings), scoring)
    swept_scoring, costs = sweeping(scoring, limit)
    choices = swept(outcomes, parts, swept_scoring, costs, settings.owned)
    found, reason = recommended(Sweep(swept_scoring, costs, choices), beside, parts, settings.keep)
    singles = [beside.point(name, beside.singles[number]) for number, name in enumerate(outcomes.providers)]
    return TuningReport(
        source=source,
        questions=len(outcomes.asked),
        providers=tuple(_figures(outcomes, number) for number in range(len(outcomes.providers))),
        best_single=singles[beside.best],
        singles=tuple(singles),
        policies=tuple(policies),
        curve=tuple(
            beside.point(f"weights.cost {cost:g}", choice, cost) for cost, choice in zip(costs, choices, strict=True)
        ),
        curve_max_cost_per_1k=limit,
        oracle=_oracle(outcomes, beside),
        recommendation=found,
        not_recommended=reason,
        notes=outcomes.notes,
    )


def _comparable(outcomes: Outcomes) -> Outcomes:
    """Without gaps where enough questions have none, and only providers of which something is known."""
    if not outcomes.complete:
        whole = outcomes.without_gaps()
        note = f"{len(whole.asked):,} of {len(outcomes.asked):,} questions were answered by every provider"
        outcomes = (
            whole.noting(f"{note}; only these are compared")
            if len(whole.asked) >= LEAST_QUESTIONS
            else _known(outcomes).noting(
                f"{note}: what another would have brought is taken from its mean on that type of question. Who was "
                "asked what was no chance, so a provider that got the easy questions looks better than it is"
            )
        )
    if len(outcomes.asked) < FOLDS:
        raise InvalidOutcomes(f"question: there are {len(outcomes.asked)} to compare by; {FOLDS} at least are needed")
    if not any(outcome and outcome.score for one in outcomes.asked for outcome in one.outcomes):
        raise InvalidOutcomes("score: all are 0, so that no provider is better than another; check how they were made")
    return outcomes


def _known(outcomes: Outcomes) -> Outcomes:
    counts = [sum(one.outcomes[number] is not None for one in outcomes.asked) for number in _numbers(outcomes)]
    kept = [number for number in _numbers(outcomes) if counts[number] >= _LEAST_OUTCOMES]
    if len(kept) < 2:  # noqa: PLR2004 - one is nothing to compare
        told = ", ".join(f"{name!r} {count}" for name, count in zip(outcomes.providers, counts, strict=True))
        raise InvalidOutcomes(
            f"provider: fewer than two have {_LEAST_OUTCOMES} outcomes ({told:.200}); add outcomes of another"
        )
    out = [name for number, name in enumerate(outcomes.providers) if number not in kept]
    asked = (replace(one, outcomes=tuple(one.outcomes[number] for number in kept)) for one in outcomes.asked)
    left = replace(
        outcomes,
        providers=tuple(outcomes.providers[number] for number in kept),
        asked=tuple(one for one in asked if any(outcome is not None for outcome in one.outcomes)),
    )
    return left.noting(f"fewer than {_LEAST_OUTCOMES} outcomes, left out: {', '.join(out)}") if out else left


def _limits(outcomes: Outcomes, settings: Settings) -> tuple[Scoring, list[str]]:
    """The limits of scoring; those of nobody's choice give way to what was measured."""
    scoring = settings.scoring
    if settings.fixed:
        return scoring, []
    lesson = Lesson(outcomes, outcomes.asked, settings.owned)
    slowest = max((_p50(outcomes, number) or 0.0 for number in _numbers(outcomes)), default=0.0)
    wanted = {
        "max_cost_per_1k": max(_per_1k(lesson.price(number)) for number in _numbers(outcomes)),
        "max_latency_ms": slowest,
    }
    raised = {
        name: float(f"{value * _ROOM:.2g}") for name, value in wanted.items() if value * _ROOM > getattr(scoring, name)
    }
    notes = [f"{name} is taken as {value:g}: below it a provider would be out" for name, value in raised.items()]
    return scoring.model_copy(update=raised), notes


def _unmeasured(outcomes: Outcomes, settings: Settings) -> Iterator[str]:
    if not outcomes.timed:
        yield "latency is not known of every answer: it decides nothing here; weights.latency stays as it is, untested"
    else:
        yield "what a second is worth no file tells: weights.latency stays as it is"
    textless = sum(not one.text for one in outcomes.asked)
    if textless:
        yield f"{textless:,} questions have no text: their complexity is the usual one of their type"
    if any(name not in settings.owned for name in outcomes.providers):
        yield "reasoning depth is not in the data: 1 + 4 x the mean score stands in for it"
    yield "the weights of strength and depth were not tuned"


def _under(policy: PolicyName, scoring: Scoring) -> Scoring:
    """A policy with its own weights, under these limits."""
    return Scoring(
        policy=policy,
        good_enough=scoring.good_enough,
        max_cost_per_1k=scoring.max_cost_per_1k,
        max_latency_ms=scoring.max_latency_ms,
    )


def _dearest(outcomes: Outcomes, settings: Settings) -> float:
    """USD per 1,000 tokens: of those that were measured, and of the owner's others, which no limit is to shut out."""
    lesson = Lesson(outcomes, outcomes.asked, settings.owned)
    measured = [lesson.price(number) for number in _numbers(outcomes)]
    others = [one.price for one in settings.owned.values() if one.price is not None and one.enabled]
    return max(map(_per_1k, (*measured, *others)))


def _per_1k(price: Price) -> float:
    return max(price.input, price.output) / 1000


def _figures(outcomes: Outcomes, number: int) -> ProviderFigures:
    found = _outcomes(outcomes, number)
    types = by_type(outcomes.asked, number)
    return ProviderFigures(
        name=outcomes.providers[number],
        questions=len(found),
        quality=fmean(one.score for one in found),
        usd_per_1k=1000 * fmean(one.cost_usd for one in found),
        p50_ms=_p50(outcomes, number),
        strengths={query_type: round(mean, 3) for query_type, (mean, _) in types.items()},
        counts={query_type: count for query_type, (_, count) in types.items()},
    )


def _oracle(outcomes: Outcomes, beside: Beside) -> Point | None:
    return beside.point("oracle", oracle(outcomes.asked)) if outcomes.complete else None


def _p50(outcomes: Outcomes, number: int) -> float | None:
    if not outcomes.timed:
        return None
    return median(outcome.latency_ms or 0.0 for outcome in _outcomes(outcomes, number))


def _outcomes(outcomes: Outcomes, number: int) -> list[Outcome]:
    return [outcome for one in outcomes.asked if (outcome := one.outcomes[number]) is not None]


def _numbers(outcomes: Outcomes) -> range:
    return range(len(outcomes.providers))
