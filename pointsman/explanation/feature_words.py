"""The classifier's features for people: what was seen of the text, and as what."""

from __future__ import annotations

_SEEN_AS = {
    "opens": "opening",
    "closes": "ending",
    "word 1": "first word",
    "word 2": "second word",
    "word 3": "third word",
    "letters": "letters",
    "shape": "shape",
}
PLACES = ("word", "opens", "closes", "word 1", "word 2", "word 3", "letters")
"""The places at which the same words can be seen."""
_AT_MOST = {"question marks": 3, "options": 4}
"""Counts that stop there: one more is no other shape."""
_COLON = {"before the colon", "after the colon"}
_SEEN = {
    "call": "a call such as f(x)",
    "identifier": "a name such as some_name",
    "quotation": "a quotation",
    "fence": "a fence of code",
    "begins small": "begins with a small letter",
    "ends with another sign": "ends with no sign of a sentence",
}


def in_words(feature: str) -> tuple[str, str]:
    """What was seen, and as what: ("prove that", "pair of words"), ("64 to 127 characters", "shape")."""
    kind, _, found = feature.partition(":")
    if kind == "word":
        return found, "pair of words" if " " in found else "word"
    if kind == "shape":
        return _shape(found), "shape"
    return found, _SEEN_AS[kind]


def _shape(found: str) -> str:
    what, _, size = found.rpartition(" ")
    if found in _SEEN or not size.isdecimal() or what == "ends with":
        return _SEEN.get(found, found)
    number = int(size)
    if what in _AT_MOST:
        more = " or more" if number == _AT_MOST[what] else ""
        return f"{number or 'no'}{more} {what[:-1] if number == 1 and not more else what}"
    if what in _COLON:
        # The order of magnitude halved: two powers of two are one size.
        return f"{_between(2 * number - 1, 2 * number + 1) if number else 'hardly any'} characters {what}"
    if number == 1:
        return f"1 {what}" if what.endswith("200") else f"1 {what[:-1]}"
    return f"{_between(number - 1, number)} {what}" if number else f"no {what}"


def _between(low: int, high: int) -> str:
    """From 2^low to less than 2^high."""
    least, most = 2**low, 2**high - 1
    return str(least) if least == most else f"{least} to {most}"
