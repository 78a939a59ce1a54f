"""Dates and times of day in their usual spellings, as far as a calendar goes: zones are read but not reckoned with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join([*_MONTHS, *(f"{name[:3]}\\.?" for name in _MONTHS), "sept\\.?"])
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?:T\d{2}:\d{2}(?::\d{2})?(?:\.\d{1,6})?Z?)?(?!\d)")
_SLASHED = re.compile(r"(?<![\d/.])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?!\d)")
_MONTH_FIRST = re.compile(rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(\d{{3,4}})\b)?", re.IGNORECASE)
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?({_MONTH})\b(?:,?\s+(\d{{3,4}})\b)?", re.IGNORECASE
)
_MONTH_ONLY = re.compile(rf"\b({_MONTH}),?\s+(?:of\s+)?(\d{{4}})\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d.,$/-])(1\d{3}|20\d{2})(?![\d,/-]|\.\d)")
_TIME = re.compile(r"(?<![\d:])([01]?\d|2[0-4])(?:[:.]([0-5]\d)(?::([0-5]\d))?)?\s*([ap])\.?\s?m\b\.?", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?![\d:])")
_ZONE = re.compile(r"\d(?:\s?[ap]\.?m\.?)?\s?\(?([ECMP][SD]T|UTC|GMT|CES?T|BST|JST|IST|AES?T|Z)\b", re.IGNORECASE)
_SAME_ZONES = {"gmt": "utc", "z": "utc"}
_NAMED_TIMES = {"noon": (12, 0, 0), "midday": (12, 0, 0), "midnight": (0, 0, 0)}
_ASKS = re.compile(
    r"\b(?:when (?:did|was|were|is|will|does|do)|(?:what|which|in what|in which) (?:year|date|day|month|time)|"
    r"what is the date|date of (?:birth|death)|year of)\b",
    re.IGNORECASE,
)
_MEETS = re.compile(r"\b(?:what|which) time\b|o'clock", re.IGNORECASE)


@dataclass(frozen=True)
class Moment:
    """A date or a time; what is not said is `None`."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    time: tuple[int, int, int] | None = None

    @property
    def parts(self) -> tuple[object, ...]:
        """From the largest to the smallest."""
        return (self.year, self.month, self.day, self.time)


@lru_cache(maxsize=64)
def asks_for_date(question: str) -> bool:
    """Whether the question wants a date, a year or a time of day."""
    return bool(_ASKS.search(question) or _MEETS.search(question))


def agrees(a: Moment, b: Moment) -> bool:
    """Whether nothing that both say differs, and they say something in common: 1990 and May 1990 agree."""
    both = [(one, other) for one, other in zip(a.parts, b.parts, strict=True) if one is not None and other is not None]
    return bool(both) and all(one == other for one, other in both)


def ambiguous(a: tuple[Moment, ...], b: tuple[Moment, ...]) -> bool:
    """Whether two dates agree only if one has its day first and the other its month: 3/5 and 5/3."""
    return len(a) > 1 and len(b) > 1 and not any(agrees(one, other) for one, other in zip(a, b, strict=False))


def zones_differ(a: str, b: str) -> bool:
    """Whether both name a time zone, and not the same."""
    found = [[_SAME_ZONES.get(zone.lower(), zone.lower()) for zone in _ZONE.findall(text)] for text in (a, b)]
    return all(found) and found[0][-1] != found[1][-1]


def moments(text: str) -> tuple[Moment, ...]:
    """The readings of the last date or time in a folded text: two where 4/7 may be in April or in July."""
    dated = _dated(text)
    times = [_time(found) for found in _TIME.finditer(text)] or [
        (int(found[1]), int(found[2]), int(found[3] or 0)) for found in _CLOCK.finditer(text)
    ]
    time = times[-1] if times else _named_time(text)
    if dated:
        return tuple(Moment(one.year, one.month, one.day, time) for one in dated)
    return (Moment(time=time),) if time else ()


def dates(text: str) -> list[tuple[str, list[Moment]]]:
    """Every date with a month in a folded text, as written, with its readings; of two in one place the longer."""
    return [(match[0], readings) for match, readings in _apart(text)]


def without_dates(text: str) -> str:
    """A folded text without these, so that what is left of its numbers are amounts."""
    kept: list[str] = []
    at = 0
    for match, _ in _apart(text):
        kept.append(text[at : match.start()])
        at = match.end()
    return " ".join([*kept, text[at:]])


def _apart(text: str) -> list[tuple[re.Match[str], list[Moment]]]:
    found = sorted(_written_dates(text), key=lambda entry: (entry[0].start(), -entry[0].end()))
    kept: list[tuple[re.Match[str], list[Moment]]] = []
    for match, readings in found:
        possible = [one for one in readings if _possible(one)]
        if possible and (not kept or match.start() >= kept[-1][0].end()):
            kept.append((match, possible))
    return kept


def _possible(one: Moment) -> bool:
    return one.month in {None, *range(1, 13)} and one.day in {None, *range(1, 32)}


def _dated(text: str) -> list[Moment]:
    found = [*_written_dates(text)] or [(year, [Moment(int(year[1]))]) for year in _YEAR.finditer(text)]
    # Of two that end together the longer one says more: "July 1976" is in "4 July 1976".
    last = max(found, key=lambda entry: (entry[0].end(), -entry[0].start()), default=(None, []))[1]
    return [one for one in last if _possible(one)]


def _written_dates(text: str) -> Iterator[tuple[re.Match[str], list[Moment]]]:
    for match in _ISO.finditer(text):
        yield match, [Moment(int(match[1]), int(match[2]), int(match[3]))]
    for match in _SLASHED.finditer(text):
        first, second, year = int(match[1]), int(match[2]), int(match[3])
        yield match, [Moment(year, first, second), Moment(year, second, first)]
    for match in _MONTH_FIRST.finditer(text):
        yield match, [Moment(_number(match[3]), _month(match[1]), int(match[2]))]
    for match in _DAY_FIRST.finditer(text):
        yield match, [Moment(_number(match[3]), _month(match[2]), int(match[1]))]
    for match in _MONTH_ONLY.finditer(text):
        yield match, [Moment(int(match[2]), _month(match[1]))]


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month.startswith(name[:3].lower()))


def _time(found: re.Match[str]) -> tuple[int, int, int]:
    hour = int(found[1])
    if hour <= 12:  # noqa: PLR2004 - 15:30 pm is 15:30
        hour = hour % 12 + (12 if found[4].lower() == "p" else 0)
    return hour, int(found[2] or 0), int(found[3] or 0)


def _named_time(text: str) -> tuple[int, int, int] | None:
    lower = text.lower()
    return next((time for name, time in _NAMED_TIMES.items() if re.search(rf"\b{name}\b", lower)), None)
