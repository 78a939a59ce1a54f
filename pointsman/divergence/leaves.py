"""Single values of a document: numbers with tolerance, dates and words in any spelling, free text by its words."""

from __future__ import annotations

import math
import re
from typing import Any, Literal

from pointsman.divergence.dates import agrees, moments
from pointsman.divergence.facts import content
from pointsman.divergence.jaccard import share
from pointsman.divergence.numbers import numeric, same_numbers
from pointsman.divergence.polarity import polarity
from pointsman.divergence.prose import contradicts
from pointsman.divergence.quantity import Asked
from pointsman.divergence.settings import DivergenceSettings
from pointsman.divergence.statement import Statement
from pointsman.divergence.text import folded

Likeness = Literal["same", "different", "unclear"]
_FEW_WORDS = 8
_LEADING_ZERO = re.compile(r"\s*0\d++\s*\Z")
_DIGITS = re.compile(r"\s*v?\d[\d.]*\s*\Z", re.IGNORECASE)
_LONGEST = 20_000
_DATE_WORDS = 6


def likeness(a: Any, b: Any, settings: DivergenceSettings, *, literal: bool = False) -> Likeness:
    """Whether two leaves, neither of them an object or a list, say the same; `literal` where digits are a name.

    So they are in any text with a leading zero: a postcode or a telephone number.
    """
    if (literal or _code(a) or _code(b)) and _digits(a) and _digits(b):
        return "same" if _name(a) == _name(b) else "different"
    if isinstance(a, str) and isinstance(b, str):
        return _texts(a, b, settings)
    if isinstance(a, bool) or isinstance(b, bool):
        return "same" if a is b or _truth(a) == _truth(b) is not None else "different"
    if isinstance(a, int | float) and isinstance(b, int | float):
        return "same" if _numbers(a, b, settings.number_tolerance) else "different"
    if a is None or b is None:
        return "same" if a in {None, ""} and b in {None, ""} else "different"
    # A number, and a text that may hold one.
    return _texts(str(a), str(b), settings) if _printable(a) and _printable(b) else "different"


def _code(value: Any) -> bool:
    return isinstance(value, str) and _LEADING_ZERO.match(value) is not None


def _digits(value: Any) -> bool:
    if isinstance(value, str):
        return _DIGITS.match(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool) and _printable(value)


def _name(value: Any) -> str:
    return str(value).strip().lower().removeprefix("v")


def _numbers(a: float, b: float, tolerance: float) -> bool:
    if a == b or (a != a and b != b):  # noqa: PLR0124 - NaN
        return True
    try:
        return math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-12)
    except OverflowError:
        # Integers beyond any float, and not equal.
        return False


def _printable(value: Any) -> bool:
    return not isinstance(value, int) or value.bit_length() < 10_000  # noqa: PLR2004 - Python prints no more


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else polarity(Statement(value)) if isinstance(value, str) else None


def _texts(a: str, b: str, settings: DivergenceSettings) -> Likeness:
    a, b = folded(a[:_LONGEST]).strip(), folded(b[:_LONGEST]).strip()
    equal = a.casefold().split() == b.casefold().split() or _values(a, b, settings)
    if equal is None:
        words_a, words_b = content(a), content(b)
        if words_a != words_b and max(len(words_a), len(words_b)) >= _FEW_WORDS:
            if share(set(words_a), set(words_b)) < settings.prose_threshold:
                return "unclear"
        elif words_a != words_b:
            return "different"
        equal = contradicts(a, b) is None
    return "same" if equal else "different"


def _values(a: str, b: str, settings: DivergenceSettings) -> bool | None:
    """Whether two numbers or two dates are equal; `None` for anything else."""
    number_a, number_b = numeric(a), numeric(b)
    if number_a is not None and number_b is not None:
        return same_numbers(number_a, number_b, Asked(tolerance=settings.number_tolerance))
    if max(len(a.split()), len(b.split())) > _DATE_WORDS:
        return None
    dates_a, dates_b = moments(a), moments(b)
    return any(agrees(one, other) for one in dates_a for other in dates_b) if dates_a and dates_b else None
