"""How much reasoning does a question need? From 1.0 to 5.0 by what its text holds, every part of it nameable.

>>> rated("Prove that the root of three is irrational", QueryType.COMPLEX_REASONING).value
2.62

A sum of saturating parts: the tenth condition adds less than the first, and no length of text makes a look-up hard. The
parts and what each may add were set by hand, not fitted; docs/routing.md says how far they carry. Words are English:
in other languages length, clauses, numbers, signs and the kind of question speak alone.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log2

from pydantic import BaseModel, ConfigDict

from pointsman.complexity_words import CLAUSES, CONDITIONS, JUDGEMENTS, NEGATIONS, NUMBERS, OPERATIONS, RELATIONS
from pointsman.query_types import COMPLEXITY, QueryType
from pointsman.text_features import read_part

LEAST, MOST = 1.0, 5.0

# Numbers, words, then single signs. Two letters of a contraction stay together: "isn't" is a negation.
_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['\u2019]t\b)?|[^\w\s]|_")
_OPTION = re.compile(r"(?m)^[ \t]*\(?[A-Ha-h][).:][ \t].*$")
_CLAUSE_SIGNS = frozenset(",;:(\uff0c\u3001\uff1b\uff1a\u060c\u061b")
_SIGNS = frozenset("=+*/^<>\u2264\u2265\u2260\u2208\u2211\u222b\u221a\u2200\u2203\u2192\u00ac\u2227\u2228{}[]_\\|")
_SHORT, _LONG = 40, 800
"""Bytes: what is shorter adds next to nothing, and beyond the longer nothing is added."""


class Reason(BaseModel):
    """A part of a question's complexity: what was found, how often, and the points that it adds."""

    model_config = ConfigDict(frozen=True)

    what: str
    """Such as "clauses"; the same name for the same part in every question."""
    found: int
    """How often; for the length its bytes."""
    points: float


class Complexity(BaseModel):
    """1.0 (a look-up) to 5.0 (deep reasoning), and what it is made of, the weightiest part first."""

    model_config = ConfigDict(frozen=True)

    value: float
    reasons: tuple[Reason, ...]


def rated(text: str, query_type: QueryType) -> Complexity:
    """The complexity of a question: 1.0 and the points of its parts, 5.0 at most, to two places. No text fails."""
    return of_parts(parts_of(text), query_type)


def of_parts(parts: tuple[Reason, ...], query_type: QueryType) -> Complexity:
    """The complexity of a question with these parts, were it of this type."""
    kind = (COMPLEXITY[query_type] - LEAST) / (MOST - LEAST)
    parts = (*parts, Reason(what=f"kind: {query_type}", found=1, points=_points(0.6, kind)))
    value = min(MOST, LEAST + sum(part.points for part in parts))
    reasons = sorted((part for part in parts if part.points > 0), key=lambda part: -part.points)
    return Complexity(value=round(value, 2), reasons=tuple(reasons))


@lru_cache(maxsize=1)  # who explains a decision reads the text that was just decided
def parts_of(text: str) -> tuple[Reason, ...]:
    """What the text itself adds, whatever its type; parts of no points among them."""
    read = read_part(text)
    asked = _OPTION.sub("", read)
    tokens = Counter(_TOKEN.findall(asked.lower()))
    # The options count where they tell of a statement: "true, false", "not wrong".
    everything = tokens if len(asked) == len(read) else Counter(_TOKEN.findall(read.lower()))
    length = len(" ".join(asked.split()).encode("utf-8", "replace"))
    clauses = _among(tokens, CLAUSES) + _among(tokens, _CLAUSE_SIGNS)
    numbers = _among(tokens, NUMBERS) + sum(count for token, count in tokens.items() if token[0].isdigit())
    return (
        Reason(what="length", found=length, points=_points(0.8, _of_length(length))),
        Reason(what="clauses", found=clauses, points=_points(1.4, _full(clauses, 8))),
        _counted("conditions", 0.8, _among(tokens, CONDITIONS), 4),
        Reason(what="numbers", found=numbers, points=_points(0.5, _full(numbers, 6))),
        _counted("relations of quantities", 0.6, _among(tokens, RELATIONS), 4),
        _counted("negations", 0.6, _among(everything, NEGATIONS), 2),
        _counted("statements to judge", 0.6, _among(everything, JUDGEMENTS), 2),
        _counted("signs of mathematics or code", 0.7, _among(everything, _SIGNS), 6),
        _counted("operations", 1.2, _among(tokens, OPERATIONS), 1),
    )


def _counted(what: str, most: float, found: int, half: int) -> Reason:
    return Reason(what=what, found=found, points=_points(most, _full(found, half)))


def _points(most: float, share: float) -> float:
    return round(most * share, 3)


def _full(count: int, half: int) -> float:
    """From 0 towards 1; a half at `half`."""
    return count / (count + half)


def _of_length(size: int) -> float:
    return min(1.0, log2(1 + size / _SHORT) / log2(1 + _LONG / _SHORT))


def _among(tokens: Counter[str], words: frozenset[str]) -> int:
    return sum(count for token, count in tokens.items() if token in words)
