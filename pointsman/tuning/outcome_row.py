"""Pointsman's own form of outcomes: one row a question and provider, as JSON lines or CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from pointsman.errors import InvalidOutcomes
from pointsman.provider import Share, Usd
from pointsman.query_types import QueryType
from pointsman.sentences import sentences
from pointsman.tuning.outcomes import Outcome, Row

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _whole(text: str) -> str:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("not valid Unicode (a lone surrogate); write text that is UTF-8") from None
    return text


Text = Annotated[str, AfterValidator(_whole)]
Name = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$"), AfterValidator(_whole)
]

Fields = tuple[int, dict[str, Any]]
"""A row's line and what stands in it."""


class OutcomeRow(BaseModel):
    """What one provider's answer to one question was worth, and what it took."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True, populate_by_name=True)

    question: Annotated[str, StringConstraints(min_length=1), AfterValidator(_whole)]
    """The question's id, or its text."""
    provider: Name
    score: Share
    """How good the answer was, from 0 to 1."""
    cost_usd: Annotated[Usd, Field(validation_alias=AliasChoices("cost_usd", "cost"))]
    latency_ms: Annotated[Amount | None, Field(validation_alias=AliasChoices("latency_ms", "latency"))] = None
    prompt: Text = ""
    """The question's text, where `question` is an id."""
    query_type: QueryType | None = None
    task: str | None = None
    """A route of the configuration, whose type of question it then is."""
    output_tokens: Amount | None = None


_Form = TypeVar("_Form", bound=BaseModel)

KNOWN = frozenset(
    {"question", "provider", "score", "cost_usd", "cost", "latency_ms", "latency", "prompt", "query_type", "task"}
    | {"output_tokens"}
)


def is_own(fields: dict[str, Any]) -> bool:
    """Whether a row has this form."""
    return "provider" in fields or "score" in fields


def rows(numbered: Iterable[Fields]) -> Iterator[Row]:
    """Rows of this form.

    Raises:
        InvalidOutcomes: with the line and the field.
    """
    for line, fields in numbered:
        one = checked(line, fields, OutcomeRow)
        yield Row(
            line=line,
            question=one.question,
            provider=one.provider,
            outcome=Outcome(one.score, one.cost_usd, one.latency_ms, one.output_tokens),
            text=one.prompt.strip() or _text(one.question),
            query_type=one.query_type,
            task=one.task,
        )


def checked(line: int, fields: dict[str, Any], form: type[_Form]) -> _Form:
    """A row's fields as a value.

    Raises:
        InvalidOutcomes: with the line and the first field that is wrong.
    """
    try:
        return form.model_validate(fields)
    except ValidationError as fault:
        raise InvalidOutcomes(f"line {line}: {sentences(fault, form)[0]}") from None


def _text(question: str) -> str:
    """The question itself, where it is no id: an id has no spaces."""
    return question if " " in question.strip() else ""
