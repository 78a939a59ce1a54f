"""What a short answer says of its number besides the number: "more than 3", "before 2020", "5 mg/kg"."""

from __future__ import annotations

import re

from pointsman.divergence.comparison import Comparison, differ, difference
from pointsman.divergence.number_words import with_digits
from pointsman.divergence.statement import Statement
from pointsman.divergence.units import COUNTING, unit

_FEW_WORDS = 6
_RELATIONS = {
    "at most": "at most|up to|no more than|not more than|no greater than|(?:a )?maximum of",
    "at least": "at least|no less than|no fewer than|not less than|not fewer than|(?:a )?minimum of",
    "more": "more than|greater than|over|above|exceeding|upwards of",
    "less": "fewer than|less than|under|below",
    "before": "before|prior to",
    "after": "after",
    "between": "between",
}
_NAMES = {f"r{number}": name for number, name in enumerate(_RELATIONS)}
_WORDS = "|".join(f"(?P<r{number}>{words})" for number, words in enumerate(_RELATIONS.values()))
_MONTHS = "(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.? )?"
_RELATED = re.compile(rf"^[^\d<>=\\]*?\b(?:{_WORDS}) (?:the )?{_MONTHS}[$€£]?-?(?P<number>\d+)", re.IGNORECASE)
_IN_QUESTION = re.compile(rf"\b(?:{_WORDS}|least|most|minimum|maximum)\b", re.IGNORECASE)
_RANGE = re.compile(r"\d\s?(?:-|\bto\b)\s?\d")
_NUMBER = re.compile(r"\d")
_MATHS = re.compile(r"[<>=\\+*^]")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_RATE = re.compile(r"^[^\d]*\d[\d.,]*\s?(?P<unit>[μA-Za-z]+)(?:(?:\s?/\s?|\sper\s)(?P<per>[A-Za-z]+))?(?![/\w])")
_ASKS_RATE = re.compile(r"\bper\b|\brate\b|\bspeed\b|\bfast\b|/", re.IGNORECASE)


def compare_relations(a: Statement, b: Statement, question: str) -> Comparison | None:
    """That two short answers say other things of a number, or `None`; without a word on it they may be the same."""
    if max(len(a.words), len(b.words)) > _FEW_WORDS or _MATHS.search(a.folded + b.folded):
        return None
    said = [with_digits(one.folded) for one in (a, b)]
    if not all(map(_NUMBER.search, said)):
        return None
    relations = [_related(one) for one in said]
    # Where "at least" is asked for it need not be said again, and 3-5 is between 3 and 5 without a word.
    implied = None in relations and (_IN_QUESTION.search(question) or any(map(_RANGE.search, said)))
    if relations[0] != relations[1] and not implied:
        return differ("number", difference("number", "the relations differ", a.folded, b.folded))
    if not _ASKS_RATE.search(question) and _rates_differ(*said):
        return differ("number", difference("number", "the units differ", a.folded, b.folded))
    return None


def _related(text: str) -> str | None:
    found = _RELATED.match(text)
    if found is None:
        return None
    name = _NAMES[next(group for group in _NAMES if found[group])]
    # What hatches after three days takes three days.
    return None if name == "after" and not _YEAR.fullmatch(found["number"]) else name


def _rates_differ(a: str, b: str) -> bool:
    found = _RATE.match(a), _RATE.match(b)
    if found[0] is None or found[1] is None:
        return False
    known = [unit(one["unit"]) for one in found if one is not None]
    if None in known or any(one.dimension in COUNTING for one in known if one is not None):
        return False
    per = [one["per"] and (unit(one["per"]) or one["per"].lower()) for one in found if one is not None]
    return per[0] != per[1]
