"""Complexity as a router between a weak and a strong model, on outcomes of both; beside it what any length gives.

    python -m benchmarks.routing_complexity [--data DIR]

The shipped estimate saw no row of these sets. "trained" is what a model reaches that learns from the set itself, 5-fold
over 5 seeds. The data is not part of the repository: without it nothing is measured.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.entrance import measured
from benchmarks.figures import Figure, percentile
from benchmarks.router_quality import Interval, Outcome, apgr, apgr_interval, cpt, curve, paired_interval
from benchmarks.trained_router import out_of_fold, rows
from pointsman.complexity import rated
from pointsman.model_classifier import ModelClassifier
from pointsman.query_types import COMPLEXITY

SETS = {"GSM8K": "routellm_gsm8k.jsonl", "MMLU": "routellm_mmlu_1500.jsonl"}
SEEDS = range(5)
_LARGE_DOMAIN = 90
"""Questions of one subject from which on the set is also measured without it."""
_TIMED = 500


@dataclass(frozen=True)
class Measured:
    """One router on one set."""

    data: str
    router: str
    apgr: float
    interval: Interval | None
    over_characters: Interval | None
    """95 % of its APGR less that of the number of characters, on the same questions."""
    cpt_50: float
    cpt_80: float


def measure(folder: Path | None) -> tuple[list[Figure], list[Table], list[str]]:
    """Figures, tables and remarks; without data the remark says what was not measured."""
    figures = [Figure("complexity_p99_ms", "complexity, 8,000 characters, p99", _p99_ms(), "ms", at_most=1)]
    if folder is None or not all((folder / name).is_file() for name in SETS.values()):
        names = " and ".join(SETS.values())
        return figures, [], [f"Complexity as a router: not measured (DATA=dir names a folder that holds {names})."]
    sets = {name: read(folder / file) for name, file in SETS.items()}
    found = [one for name, outcomes in sets.items() for one in _routers(name, outcomes)]
    ours = [one for one in found if one.router == "complexity"]
    trained = [one for one in found if one.router.startswith("trained")]
    below = sum(one.over_characters is not None and one.over_characters[1] < 0 for one in ours)
    figures += [
        Figure("complexity_apgr", "complexity as a router: mean APGR", _mean(ours), at_least=0.58),
        Figure("complexity_below", "  sets on which it is surely below characters", below, at_most=0),
        Figure("trained_apgr", "  trained on the set itself: mean APGR", _mean(trained), at_least=0.61),
    ]
    without = [one for name, outcomes in _without_large(folder).items() for one in _plain(name, outcomes)]
    return figures, [table(found, "Which question for the strong model?"), table(without, "Without one subject")], []


def read(path: Path, without: str | None = None) -> list[Outcome]:
    """The questions of a file but those of the subject `without`."""
    with path.open(encoding="utf-8") as lines:
        told = [json.loads(line) for line in lines]
    return [Outcome(row["prompt"], row["weak"], row["strong"]) for row in told if row.get("domain", "") != without]


def complexity(text: str) -> float:
    """As a decision rates it."""
    return rated(text, ModelClassifier().classify(text).query_type).value


def table(found: Sequence[Measured], title: str) -> Table:
    """A line for each set and router."""
    names = ("data", "router", "APGR", "95 %", "less characters, 95 %", "CPT(50)", "CPT(80)")
    shown = Table(*names, title=title, title_justify="left")
    for one in found:
        intervals = (_in_words(one.interval), _in_words(one.over_characters, "+.3f"))
        shown.add_row(one.data, one.router, f"{one.apgr:.3f}", *intervals, f"{one.cpt_50:.2f}", f"{one.cpt_80:.2f}")
    return shown


def _routers(data: str, outcomes: Sequence[Outcome]) -> list[Measured]:
    return [*_plain(data, outcomes), _trained(data, outcomes)]


def _plain(data: str, outcomes: Sequence[Outcome]) -> list[Measured]:
    classified = {one.prompt: ModelClassifier().classify(one.prompt).query_type for one in outcomes}
    chance = random.Random(SEEDS.start)
    routers: dict[str, Callable[[str], float]] = {
        "complexity": lambda text: rated(text, classified[text]).value,
        "characters": len,
        "first line": lambda text: len(text.partition("\n")[0]),
        "the type's value": lambda text: COMPLEXITY[classified[text]],
        "random": lambda _: chance.random(),
    }
    characters = [len(one.prompt) for one in outcomes]
    gains = [one.gain for one in outcomes]
    found: list[Measured] = []
    for name, router in routers.items():
        scores = [router(one.prompt) for one in outcomes]
        points = curve(gains, scores)
        paired = None if name == "characters" else paired_interval(gains, scores, characters)
        found.append(
            Measured(data, name, apgr(points), apgr_interval(gains, scores), paired, cpt(points, 0.5), cpt(points, 0.8))
        )
    return found


def _trained(data: str, outcomes: Sequence[Outcome]) -> Measured:
    gains, features = [one.gain for one in outcomes], rows(outcomes)
    curves = [curve(gains, out_of_fold(features, gains, seed)) for seed in SEEDS]
    areas = [apgr(points) for points in curves]
    halves, most = ([cpt(points, wanted) for points in curves] for wanted in (0.5, 0.8))
    spread = f"trained, seeds {min(areas):.3f}-{max(areas):.3f}"
    count = len(curves)
    return Measured(data, spread, sum(areas) / count, None, None, sum(halves) / count, sum(most) / count)


def _without_large(folder: Path) -> dict[str, list[Outcome]]:
    """Each set less each of its large subjects, to see whether its figure rests on one of them."""
    found: dict[str, list[Outcome]] = {}
    for name, file in SETS.items():
        with (folder / file).open(encoding="utf-8") as lines:
            subjects = [json.loads(line).get("domain", "") for line in lines]
        large = sorted({subject for subject in subjects if subject and subjects.count(subject) >= _LARGE_DOMAIN})
        found |= {f"{name} less {subject}": read(folder / file, without=subject) for subject in large}
    return found


def _mean(found: Sequence[Measured]) -> float:
    return sum(one.apgr for one in found) / len(found)


def _in_words(interval: Interval | None, form: str = ".3f") -> str:
    return "" if interval is None else f"{interval[0]:{form}} to {interval[1]:{form}}"


def _p99_ms() -> float:
    texts = [
        (sample * 8_000)[:8_000] for sample in ("If x = 3, and y is not more, prove it. ", "sea ", "{};", "東京は")
    ]
    took_ms: list[float] = []
    for number in range(_TIMED):
        query_type = list(COMPLEXITY)[number % len(COMPLEXITY)]
        began = time.thread_time()
        rated(texts[number % len(texts)], query_type)
        took_ms.append((time.thread_time() - began) * 1000)
    return percentile(took_ms, 99)


if __name__ == "__main__":
    measured("Complexity as a router", measure)
