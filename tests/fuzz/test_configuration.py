"""Whatever stands in a configuration file: it is refused in sentences, or every part of Pointsman can work with it."""

from __future__ import annotations

import json
import math
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest

from activities.process_health import ProcessHealth
from pointsman.checks import missing_keys, warnings
from pointsman.circumstances import Circumstances
from pointsman.config_file import load
from pointsman.configuration import Configuration
from pointsman.connection import DATA_CONVERTER
from pointsman.masking import masked_configuration
from pointsman.messages import Question
from pointsman.model_classifier import classifier_by
from pointsman.routing import classify, decide
from pointsman.sentences import ConfigurationError
from tests.fuzz.settings import SEED, TIME_LIMIT_S, mixed, share
from tests.fuzz.tables import broken, changed, written

ROOT = Path(__file__).parents[2]
FILES = ("router.toml", "demo.toml")
TOO_LONG = 2_000
NEVER = (math.nan, math.inf, -math.inf, -1, -0.5, True, "1", [1], {"x": 1}, date(2026, 1, 1))
"""No number of a configuration may be one of these."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("configurations")
    shutil.copytree(ROOT / "config", found / "config")
    shutil.copytree(ROOT / "evals", found / "evals")
    for cases in (found / "evals").glob("*/cases.jsonl"):
        # Two are enough here, and each is read with every file.
        cases.write_text("\n".join(cases.read_text(encoding="utf-8").splitlines()[:2]), encoding="utf-8")
    return found / "config"


@dataclass
class Judged:
    """What came of a file, and what is wrong with that, in sentences."""

    outcome: Literal["taken", "refused", "crashed"]
    complaints: list[str]


def _judged(path: Path, content: bytes) -> Judged:
    path.write_bytes(content)
    try:
        configuration = load(path)
    except ConfigurationError as refused:
        return Judged("refused", list(_without_a_sentence(refused)))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        return Judged("crashed", [f"crash: {type(error).__name__}: {error!s:.300}"])
    try:
        return Judged("taken", list(_unusable(configuration)))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        return Judged("crashed", [f"crash in use: {type(error).__name__}: {error!s:.300}"])


def _without_a_sentence(refused: ConfigurationError) -> Iterator[str]:
    if not refused.faults:
        yield "refused without a sentence"
    for sentence in refused.faults:
        if ": " not in sentence or len(sentence) > TOO_LONG:
            yield f"no sentence with a path: {sentence[:200]!r}"


def _unusable(configuration: Configuration) -> Iterator[str]:
    document = json.dumps(masked_configuration(configuration.model_dump(mode="json", exclude_none=True)))
    if "NaN" in document or "Infinity" in document:
        yield "a number without a value was taken"
    warnings(configuration, datetime.now(UTC).date())
    missing_keys(configuration, {})
    ProcessHealth.of(configuration, "worker")
    for task in (None, *configuration.routes):
        question = Question(prompt="What is 1 + 1?", task=task)
        classification = classify(question, configuration, classifier_by("rules"))
        decision = decide(question, classification, configuration, Circumstances(now=datetime.now(UTC)))
        (payload,) = DATA_CONVERTER.payload_converter.to_payloads([decision])
        if len(payload.data) > 1_000_000:
            yield "its decisions cannot be sent"
        for candidate in decision.candidates:
            figures = (candidate.score, candidate.timeout_s, candidate.start_to_close_s)
            if not all(math.isfinite(figure) for figure in figures) or candidate.timeout_s <= 0:
                yield f"an impossible candidate: {candidate!r:.300}"


@pytest.mark.parametrize("name", FILES)
def test_a_sound_file_is_taken_as_it_is_and_as_this_fuzz_writes_it(folder: Path, name: str) -> None:
    sound = (folder / name).read_bytes()
    for content in (sound, written(tomllib.loads(sound.decode())).encode()):
        assert _judged(folder / "sound.toml", content) == Judged("taken", [])


@pytest.mark.timeout(TIME_LIMIT_S)
@pytest.mark.parametrize("name", FILES)
def test_a_file_with_other_values_is_refused_or_works(folder: Path, name: str) -> None:
    sound, found = tomllib.loads((folder / name).read_text(encoding="utf-8")), dict[str, list[str]]()
    outcomes = Counter[str]()
    for number in range(share(250)):
        document, told = changed(Random(f"{SEED}/{name}/{number}"), sound)
        judged = _judged(folder / "changed.toml", written(document).encode())
        outcomes[judged.outcome] += 1
        if judged.complaints:
            found[f"{number}: {told}"] = judged.complaints

    assert not found
    assert mixed(outcomes, share(250)), outcomes


@pytest.mark.timeout(TIME_LIMIT_S)
@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_is_refused_or_works(folder: Path, name: str) -> None:
    sound, found = (folder / name).read_text(encoding="utf-8"), dict[int, list[str]]()
    outcomes = Counter[str]()
    for number in range(share(100)):
        judged = _judged(folder / "broken.toml", broken(Random(f"{SEED}/{name}/{number}"), sound))
        outcomes[judged.outcome] += 1
        if judged.complaints:
            found[number] = judged.complaints

    assert not found
    assert mixed(outcomes, share(100)), outcomes


@pytest.mark.timeout(TIME_LIMIT_S)
@pytest.mark.parametrize("name", FILES)
def test_no_number_of_a_file_may_be_none(folder: Path, name: str) -> None:
    """Every number of the file in turn, as something that is no such number: false success would be to load it."""
    sound, taken = tomllib.loads((folder / name).read_text(encoding="utf-8")), list[str]()
    # What stands in `extra` is passed on as it is.
    spots = [path for path, _ in _numbers(sound) if "extra" not in path]
    chance = Random(f"{SEED}/{name}")
    # With each number as it stands the file is taken, so whatever is refused below is refused for its one number.
    assert _judged(folder / "number.toml", written(sound).encode()) == Judged("taken", [])
    for path in spots:
        value = chance.choice([never for never in NEVER if never != -1 or path[-1] != "seed"])
        target = folder / "number.toml"
        target.write_text(written(_with(sound, path, value)), encoding="utf-8")
        try:
            load(target)
        except ConfigurationError:
            continue
        taken.append(f"{'.'.join(path)} = {value!r}")

    assert spots
    assert not taken


def _numbers(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers(inner, (*path, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _with(document: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    first, *rest = path
    return {**document, first: _with(document[first], tuple(rest), value) if rest else value}
