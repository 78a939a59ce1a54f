"""How well the detectors tell whether two answers agree, on labelled pairs of real answers.

`disagree` is what is looked for; "cannot tell" counts as wrong. The data is not part of the repository: the folder is
given as `DATA=dir`, and without it nothing is measured. Where ZeroEval's results lie beside it they are a second set:
one pair of models a question, which agree where both are right or wrote the same; its graders take "55 m" for wrong
where 55 is right, so that the figures there are lower bounds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from rich.table import Table

from benchmarks.figures import Figure, Neighbour, percentile
from pointsman.divergence.comparison import Verdict
from pointsman.divergence.detector import compare
from pointsman.divergence.settings import DetectorName, DivergenceSettings

_PAIRS = "divergence_dev.jsonl"
_RESULTS = "zeroeval_11models.jsonl"
_TASKS = ("gsm", "math-l5", "crux")
_UNWRITTEN = str.maketrans("", "", " ,$")


@dataclass(frozen=True)
class Pair:
    """Two answers, and what they are known to be to one another."""

    question: str
    a: str
    b: str
    disagree: bool


@dataclass(frozen=True)
class Score:
    """How a detector did on a set."""

    data: str
    detector: str
    pairs: int
    hits: int
    false_alarms: int
    missed: int
    untold: int
    """How many pairs it could not tell."""
    right: int
    p50_ms: float
    p95_ms: float

    @property
    def accuracy(self) -> float:
        """The share of right verdicts."""
        return self.right / self.pairs

    @property
    def precision(self) -> float:
        """The share of disagreements among those that were told."""
        return self.hits / max(self.hits + self.false_alarms, 1)

    @property
    def recall(self) -> float:
        """The share of disagreements that were told."""
        return self.hits / max(self.hits + self.missed, 1)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two, but that an agreement which could not be told counts as a false alarm."""
        return 2 * self.hits / max(2 * self.hits + self.pairs - self.right, 1)


def measure(folder: Path | None) -> tuple[list[Figure], list[Table], list[str]]:
    """Figures, a table and remarks; without data there is one remark and nothing else."""
    if folder is None or not (folder / _PAIRS).is_file():
        return [], [], [f"Divergence: not measured (DATA=dir names a folder that holds {_PAIRS})."]
    sets = {"pairs": list(_labelled(folder / _PAIRS))}
    if (folder / _RESULTS).is_file():
        sets |= {f"ZeroEval {task}": list(_of_results(folder / _RESULTS, task)) for task in _TASKS}
    scores = [score(data, pairs, name) for data, pairs in sets.items() for name in get_args(DetectorName)]
    return _figures(scores), [_table(scores)], []


def score(data: str, pairs: list[Pair], detector: DetectorName) -> Score:
    """Compare every pair once."""
    settings = DivergenceSettings(detector=detector)
    told: list[tuple[bool, Verdict]] = []
    took_ms: list[float] = []
    for pair in pairs:
        began = time.perf_counter()
        verdict = compare(pair.a, pair.b, question=pair.question, settings=settings).verdict
        took_ms.append((time.perf_counter() - began) * 1000)
        told.append((pair.disagree, verdict))
    hits = told.count((True, "disagree"))
    return Score(
        data=data,
        detector=detector,
        pairs=len(pairs),
        hits=hits,
        false_alarms=told.count((False, "disagree")),
        missed=sum(disagree for disagree, _ in told) - hits,
        untold=sum(verdict == "cannot_tell" for _, verdict in told),
        right=hits + told.count((False, "agree")),
        p50_ms=percentile(took_ms, 50),
        p95_ms=percentile(took_ms, 95),
    )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _labelled(path: Path) -> Iterator[Pair]:
    for row in _rows(path):
        yield Pair(row["question"], row["answer_a"], row["answer_b"], disagree=row["label"] == "disagree")


def _of_results(path: Path, task: str) -> Iterator[Pair]:
    for number, row in enumerate(row for row in _rows(path) if row["task"] == task):
        answers = row["m"]
        # Another two models for each question in turn.
        first, step = number % len(answers), 1 + number // len(answers) % (len(answers) - 1)
        (right_a, _, a), (right_b, _, b) = answers[first], answers[(first + step) % len(answers)]
        agree = (right_a and right_b) or a.lower().translate(_UNWRITTEN) == b.lower().translate(_UNWRITTEN)
        yield Pair(row["prompt"], a, b, disagree=not agree)


def _figures(scores: list[Score]) -> list[Figure]:
    found = {one.detector: one for one in reversed(scores)}
    ours, jaccard = found["default"], found["jaccard"]
    return [
        Figure(
            "divergence_accuracy",
            f"divergence, {ours.pairs} pairs: accuracy",
            ours.accuracy,
            at_least=0.97,
            beside=(Neighbour("divergence_jaccard_accuracy", "the source document's Jaccard", jaccard.accuracy),),
        ),
        Figure(
            "divergence_f1",
            "  F1 of disagreement",
            ours.f1,
            at_least=0.97,
            beside=(Neighbour("divergence_jaccard_f1", "the source document's Jaccard", jaccard.f1),),
        ),
        Figure("divergence_precision", "  precision", ours.precision),
        Figure("divergence_recall", "  recall", ours.recall),
        Figure("divergence_cannot_tell", "  share that it cannot tell", ours.untold / ours.pairs, at_most=0.05),
        Figure("divergence_p50_ms", "  time a pair, p50", ours.p50_ms, "ms"),
        Figure("divergence_p95_ms", "  time a pair, p95", ours.p95_ms, "ms", at_most=2),
    ]


def _table(scores: list[Score]) -> Table:
    names = ("data", "detector", "pairs", "accuracy", "precision", "recall", "F1", "cannot tell", "p50 ms", "p95 ms")
    table = Table(*names, title="Do two answers disagree?", title_justify="left")
    for column in table.columns[2:]:
        column.justify = "right"
    for one in scores:
        shares = (one.accuracy, one.precision, one.recall, one.f1, one.untold / one.pairs)
        times = (f"{one.p50_ms:.3f}", f"{one.p95_ms:.3f}")
        table.add_row(one.data, one.detector, str(one.pairs), *(f"{share:.3f}" for share in shares), *times)
    return table
