"""Two values, the expected one and the answer's: whether they are the same, and at which fields they are not."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from pointsman.divergence.text import folded

_SHOWN = 80
ABSENT = None
"""A field that is left out counts as one that is null."""

Path = tuple[str, ...]


def plain(text: str) -> str:
    """A text with one spelling of its marks and spaces, and without a final full stop."""
    return " ".join(folded(text).split()).removesuffix(".").rstrip()


def same_text(a: str, b: str, *, ignore_case: bool) -> bool:
    """Whether two texts are the same but for white space, quotation marks' shape and a final full stop."""
    first, second = plain(a), plain(b)
    return first.casefold() == second.casefold() if ignore_case else first == second


def same_number(a: float, b: float, *, tolerance: float = 0.0, relative: float = 0.0) -> bool:
    """Whether `a` is `b` within the larger tolerance, and within what a float cannot tell apart."""
    try:
        return a == b or abs(a - b) <= max(tolerance, relative * abs(b)) * (1 + 1e-9) + 1e-12 * abs(b)
    except OverflowError:
        return False


def differences(
    expected: Any, found: Any, *, tolerance: float, ignore_case: bool = True, within: str = ""
) -> Iterator[str]:
    """A sentence for each place at which a value is not as expected; what it holds besides does not count.

    `within` is the dotted path of both.
    """
    for path, wanted in _leaves((), expected):
        got = at(found, path)
        if not _same(wanted, got, tolerance=tolerance, ignore_case=ignore_case):
            where = ".".join([within, *path] if within else path)
            yield f"{where or 'it'} is {shown(got)}, expected {shown(wanted)}"


def same_value(expected: Any, found: Any, *, ignore_case: bool) -> bool:
    """Whether two JSON values are the same, nothing more and nothing less."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(
            same_value(value, found[key], ignore_case=ignore_case) for key, value in expected.items()
        )
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(
            same_value(one, other, ignore_case=ignore_case) for one, other in zip(expected, found, strict=True)
        )
    return _same(expected, found, tolerance=0.0, ignore_case=ignore_case)


def at(value: Any, path: Path) -> Any:
    """What a JSON value holds at a path; `None` where it holds nothing there."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return ABSENT
    return value


def shown(value: Any) -> str:
    """A value as a sentence can hold it."""
    if value is ABSENT:
        return "missing"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "a value too large to be shown"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _leaves(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    """The places that an expected value names; lists are compared as wholes, since their length counts."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves((*path, key), inner)
    else:
        yield path, value


def _same(wanted: Any, got: Any, *, tolerance: float, ignore_case: bool) -> bool:
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, int | float) and isinstance(got, int | float):
        return math.isfinite(got) and same_number(got, wanted, tolerance=tolerance)
    if isinstance(wanted, str) and isinstance(got, str):
        return same_text(wanted, got, ignore_case=ignore_case)
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(
            next(differences(one, other, tolerance=tolerance, ignore_case=ignore_case), None) is None
            for one, other in zip(wanted, got, strict=True)
        )
    if wanted == {} and isinstance(got, dict):
        return not got
    return wanted is None and got is None
