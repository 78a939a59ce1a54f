"""Numbers that are written out in English: "twenty-five", "one thousand two hundred", "two thirds"."""

from __future__ import annotations

import re

_UP_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_FROM_TWENTY = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_UP_TO_NINETEEN.split())}
_TENS = {word: 10 * value for value, word in enumerate(_FROM_TWENTY.split(), start=2)}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "tenths": 10}
_FIRST = "|".join([*_SMALL, *_TENS, "an? (?=hundred|thousand|million)"])
_WORD = "|".join([*_SMALL, *_TENS, "hundred", *_SCALES])
# Each separator is one character or the word "and", so a run is read once.
_RUN = re.compile(rf"\b(?:{_FIRST})\b(?:(?:[ -]?| and )(?:{_WORD})\b)*+", re.IGNORECASE)
_DIVIDED = re.compile(rf"\b(\d+)[ -]({'|'.join(_PARTS)})\b")
_DOZEN = re.compile(r"\b(?:a|1) dozen\b", re.IGNORECASE)
_HALF = re.compile(r"\b(?:one|an?)[ -](half|third|quarter)\b", re.IGNORECASE)


def with_digits(text: str) -> str:
    """The text with its written numbers as digits; years said in pairs ("nineteen ninety") are left alone."""
    text = _HALF.sub(lambda found: f"1/{_PARTS[found[1].lower()]}", text)
    text = _RUN.sub(lambda found: _digits(found[0]), text)
    text = _DIVIDED.sub(lambda found: f"{found[1]}/{_PARTS[found[2]]}", text)
    return _DOZEN.sub("12", text)


def _digits(run: str) -> str:
    value = _value([word for word in re.split(r"[ -]", run.lower()) if word != "and"])
    return run if value is None else str(value)


def _value(words: list[str]) -> int | None:
    total, group, last = 0, 0, 1000
    for word in words:
        if word in {"a", "an"}:
            continue
        if word in _SCALES:
            total, group, last = total + max(group, 1) * _SCALES[word], 0, 1000
        elif word == "hundred":
            group, last = max(group, 1) * 100, 100
        else:
            step = _SMALL.get(word, _TENS.get(word, 0))
            # "twenty five" adds up, "five twenty" does not.
            if last <= step:
                return None
            group, last = group + step, 0 if word in _SMALL else 10
    return total + group
