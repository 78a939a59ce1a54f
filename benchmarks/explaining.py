"""How many decisions a second are made, explained and written as JSON, as `pointsman route --file` does it.

    python -m benchmarks.explaining

The questions are the project's own examples, every tenth followed by up to 8,000 characters of others. Time by the
clock, on all cores, without the command's start: what else the machine does counts.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from pathlib import Path

from rich.table import Table

from benchmarks.entrance import measured
from benchmarks.figures import Figure
from pointsman.cli.fleet import Fleet
from pointsman.cli.routing import decided_lines
from pointsman.config_file import load

_CONFIGURATIONS = ("demo", "router")
_CONFIG = Path(__file__).parents[1] / "config"
_LINES, _SEED = 2_000, 7
_LONG = (500, 2_000, 8_000)
_WANTED = 500


def measure(_folder: Path | None = None) -> tuple[list[Figure], list[Table], list[str]]:
    """A figure for each configuration that is shipped."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "questions.jsonl"
        path.write_text("\n".join(json.dumps({"prompt": text}) for text in _questions()) + "\n", encoding="utf-8")
        return [_figure(name, path) for name in _CONFIGURATIONS], [], []


def _figure(name: str, path: Path) -> Figure:
    configuration = load(_CONFIG / f"{name}.toml")
    began = time.perf_counter()
    count = sum(1 for _ in decided_lines(path, configuration, Fleet))
    per_s = count / (time.perf_counter() - began)
    what = f"explained decisions, config/{name}.toml"
    return Figure(f"explained_{name}_per_s", what, per_s, "a second", at_least=_WANTED)


def _questions() -> list[str]:
    # Training code is in the checkout, not beside an installed benchmark's data.
    from training import examples  # noqa: PLC0415

    chance = random.Random(_SEED)
    texts = [example.text for example in examples.read()]
    chance.shuffle(texts)
    pasted = " ".join(texts[_LINES:])
    questions = texts[:_LINES]
    for number in range(0, len(questions), 10):
        at = chance.randrange(len(pasted) - max(_LONG))
        questions[number] += f"\n\n{pasted[at : at + chance.choice(_LONG)]}"
    return questions


if __name__ == "__main__":
    measured("Decisions explained", measure)
