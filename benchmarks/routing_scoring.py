"""The scoring policies on a table of eleven models: quality and cost, beside the best single model and the oracle.

    python -m benchmarks.routing_scoring [--data DIR]

Every choice is Pointsman's own decision. A provider's strengths are its shares of right answers in the other folds, by
task; its depth is 1 + 4 x their mean, since the data has none; the length of its answers is their mean there. No
latency is in the data: all are given the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, get_args

from rich.table import Table

from benchmarks.entrance import measured
from benchmarks.figures import Figure
from benchmarks.model_table import OUTCOMES, PRICES, Fold, Model, Row, folds, read
from benchmarks.router_quality import Interval
from pointsman.circumstances import Circumstances
from pointsman.classification import of_type
from pointsman.complexity import rated
from pointsman.configuration import Configuration
from pointsman.messages import Question
from pointsman.policy import PolicyName
from pointsman.query_types import QueryType
from pointsman.routing import decide
from pointsman.standing import Live, Unknown

TYPES = {"gsm": QueryType.COMPLEX_REASONING, "math-l5": QueryType.ANALYSIS, "crux": QueryType.CODE_TASK}
"""Each task stands for a query type of its own, so that strengths are by task."""

TIGHT_PER_1K = 0.015
"""USD per 1,000 tokens: a limit just above the dearest model, beside the default of 0.10."""

_SAMPLES, _SEED = 1_000, 7
_THIRDS = 3
_STEPS, _WANTED = 50, 0.97
_SAME_LATENCY = {"p50_ms": 1, "p95_ms": 1}

Told = tuple[int, float, int, float]
"""Whether a model and the best one were right, each followed by what it cost."""

Choice = list[int]
"""For each question the model that answers it."""


class _Lengths(Unknown):
    """Health that knows nothing but how long a model's answers are."""

    def __init__(self, tokens: dict[tuple[str, QueryType], float]) -> None:
        self._tokens = tokens

    def live(self, provider: str, query_type: QueryType) -> Live:
        return Live(output_tokens=self._tokens[provider, query_type])


@dataclass(frozen=True)
class Measured:
    """A way to choose, beside the best single model."""

    name: str
    quality: float
    usd_per_1k: float
    quality_share: float
    quality_interval: Interval
    cost_share: float
    cost_interval: Interval
    chosen: str


def measure(folder: Path | None) -> tuple[list[Figure], list[Table], list[str]]:
    """Figures, tables and remarks; without data the remark says what was not measured."""
    if folder is None or not all((folder / name).is_file() for name in (OUTCOMES, PRICES)):
        return [], [], [f"Scoring: not measured (DATA=dir names a folder that holds {OUTCOMES} and {PRICES})."]
    models, rows = read(folder)
    best = max(range(len(models)), key=lambda model: sum(row.right[model] for row in rows))
    parts = folds(rows)
    ways: dict[str, Choice] = {"best single model": [best] * len(rows)}
    for policy in get_args(PolicyName):
        ways[policy] = chosen_by(models, rows, parts, policy)
    for policy in get_args(PolicyName):
        ways[f"{policy}, limit {TIGHT_PER_1K}"] = chosen_by(models, rows, parts, policy, max_cost_per_1k=TIGHT_PER_1K)
    ways["balanced, strengths by complexity"] = chosen_by(models, rows, parts, "balanced", thirds=True)
    ways["oracle"] = [_oracle(row) for row in rows]
    found = {name: _measured(name, models, rows, choice, best) for name, choice in ways.items()}
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
    return (
        figures,
        [_table(found.values()), _leads(models, rows, cheap, best), _carried(rows, ways["balanced"], cheap, best)],
        [],
    )


def chosen_by(  # noqa: PLR0913 - what is compared
    models: Sequence[Model],
    rows: Sequence[Row],
    parts: Sequence[Fold],
    policy: PolicyName,
    *,
    max_cost_per_1k: float = 0.10,
    thirds: bool = False,
) -> Choice:
    """What a policy chooses for each question, its strengths learned from the other folds."""
    choice = [0] * len(rows)
    scoring = {"policy": policy, "max_cost_per_1k": max_cost_per_1k}
    for part in parts:
        group = _by_third(part) if thirds else _together
        made: dict[int, tuple[Configuration, _Lengths]] = {}
        for number in part.judged:
            row = rows[number]
            of = group(row)
            if of not in made:
                like = [other for other in part.learned if group(other) == of]
                made[of] = _configuration(models, like, part, scoring), _lengths(models, part)
            choice[number] = _chosen(row, *made[of])
    return choice


def _chosen(row: Row, configuration: Configuration, lengths: _Lengths) -> int:
    kind = of_type(TYPES[row.task], 1.0)
    made = decide(Question(prompt=row.prompt), kind, configuration, Circumstances(health=lengths))
    return int(made.candidates[0].provider.removeprefix("model-"))


def _configuration(models: Sequence[Model], like: Sequence[Row], part: Fold, scoring: dict[str, Any]) -> Configuration:
    by_task = {task: [row for row in like if row.task == task] for task in TYPES}
    # Under "source" everything is the document's: complexity too is the type's.
    by = "rules" if scoring["policy"] == "source" else "model"
    providers = {
        f"model-{number}": {
            "model": f"measured/{model.name}",
            "tier": "one",
            "reasoning_depth": 1 + 4 * part.strength(number),
            "context_tokens": 1_000_000,
            "rate_limit_per_minute": 600,
            "price": {"input": model.input, "output": model.output},
            "latency": _SAME_LATENCY,
            "strengths": {TYPES[task]: part.strength(number, own) for task, own in by_task.items() if own},
        }
        for number, model in enumerate(models)
    }
    return Configuration.model_validate(
        {
            "providers": providers,
            "query_types": {query_type: {"chain": list(providers)} for query_type in QueryType},
            "catalogue": {"admission": "declared"},
            "classification": {"by": by},
            "scoring": scoring,
        }
    )


def _lengths(models: Sequence[Model], part: Fold) -> _Lengths:
    return _Lengths(
        {
            (f"model-{number}", query_type): mean(
                row.characters[number] / 4 for row in part.learned if row.task == task
            )
            for number in range(len(models))
            for task, query_type in TYPES.items()
        }
    )


def _by_third(part: Fold) -> Callable[[Row], int]:
    """Which third of its task a question belongs to by complexity."""
    cuts: dict[str, list[float]] = {}
    for task in TYPES:
        found = sorted(_complexity(row) for row in part.learned if row.task == task)
        cuts[task] = [found[len(found) * third // _THIRDS] for third in range(1, _THIRDS)]
    return lambda row: sum(_complexity(row) >= cut for cut in cuts[row.task])


def _together(_row: Row) -> int:
    return 0


def _complexity(row: Row) -> float:
    return rated(row.prompt, TYPES[row.task]).value


def _oracle(row: Row) -> int:
    """The cheapest that was right; where none was, the cheapest."""
    return min(range(len(row.usd)), key=lambda model: (-row.right[model], row.usd[model]))


def _measured(name: str, models: Sequence[Model], rows: Sequence[Row], choice: Choice, best: int) -> Measured:
    told = [_told(row, model, best) for row, model in zip(rows, choice, strict=True)]
    chance = random.Random(_SEED)
    shares = [_shares(chance.choices(told, k=len(told))) for _ in range(_SAMPLES)]
    quality_share, cost_share = _shares(told)
    often = Counter(choice).most_common(3)
    return Measured(
        name,
        mean(right for right, *_ in told),
        1000 * mean(usd for _, usd, *_ in told),
        quality_share,
        _interval([quality for quality, _ in shares]),
        cost_share,
        _interval([cost for _, cost in shares]),
        ", ".join(f"{models[model].name[:13]} {100 * count / len(rows):.0f} %" for model, count in often),
    )


def _told(row: Row, model: int, best: int) -> Told:
    return row.right[model], row.usd[model], row.right[best], row.usd[best]


def _shares(told: Sequence[Told]) -> tuple[float, float]:
    right, usd, best_right, best_usd = map(sum, zip(*told, strict=True))
    return right / best_right, usd / best_usd


def _interval(values: list[float]) -> Interval:
    ordered = sorted(values)
    return ordered[int(0.025 * len(ordered))], ordered[int(0.975 * len(ordered)) - 1]


def _table(found: Iterable[Measured]) -> Table:
    names = ("way", "quality", "USD per 1,000", "of the best, 95 %", "of its cost, 95 %", "who answers most")
    shown = Table(*names, title="Eleven models, strengths by 5 folds and task", title_justify="left")
    for one in found:
        (low, high), (least, most) = one.quality_interval, one.cost_interval
        quality = f"{100 * one.quality_share:.1f} % ({100 * low:.1f}-{100 * high:.1f})"
        cost = f"{100 * one.cost_share:.1f} % ({100 * least:.1f}-{100 * most:.1f})"
        shown.add_row(one.name, f"{one.quality:.3f}", f"{one.usd_per_1k:.2f}", quality, cost, one.chosen)
    return shown


def _leads(models: Sequence[Model], rows: Sequence[Row], cheap: int, best: int) -> Table:
    """Whether complexity tells, within a task, which questions need the better model."""
    title = f"How far {models[best].name} leads {models[cheap].name}, by complexity within a task"
    shown = Table(
        "task", "less complex half", "more complex half", "difference, 95 %", title=title, title_justify="left"
    )
    chance = random.Random(_SEED)
    for task in TYPES:
        own = sorted((row for row in rows if row.task == task), key=_complexity)
        leads = [row.right[best] - row.right[cheap] for row in own]
        less, more = leads[: len(leads) // 2], leads[len(leads) // 2 :]
        low, high = _interval(
            [mean(chance.choices(more, k=len(more))) - mean(chance.choices(less, k=len(less))) for _ in range(_SAMPLES)]
        )
        difference = f"{mean(more) - mean(less):+.3f} ({low:+.3f} to {high:+.3f})"
        shown.add_row(task, f"{mean(less):.3f}", f"{mean(more):.3f}", difference)
    return shown


def _carried(rows: Sequence[Row], choice: Choice, cheap: int, best: int) -> Table:
    """The least cost at 97 % where only the most complex questions of each task get what `choice` gives them.

    The share that does so is picked on the questions themselves: this is the most that complexity could bring.
    """
    order = sorted(range(len(rows)), key=lambda number: _complexity(rows[number]))
    shuffled = random.Random(_SEED).sample(order, len(order))
    shown = Table("the rest to the cheap model, picked by", "least cost at 97 % of the quality", title_justify="left")
    shown.title = "How far complexity carries a choice per question"
    for name, ranked in (("complexity within a task", order), ("chance", shuffled)):
        mixes = (_mixed(rows, choice, ranked, cheap, step / _STEPS) for step in range(_STEPS + 1))
        points = (_shares([_told(row, model, best) for row, model in zip(rows, mix, strict=True)]) for mix in mixes)
        found = next(cost for quality, cost in points if quality >= _WANTED)
        shown.add_row(name, f"{100 * found:.1f} %")
    return shown


def _mixed(rows: Sequence[Row], choice: Choice, ranked: Sequence[int], cheap: int, share: float) -> Choice:
    """`choice` for the last `share` of each task's questions as ranked, the cheap model for the others."""
    mixed = [cheap] * len(rows)
    for task in TYPES:
        own = [number for number in ranked if rows[number].task == task]
        for number in own[len(own) - round(share * len(own)) :]:
            mixed[number] = choice[number]
    return mixed


if __name__ == "__main__":
    measured("The scoring policies", measure)
