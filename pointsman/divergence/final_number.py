"""The number that an answer comes to, also where it only stands somewhere in the last sentences."""

from __future__ import annotations

import re
from functools import lru_cache

from pointsman.divergence.latex import plain
from pointsman.divergence.number_words import with_digits
from pointsman.divergence.numbers import Numeric, numeric
from pointsman.divergence.quantity import Quantity, quantities
from pointsman.divergence.statement import Statement
from pointsman.divergence.wanted import calculates

_LONGEST = 1_000
_FEW_WORDS = 4
_INEQUALITY = re.compile(r"(?<![<>])[<>](?![<>])")
# A dollar sign stands for money as well; mathematics has no space just inside its signs.
_MATHS = re.compile(r"\\\(([^\n]{1,300}?)\\\)|\$(?=\S)([^$\n]{1,300})(?<=\S)\$(?!\d)")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|equals?|equal to|has|have|had|needs?|costs?|takes?|spends?|spent|makes?|made|earns?|"
    r"earned|gets?|got|saves?|saved|pays?|paid|receives?|received|total of|approximately|about|only|exactly|left with|"
    r"left)\W*(?:\w+ )?$"
)
_ASIDE = re.compile(
    r"\b(?:in|after|within|during|every|per|over|for|each of the|than|from|if|when|until|by)\s*$", re.IGNORECASE
)


def final_number(said: Statement, question: str, *, last: bool = False) -> Numeric | None:
    """What an answer comes to, as far as that is a number; else picked from its last sentences that hold one.

    With `last` the number that such a sentence ends on is taken, whatever the sentence is about.
    """
    whole = numeric(said.final.text)
    if whole is not None:
        return whole
    if _INEQUALITY.search(plain(said.final.text[:_LONGEST])) and (said.final.explicit or len(said.words) <= _FEW_WORDS):
        # It holds a number and is none.
        return None
    known = None if last else _values(question)
    parts = [*said.sentences]
    # A calculation comes to its end; a fact is said first, and then explained.
    if known != frozenset() or calculates(said.folded):
        parts.reverse()
    for sentence in [said.final.text, *parts] if said.final.explicit else parts:
        found = _picked(sentence[-_LONGEST:], known)
        if found is not None:
            return found
    return None


def _picked(sentence: str, known: frozenset[object] | None) -> Numeric | None:
    """The number of a sentence that it is about: mathematics first, what an equation comes to, or the best placed."""
    for maths in reversed([found[1] or found[2] for found in _MATHS.finditer(sentence)]):
        value = numeric(maths.rpartition("=")[2])
        if value is not None:
            return Numeric(value.items, value.brackets, certain=False, written=maths)
    text = plain(sentence)
    if known is None:
        return Numeric((found[-1],), certain=False, written=sentence) if (found := quantities(text)) else None
    _, equals, result = re.sub(r"[≈]", "=", text).rpartition("=")
    found = quantities(result) if equals else []
    if found:
        return Numeric((found[0],), certain=False, written=sentence)
    found = quantities(text) or quantities(with_digits(text))
    if not found:
        return None
    best = max(enumerate(found), key=lambda entry: (_fitness(text, entry[1], known), entry[0]))[1]
    return Numeric((best,), certain=False, written=sentence)


def _fitness(text: str, quantity: Quantity, known: frozenset[object]) -> int:
    before = text[max(0, quantity.start - 40) : quantity.start]
    fits = 2 * bool(_VERB.search(before)) + (quantity.value not in known)
    return fits - 2 * (bool(_ASIDE.search(before)) and not quantity.money)


@lru_cache(maxsize=64)
def _values(question: str) -> frozenset[object]:
    return frozenset(quantity.value for quantity in quantities(with_digits(question)))
