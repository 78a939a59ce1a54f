"""The published form of ZeroEval's outcomes: a row a question, with what every model of a list made of it.

A row has `task`, `id`, `prompt` and `m`, for each model [right 0 or 1, characters of the answer, answer]. Beside the
file META.json has under the file's name the order of the models and their prices in USD per million tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from pointsman.errors import InvalidOutcomes
from pointsman.provider import Price, Share, Usd
from pointsman.query_types import QueryType
from pointsman.sentences import sentences
from pointsman.tuning.outcome_row import Amount, Fields, Name, Text, checked
from pointsman.tuning.outcomes import Outcome, Row

DESCRIPTION = "META.json"
TYPES = {"gsm": QueryType.COMPLEX_REASONING, "math-l5": QueryType.ANALYSIS, "crux": QueryType.CODE_TASK}
"""Each task stands for a query type of its own, so that strengths are by task."""

_CHARACTERS_PER_TOKEN = 4
"""The data's own rule of cost."""
_MILLION = 1_000_000


class Description(BaseModel):
    """The models of a table, in order, and what they cost."""

    model_config = ConfigDict(frozen=True)

    order_of_m: tuple[Name, ...]
    usd_per_million_in_out: dict[str, tuple[Usd, Usd]]

    def prices(self) -> dict[str, Price]:
        """The price of each model."""
        return {name: Price(input=prices[0], output=prices[1]) for name, prices in self.usd_per_million_in_out.items()}


class TableRow(BaseModel):
    """A question and its outcomes, in the order of the models."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    task: Text
    id: Text = ""
    prompt: Text
    m: tuple[tuple[Share, Amount, Any] | tuple[Share, Amount], ...]


def is_model_table(fields: dict[str, Any]) -> bool:
    """Whether a row has this form."""
    return "m" in fields and "prompt" in fields


def described(text: str, file: str) -> Description:
    """What META.json says of a file.

    Raises:
        InvalidOutcomes: it says nothing of it, or nothing that can be read.
    """
    try:
        known = TypeAdapter(dict[str, Any]).validate_json(text)
        return Description.model_validate(known.get(file))
    except ValidationError as fault:
        where = sentences(fault, Description)[0]
        raise InvalidOutcomes(
            f"{DESCRIPTION}: {file}: {where}; it names the models in order and their prices"
        ) from None


def rows(numbered: Iterable[Fields], models: tuple[str, ...], prices: Mapping[str, Price]) -> Iterator[Row]:
    """Rows of this form.

    Raises:
        InvalidOutcomes: with the line and the field.
    """
    for line, fields in numbered:
        one = checked(line, fields, TableRow)
        if len(one.m) != len(models):
            raise InvalidOutcomes(f"line {line}: m: {len(one.m)} outcomes for {len(models)} models of {DESCRIPTION}")
        for name, (right, characters, *_) in zip(models, one.m, strict=True):
            yield Row(
                line=line,
                question=f"{one.task}/{one.id or line}",
                provider=name,
                outcome=Outcome(right, _usd(prices[name], one, characters), None, characters / _CHARACTERS_PER_TOKEN),
                text=one.prompt.strip() and one.prompt,
                query_type=TYPES.get(one.task),
            )


def _usd(price: Price, row: TableRow, answered: float) -> float:
    return (len(row.prompt) * price.input + answered * price.output) / _CHARACTERS_PER_TOKEN / _MILLION
