"""The benchmark's questions, read from the file beside this one.

questions = benchmark().sample(QueryType.CODE_TASK, 12)
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from pointsman.examination.case import Case, case_faults
from pointsman.examination.case_file import read_cases
from pointsman.query_types import QueryType

FILE = "questions.jsonl"


class BenchmarkQuestion(Case):
    """A case, and the query type that it stands for."""

    query_type: QueryType


class Benchmark(BaseModel):
    """All questions, and the digest by which a profile knows them."""

    model_config = ConfigDict(frozen=True)

    questions: tuple[BenchmarkQuestion, ...]
    digest: str

    def sample(self, query_type: QueryType, count: int) -> tuple[BenchmarkQuestion, ...]:
        """The first so many questions of a type: the same for every model, so that figures compare."""
        return tuple(question for question in self.questions if question.query_type is query_type)[:count]


@cache
def benchmark() -> Benchmark:
    """The questions that come with Pointsman."""
    return read_benchmark((resources.files("pointsman.benchmark") / FILE).read_text(encoding="utf-8"))


def read_benchmark(text: str) -> Benchmark:
    """The questions of a file.

    Raises:
        ValueError: with every fault, by its line.
    """
    numbered, found = read_cases(text, BenchmarkQuestion)
    faults = [
        *found,
        *(f"line {number}: {fault}" for number, question in numbered for fault in case_faults(question)),
    ]
    if faults:
        raise ValueError("\n".join(f"{FILE}: {fault}" for fault in faults))
    questions = tuple(question.filled() for _, question in numbered)
    return Benchmark(questions=questions, digest=hashlib.sha256(text.encode()).hexdigest())
