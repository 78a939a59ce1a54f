"""The benchmark's file: questions of a type in order, or every fault by its line."""

from __future__ import annotations

import json

import pytest

from pointsman.benchmark.questions import read_benchmark
from pointsman.query_types import QueryType


def _line(number: int, query_type: str = "code_task", **changes: object) -> str:
    return json.dumps(
        {
            "id": f"q-{number}",
            "prompt": "What is 1 + 1?",
            "query_type": query_type,
            "checks": [{"check": "number", "value": 2}],
            **changes,
        }
    )


def test_a_sample_holds_the_first_questions_of_a_type() -> None:
    read = read_benchmark("\n".join([_line(1), _line(2, "analysis"), _line(3), _line(4)]))
    assert [question.id for question in read.sample(QueryType.CODE_TASK, 2)] == ["q-1", "q-3"]


def test_its_digest_changes_with_its_text() -> None:
    assert read_benchmark(_line(1)).digest != read_benchmark(_line(2)).digest


def test_a_bad_question_is_refused_by_its_line() -> None:
    with pytest.raises(ValueError, match=r"questions\.jsonl: line 2: checks: missing; give the case"):
        read_benchmark("\n".join([_line(1), _line(2, checks=[])]))
    with pytest.raises(ValueError, match=r"questions\.jsonl: line 1: query_type: "):
        read_benchmark(_line(1, "gossip"))
