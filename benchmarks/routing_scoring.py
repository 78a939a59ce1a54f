"""The scoring policies on a table of eleven models: quality and cost, beside the best single model and the oracle.

    python -m benchmarks.routing_scoring [--data DIR]

Every choice is Pointsman's own decision. A provider's strengths are its shares of right answers in the other folds, by
task; its depth is 1 + 4 x their mean, since the data has none; the length of its answers is their mean there. No
latency is in the data: all are given the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import get_args

from rich.table import Table

from benchmarks.entrance import measured
from benchmarks.figures import Figure
from benchmarks.model_table import OUTCOMES, PRICES, TYPES, read
from pointsman.complexity import rated
from pointsman.configuration import Scoring
from pointsman.policy import PolicyName
from pointsman.query_types import QueryType
from pointsman.tuning.choices import Choice, Group, chosen_by
from pointsman.tuning.curve import Beside
from pointsman.tuning.folds import Fold, folds
from pointsman.tuning.judgement import interval, judge_of, oracle
from pointsman.tuning.outcomes import Asked, Outcomes
from pointsman.tuning.report import Point

TIGHT_PER_1K = 0.015
"""USD per 1,000 tokens: a limit just above the dearest model, beside the default of 0.10."""

_SAMPLES, _SEED = 1_000, 7
_THIRDS = 3
_STEPS, _WANTED = 50, 0.97


def measure(folder: Path | None) -> tuple[list[Figure], list[Table], list[str]]:
    """Figures, tables and remarks; without data the remark says what was not measured."""
    if folder is None or not all((folder / name).is_file() for name in (OUTCOMES, PRICES)):
        return [], [], [f"Scoring: not measured (DATA=dir names a folder that holds {OUTCOMES} and {PRICES})."]
    outcomes = read(folder)
    beside, parts = Beside(outcomes, judge_of(outcomes)), folds(len(outcomes.asked))
    ways: dict[str, Choice] = {"best single model": beside.singles[beside.best]}
    for policy in get_args(PolicyName):
        ways[policy] = chosen_by(outcomes, parts, Scoring(policy=policy))
    for policy in get_args(PolicyName):
        limited = Scoring(policy=policy, max_cost_per_1k=TIGHT_PER_1K)
        ways[f"{policy}, limit {TIGHT_PER_1K}"] = chosen_by(outcomes, parts, limited)
    ways["balanced, strengths by complexity"] = by_thirds(outcomes, parts)
    ways["oracle"] = oracle(outcomes.asked)
    found = {name: beside.point(name, choice) for name, choice in ways.items()}
    balanced, source = found["balanced"], found[f"source, limit {TIGHT_PER_1K}"]
    figures = [
        Figure(
            "balanced_quality", "balanced: share of the best model's quality", balanced.quality_share, at_least=0.97
        ),
        Figure("balanced_cost", "  share of its cost", balanced.cost_share, at_most=0.35),
        Figure("source_quality", "source, tight limit: share of the quality", source.quality_share),
        Figure("source_cost", "  share of the cost", source.cost_share),
    ]
    cheap = Counter(ways[f"source, limit {TIGHT_PER_1K}"]).most_common(1)[0][0]
    carried = _carried(outcomes, beside, ways["balanced"], cheap)
    return figures, [_table(found.values()), _leads(outcomes, cheap, beside.best), carried], []


def by_thirds(outcomes: Outcomes, parts: Sequence[Fold]) -> Choice:
    """What "balanced" chooses with strengths by task and third of complexity."""
    return chosen_by(outcomes, parts, Scoring(), grouped=lambda part: _third(outcomes, part))


def _third(outcomes: Outcomes, part: Fold) -> Group:
    """Which third of its task a question belongs to by complexity."""
    learned = [outcomes.asked[number] for number in part.learned]
    cuts: dict[QueryType | None, list[float]] = {}
    for own in TYPES.values():
        found = sorted(_complexity(one) for one in learned if one.query_type == own)
        cuts[own] = [found[len(found) * third // _THIRDS] for third in range(1, _THIRDS)]
    return lambda one: sum(_complexity(one) >= cut for cut in cuts[one.query_type])


def _complexity(one: Asked) -> float:
    return rated(one.text, one.query_type or QueryType.ANALYSIS).value


def _right(one: Asked, model: int) -> float:
    outcome = one.outcomes[model]
    return 0.0 if outcome is None else outcome.score


def _table(found: Iterable[Point]) -> Table:
    names = ("way", "quality", "USD per 1,000", "of the best, 95 %", "of its cost, 95 %", "who answers most")
    shown = Table(*names, title="Eleven models, strengths by 5 folds and task", title_justify="left")
    for one in found:
        (low, high), (least, most) = one.quality_interval, one.cost_interval
        quality = f"{100 * one.quality_share:.1f} % ({100 * low:.1f}-{100 * high:.1f})"
        cost = f"{100 * one.cost_share:.1f} % ({100 * least:.1f}-{100 * most:.1f})"
        often = list(one.shares.items())[:3]
        chosen = ", ".join(f"{name[:13]} {100 * share:.0f} %" for name, share in often)
        shown.add_row(one.name, f"{one.quality:.3f}", f"{one.usd_per_1k:.2f}", quality, cost, chosen)
    return shown


def _leads(outcomes: Outcomes, cheap: int, best: int) -> Table:
    """Whether complexity tells, within a task, which questions need the better model."""
    names = outcomes.providers
    title = f"How far {names[best]} leads {names[cheap]}, by complexity within a task"
    shown = Table(
        "task", "less complex half", "more complex half", "difference, 95 %", title=title, title_justify="left"
    )
    chance = random.Random(_SEED)
    for task, query_type in TYPES.items():
        own = sorted((one for one in outcomes.asked if one.query_type == query_type), key=_complexity)
        leads = [_right(one, best) - _right(one, cheap) for one in own]
        less, more = leads[: len(leads) // 2], leads[len(leads) // 2 :]
        low, high = interval(
            [mean(chance.choices(more, k=len(more))) - mean(chance.choices(less, k=len(less))) for _ in range(_SAMPLES)]
        )
        difference = f"{mean(more) - mean(less):+.3f} ({low:+.3f} to {high:+.3f})"
        shown.add_row(task, f"{mean(less):.3f}", f"{mean(more):.3f}", difference)
    return shown


def _carried(outcomes: Outcomes, beside: Beside, choice: Choice, cheap: int) -> Table:
    """The least cost at 97 % where only the most complex questions of each task get what `choice` gives them.

    The share that does so is picked on the questions themselves: this is the most that complexity could bring.
    """
    count = len(outcomes.asked)
    order = sorted(range(count), key=lambda number: _complexity(outcomes.asked[number]))
    shuffled = random.Random(_SEED).sample(order, len(order))
    shown = Table("the rest to the cheap model, picked by", "least cost at 97 % of the quality", title_justify="left")
    shown.title = "How far complexity carries a choice per question"
    for name, ranked in (("complexity within a task", order), ("chance", shuffled)):
        mixes = (_mixed(outcomes, choice, ranked, cheap, step / _STEPS) for step in range(_STEPS + 1))
        points = (beside.on(mix, range(count)) for mix in mixes)
        found = next(point.cost for point in points if point.quality >= _WANTED)
        shown.add_row(name, f"{100 * found:.1f} %")
    return shown


def _mixed(outcomes: Outcomes, choice: Choice, ranked: Sequence[int], cheap: int, share: float) -> Choice:
    """`choice` for the last `share` of each task's questions as ranked, the cheap model for the others."""
    mixed = [cheap] * len(outcomes.asked)
    for query_type in TYPES.values():
        own = [number for number in ranked if outcomes.asked[number].query_type == query_type]
        for number in own[len(own) - round(share * len(own)) :]:
            mixed[number] = choice[number]
    return mixed


if __name__ == "__main__":
    measured("The scoring policies", measure)
