"""The ledger joined with scores: what questions that were really asked cost, and what their answers were worth.

A score belongs to a question by its workflow's id, and where several providers answered it also by the provider.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints

from pointsman.errors import InvalidOutcomes
from pointsman.ledger.entry import LedgerEntry
from pointsman.provider import Share
from pointsman.query_types import QueryType
from pointsman.tuning.outcome_row import Fields, Name, Text, checked
from pointsman.tuning.outcomes import Outcome, Outcomes, Row, gathered

_ANSWERED = frozenset({"answered", "low_confidence", "refused"})


class ScoreRow(BaseModel):
    """How good the answer to a question was."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    workflow_id: Annotated[
        Text,
        StringConstraints(min_length=1),
        Field(validation_alias=AliasChoices("workflow_id", "question", "question_id", "id")),
    ]
    score: Share
    provider: Name | None = None
    """Whose answer it was, where several answered."""


@dataclass(frozen=True)
class Score:
    """A score and its line."""

    line: int
    row: ScoreRow


def scores(numbered: Iterable[Fields]) -> list[Score]:
    """The scores of a file.

    Raises:
        InvalidOutcomes: with the line and the field.
    """
    found = [Score(line, checked(line, fields, ScoreRow)) for line, fields in numbered]
    if not found:
        raise InvalidOutcomes('it is empty; give a line such as {"workflow_id": "question-1", "score": 0.8}')
    return found


def joined(found: Sequence[Score], entries: Iterable[LedgerEntry]) -> Outcomes:
    """The scored answers; a provider's cost is that of all of its attempts at the question, its failed ones too.

    Raises:
        InvalidOutcomes: nothing of it belongs together.
    """
    wanted = {score.row.workflow_id for score in found}
    by_question: defaultdict[str, list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        if entry.workflow_id in wanted and entry.purpose == "answer":
            by_question[entry.workflow_id].append(entry)
    lost: defaultdict[str, int] = defaultdict(int)
    rows = list(_rows(found, by_question, lost))
    if not rows:
        told = "; ".join(f"{count} {why}" for why, count in lost.items())
        raise InvalidOutcomes(f"workflow_id: no score belongs to an answer of the ledger ({told}); check the ids")
    notes = [f"{count} scores {why}" for why, count in lost.items()]
    return gathered(rows, allow_gaps=True).noting(*notes)


def _rows(
    found: Sequence[Score], by_question: dict[str, list[LedgerEntry]], lost: defaultdict[str, int]
) -> Iterator[Row]:
    for score in found:
        attempts = by_question.get(score.row.workflow_id, [])
        answered = [entry for entry in attempts if entry.outcome in _ANSWERED]
        names = {entry.provider for entry in answered}
        if score.row.provider is not None:
            names &= {score.row.provider}
        if not names:
            lost["are of questions that the ledger has no answer of"] += 1
        elif len(names) > 1:
            lost["are of questions that several providers answered, and name none of them (field provider)"] += 1
        else:
            [name] = names
            own = [entry for entry in attempts if entry.provider == name]
            usd = [entry.cost_usd for entry in own]
            known = [cost for cost in usd if cost is not None]
            if len(known) < len(usd):
                lost["are of answers whose cost is unknown"] += 1
                continue
            last = next(entry for entry in reversed(answered) if entry.provider == name)
            outcome = Outcome(score.row.score, sum(known), last.latency_ms, float(last.output_tokens) or None)
            yield Row(
                score.line, score.row.workflow_id, name, outcome, query_type=_type(last.query_type), task=last.task
            )


def _type(name: str | None) -> QueryType | None:
    return next((query_type for query_type in QueryType if query_type == name), None)
