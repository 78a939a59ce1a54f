"""How well the classifiers tell what kind of question it is: the shipped model, the source document's rules beside it.

    python -m benchmarks.classification [--data DIR] [--held-out]

Three sets: `classify_dev.jsonl` of a folder outside of the repository (not measured where it is absent), the questions
in eight languages of `tests/data/`, and with `--held-out` (minutes) the project's own examples, each judged by a model
that never saw its manner of asking. The intervals are 95 % of 2,000 bootstrap samples.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rich.table import Table

import pointsman
from benchmarks.classification_tables import Pair, by_type, confusion, f1, most_usual
from benchmarks.entrance import run
from benchmarks.figures import Figure, Neighbour, percentile
from benchmarks.reliability import Told, expected_calibration_error, reliability_table
from pointsman.classification import Classifier, RuleClassifier
from pointsman.linear_model import TYPES, from_json, softmax
from pointsman.model_classifier import MODEL_FILE, ModelClassifier, shipped_model
from pointsman.query_types import QueryType
from pointsman.text_features import features

DEV = "classify_dev.jsonl"
MULTILINGUAL = Path(pointsman.__file__).parents[1] / "tests" / "data" / "classification_multilingual.jsonl"
_SAMPLES, _SEED = 2_000, 7
_LOADS = 9
_CHARACTERS = 8_000
_SAMPLES_OF_TEXT = ("Tell me of the sea. ", "f(x) = {a_b};\n", "a", "東京は", "? ", "1. ", "\ufdfa")


@dataclass(frozen=True)
class Labelled:
    """A question, its type, and what part of its set it belongs to."""

    text: str
    query_type: QueryType
    part: str = ""


@dataclass(frozen=True)
class Score:
    """Accuracy and macro-F1 on a set, each with the bounds of its interval."""

    data: str
    classifier: str
    questions: int
    accuracy: float
    accuracy_interval: tuple[float, float]
    macro_f1: float
    macro_f1_interval: tuple[float, float]


def measure(folder: Path | None) -> tuple[list[Figure], list[Table], list[str]]:
    """Figures, tables and remarks; without data the remark says what was not measured."""
    scores: list[Score] = []
    figures, tables, remarks = [*_speed()], list[Table](), list[str]()
    if folder is None or not (folder / DEV).is_file():
        remarks.append(f"Classification: not measured on outside data (DATA=dir names a folder that holds {DEV}).")
    else:
        dev = read(folder / DEV, part="source")
        pairs = _pairs(ModelClassifier(), dev)
        constant = most_usual(pairs)
        found = [*_both(DEV, dev), score(DEV, f"always {constant}", [(is_of, constant) for is_of, _ in pairs])]
        told = [_told(one) for one in dev]
        scores += [*found, *_by_part(dev, {"model": ModelClassifier()})]
        tables += [by_type(DEV, pairs), confusion(DEV, pairs)]
        tables.append(reliability_table(f"Confidence on {DEV}, before the rule of 0.3", told))
        figures += [
            Figure(
                "classify_accuracy",
                f"classifier, {DEV}: accuracy",
                found[0].accuracy,
                at_least=0.70,
                beside=(
                    Neighbour("classify_rules_accuracy", "the source document's rules", found[1].accuracy),
                    Neighbour("classify_constant_accuracy", f"always {constant}", found[2].accuracy),
                ),
            ),
            Figure(
                "classify_macro_f1",
                "  macro-F1",
                found[0].macro_f1,
                at_least=0.66,
                beside=(Neighbour("classify_rules_macro_f1", "the source document's rules", found[1].macro_f1),),
            ),
            Figure("classify_ece", "  expected calibration error, 15 bins", expected_calibration_error(told)),
        ]
    if MULTILINGUAL.is_file():
        multilingual = read(MULTILINGUAL, part="language")
        scores += _both("eight languages", multilingual)
        by_part = _by_part(multilingual, _classifiers())
        scores += by_part
        lowest = min(one.accuracy for one in by_part if one.classifier == "model")
        figures.append(Figure("classify_lowest_language", "  the lowest language's accuracy", lowest, at_least=0.65))
    return figures, [table(scores), *tables], remarks


def read(path: Path, part: str | None = None) -> list[Labelled]:
    """Rows of `text`, `label` and, where named, the field that says which part they belong to."""
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Labelled(row["text"], QueryType(row["label"]), row.get(part, "") if part else "") for row in rows]


def score(data: str, classifier: str, pairs: Sequence[Pair]) -> Score:
    """The two figures and their percentile intervals, the seed fixed."""
    chance = random.Random(_SEED)
    samples = [chance.choices(pairs, k=len(pairs)) for _ in range(_SAMPLES)]
    return Score(
        data,
        classifier,
        len(pairs),
        accuracy(pairs),
        _interval([accuracy(sample) for sample in samples]),
        macro_f1(pairs),
        _interval([macro_f1(sample) for sample in samples]),
    )


def accuracy(pairs: Sequence[Pair]) -> float:
    """The share that was taken for what it is."""
    return sum(is_of == taken for is_of, taken in pairs) / len(pairs)


def macro_f1(pairs: Sequence[Pair]) -> float:
    """The mean over the types that occur of the harmonic mean of precision and recall."""
    return sum(f1(pairs, query_type) for query_type in _occurring(pairs)) / len(_occurring(pairs))


def table(scores: Sequence[Score]) -> Table:
    """A line for each set and classifier."""
    names = ("data", "classifier", "questions", "accuracy", "95 %", "macro-F1", "95 %")
    shown = Table(*names, title="What kind of question?", title_justify="left")
    for one in scores:
        low, high = one.accuracy_interval
        f1_low, f1_high = one.macro_f1_interval
        shares = (f"{one.accuracy:.3f}", f"{low:.3f}-{high:.3f}", f"{one.macro_f1:.3f}", f"{f1_low:.3f}-{f1_high:.3f}")
        shown.add_row(one.data, one.classifier, str(one.questions), *shares)
    return shown


def measure_held_out(_folder: Path | None = None) -> tuple[list[Figure], list[Table], list[str]]:
    """Cross-validation on the project's own examples: whole manners of asking held out, languages in parts. Minutes."""
    # Training code is in the checkout, not beside an installed benchmark's data.
    from training import calibration, examples  # noqa: PLC0415

    written = examples.read()
    predictions = calibration.held_out(written, [features(example.text) for example in written])
    temperature = shipped_model().temperature
    told: list[Told] = []
    pairs: dict[str, list[Pair]] = {}
    for one in predictions:
        probabilities = softmax(one.scores, temperature)
        taken = TYPES[probabilities.index(max(probabilities))]
        told.append(Told(max(probabilities), right=taken == one.example.query_type))
        pairs.setdefault(one.example.batch, []).append((one.example.query_type, taken))
    everything = [pair for batch in pairs.values() for pair in batch]
    scores = [score("own examples, held out", "model", everything)]
    scores += [score(f"  {batch}", "model", found) for batch, found in sorted(pairs.items())]
    figures = [
        Figure("held_out_accuracy", "classifier, own examples held out: accuracy", scores[0].accuracy),
        Figure("held_out_ece", "  expected calibration error, 15 bins", expected_calibration_error(told)),
    ]
    title = "Confidence on held-out own examples, before the rule of 0.3"
    return figures, [table(scores), reliability_table(title, told)], []


def _both(data: str, rows: Sequence[Labelled]) -> list[Score]:
    return [score(data, name, _pairs(classifier, rows)) for name, classifier in _classifiers().items()]


def _classifiers() -> dict[str, Classifier]:
    return {"model": ModelClassifier(), "rules": RuleClassifier()}


def _pairs(classifier: Classifier, rows: Sequence[Labelled]) -> list[Pair]:
    return [(one.query_type, classifier.classify(one.text).query_type) for one in rows]


def _by_part(rows: Sequence[Labelled], classifiers: Mapping[str, Classifier]) -> list[Score]:
    """A score for each part that is named and each classifier."""
    parts = {part: [one for one in rows if one.part == part] for part in _parts(rows)}
    return [
        score(f"  {part}", name, _pairs(classifier, own))
        for part, own in parts.items()
        for name, classifier in classifiers.items()
    ]


def _told(one: Labelled) -> Told:
    probabilities = shipped_model().probabilities(features(one.text))
    confidence = max(probabilities)
    return Told(confidence, right=TYPES[probabilities.index(confidence)] == one.query_type)


def _speed() -> list[Figure]:
    """On texts of 8,000 characters: prose, code, one sign, signs without spaces, letters that stand for many.

    Processor time of this thread, so that what else the machine does is not counted.
    """
    texts = [(sample * _CHARACTERS)[:_CHARACTERS] for sample in _SAMPLES_OF_TEXT]
    classifier = ModelClassifier()
    took_ms: list[float] = []
    for number in range(2_000):
        began = time.thread_time()
        classifier.classify(texts[number % len(texts)])
        took_ms.append((time.thread_time() - began) * 1000)
    return [
        Figure("classify_p99_ms", "classifier, 8,000 characters, p99", percentile(took_ms, 99), "ms", at_most=2),
        Figure("classify_load_ms", "  loading the model, median", _load_ms(), "ms", at_most=50),
        Figure("classify_model_kb", "  its file", len(_model_text().encode()) / 1000, "kB", at_most=2_000),
    ]


def _load_ms() -> float:
    took_ms: list[float] = []
    for _ in range(_LOADS):
        began = time.thread_time()
        from_json(_model_text())
        took_ms.append((time.thread_time() - began) * 1000)
    return percentile(took_ms, 50)


def _model_text() -> str:
    return files("pointsman").joinpath(MODEL_FILE).read_text(encoding="utf-8")


def _parts(rows: Sequence[Labelled]) -> list[str]:
    return sorted({one.part for one in rows if one.part})


def _occurring(pairs: Sequence[Pair]) -> list[QueryType]:
    return sorted({is_of for is_of, _ in pairs})


def _interval(values: list[float]) -> tuple[float, float]:
    ordered = sorted(values)
    return ordered[int(0.025 * len(ordered))], ordered[int(0.975 * len(ordered)) - 1]


def main() -> None:
    """Print what `measure` found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classification", description="Measure the classifier.")
    parser.add_argument("--data", type=Path, metavar="DIR", help=f"a folder that holds {DEV}")
    parser.add_argument("--held-out", action="store_true", help="train again for each fold of the own examples")
    arguments = parser.parse_args()
    run("The classifier", arguments.data, [measure, *([measure_held_out] if arguments.held_out else [])])


if __name__ == "__main__":
    main()
