"""Whether everybody who asked was told once what is in the history, and the right provider's right text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from temporalio.client import WorkflowExecutionStatus

from benchmarks.chaos.askers import Told
from benchmarks.chaos.faults import text
from benchmarks.chaos.histories import Run
from benchmarks.chaos.promises import runs_by_id
from benchmarks.chaos.schedule import Asking
from benchmarks.chaos.witness import Evidence
from pointsman.errors import QuestionFailed
from pointsman.messages import Answer


def mistold(evidence: Evidence) -> list[str]:
    """Askers who were told nothing, or something else than is in the history, and answers that are none."""
    plans = {asking.id: asking for asking in evidence.schedule.questions}
    by_id = runs_by_id(evidence)
    found = [
        f"{told.id}: {fault}"
        for told in evidence.told
        if told.unforeseen is None and told.id in plans
        for fault in _faults(told, plans[told.id], by_id.get(told.id, []))
    ]
    return [*found, *_unheard(evidence, plans)]


def _unheard(evidence: Evidence, plans: dict[str, Asking]) -> Iterator[str]:
    """One who was told something unforeseen may have left before the other one: that is a fault by itself."""
    ends = Counter(told.id for told in evidence.told)
    unforeseen = {told.id for told in evidence.told if told.unforeseen is not None}
    for question_id in {*ends, *plans}:
        asking = plans.get(question_id)
        askers = 0 if asking is None else 2 if asking.kind == "repeated" else 1
        if ends[question_id] != askers and question_id not in unforeseen:
            yield f"{question_id}: {askers} asked, {ends[question_id]} were told"


def _faults(told: Told, asking: Asking, runs: list[Run]) -> Iterator[str]:
    if told.answer is not None:
        yield from _misanswered(told.answer, asking, runs)
    elif told.failure is not None:
        yield from _misfailed(told.failure, runs)
    elif not told.cancelled:
        yield "its asker was told nothing"
    elif asking.kind != "cancelled":
        yield "its asker was told of a cancellation"
    elif all(run.status is not WorkflowExecutionStatus.CANCELED for run in runs):
        yield "its asker was told of a cancellation, and no run was cancelled"


def _misanswered(answer: Answer, asking: Asking, runs: list[Run]) -> Iterator[str]:
    if answer not in [run.answer for run in runs]:
        yield "its asker was told another answer than is in its history"
    # Garbage is never an answer, and nobody answers for somebody else, or somebody else's question.
    if answer.text != text(answer.provider, asking.prompt):
        yield f"{answer.provider} is said to have answered {answer.text[:100]!r}"
    if answer.provider not in {row.provider for row in answer.attempts if row.outcome == "answered"}:
        yield f"{answer.provider} is said to have answered, and no attempt of it did"


def _misfailed(failure: QuestionFailed, runs: list[Run]) -> Iterator[str]:
    ended = [run for run in runs if run.failure_type == failure.failure_type]
    if not ended:
        yield f"its asker was told of {failure.failure_type}, which no run ended with"
    elif all(failure.attempts != (run.attempts or ()) for run in ended):
        yield f"its asker was told of {len(failure.attempts)} attempts, which are not those of the run that failed"
