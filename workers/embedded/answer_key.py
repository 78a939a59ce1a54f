"""Right answers to the benchmark's questions and to the suites' cases, for the scripted providers to give.

They are the reference answers that the tests mark: with them a profile or an evaluation of the embedded stack shows
what one of a good model would.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
REFERENCES = Path(__file__).parent / "references"
BENCHMARK = "benchmark"


@cache
def answer_key() -> dict[str, str]:
    """The right reply by prompt."""
    key: dict[str, str] = {}
    for file in sorted(REFERENCES.glob("*.jsonl")):
        answers = {entry["id"]: entry["answer"] for entry in _entries(file.read_text(encoding="utf-8"))}
        for case in _entries(_cases(file.stem)):
            if case["id"] in answers:
                key[case["prompt"]] = _text(answers[case["id"]])
    return key


def _cases(name: str) -> str:
    if name == BENCHMARK:
        return (resources.files("pointsman.benchmark") / "questions.jsonl").read_text(encoding="utf-8")
    return (_ROOT / "evals" / name / "cases.jsonl").read_text(encoding="utf-8")


def _entries(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line]


def _text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
