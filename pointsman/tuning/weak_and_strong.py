"""The published form of RouteLLM's outcomes: a row a question, and whether a weak and a strong model were right.

A row has `id`, `prompt`, `weak` and `strong` (0 or 1), and may have the characters of both answers. It has no costs:
they are RouteLLM's own of Mixtral-8x7B and GPT-4 (Ong et al. 2024), and an answer without a length is taken to be as
long as Pointsman expects of its type of question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict

from pointsman.provider import Price, Share
from pointsman.query_types import EXPECTED_OUTPUT_TOKENS, QueryType
from pointsman.tuning.outcome_row import Amount, Fields, Text, checked
from pointsman.tuning.outcomes import Outcome, Row

PRICES = {"weak": Price(input=0.24, output=0.24), "strong": Price(input=24.7, output=24.7)}
"""USD per million tokens, in and out alike."""
NOTE = (
    "no costs are in the file: 0.24 and 24.7 USD per million tokens stand in for them, RouteLLM's figures for its pair"
)

_CHARACTERS_PER_TOKEN = 4
_MILLION = 1_000_000


class PairRow(BaseModel):
    """A question and how the two models fared."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: Text = ""
    prompt: Text
    weak: Share
    strong: Share
    weak_chars: Amount | None = None
    strong_chars: Amount | None = None


def is_weak_and_strong(fields: dict[str, Any]) -> bool:
    """Whether a row has this form."""
    return "weak" in fields and "strong" in fields


def rows(numbered: Iterable[Fields], kind: Callable[[str], QueryType]) -> Iterator[Row]:
    """Rows of this form; `kind` tells a text's type of question.

    Raises:
        InvalidOutcomes: with the line and the field.
    """
    for line, fields in numbered:
        one = checked(line, fields, PairRow)
        query_type = kind(one.prompt)
        for name, right, characters in (
            ("weak", one.weak, one.weak_chars),
            ("strong", one.strong, one.strong_chars),
        ):
            price = PRICES[name]
            known = None if characters is None else characters / _CHARACTERS_PER_TOKEN
            tokens = EXPECTED_OUTPUT_TOKENS[query_type] if known is None else known
            usd = (len(one.prompt) / _CHARACTERS_PER_TOKEN * price.input + tokens * price.output) / _MILLION
            yield Row(
                line=line,
                question=one.id or str(line),
                provider=name,
                outcome=Outcome(right, usd, None, known),
                text=one.prompt.strip() and one.prompt,
                query_type=query_type,
            )
