"""What the classifier sees of a question: its words, how it opens and closes, runs of letters, and its shape.

Features are readable strings, so that a decision can be explained by them: "word:prove that", "opens:write a",
"closes:in two lines", "letters:функ", "shape:question marks 1". Runs of letters carry the languages that are written
without spaces, inflection and misspelling. Numbers count as "0": which number it is says nothing about the type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from pointsman.usual_form import first_characters, last_characters, usual

HEAD_CHARACTERS = 900
TAIL_CHARACTERS = 500
"""How much of a long question is read: what is wanted stands before or after the pasted text, seldom within."""

_OPENING_WORDS = 10
_CLOSING_WORDS = 8
_PLACED_WORDS = 3
_LETTERS_HEAD, _LETTERS_TAIL = 270, 130
_RUNS = (2, 3, 4)

# Whatever is no space and no punctuation: `\w` would cut Hindi at its vowel signs. "#", "'" and "+" stay ("c#", "c++").
_WORD = re.compile(
    "[^\\s\x00-\x22\x24-\x26\x28-\x2a\x2c-\x2f:-@\\[-\\^`{-\x7f"
    "\u00a0-\u00bf\u060c\u061b\u061f\u0964\u2000-\u206f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]+"
)
_NUMBER = re.compile(r"\d+")
_SPACE = re.compile(r"\s+")
_QUESTION_MARK = re.compile("[?\u061f]")
_COMMA = re.compile("[,\uff0c\u3001\u060c]")
_SENTENCE_END = re.compile("[.!?\u3002\u061f\u0964]\\s+\\S")
_CODE_SIGN = re.compile(r"[{}();=<>\[\]_|&*\\]")
_CALL = re.compile(r"[A-Za-z0-9_]\(")
_IDENTIFIER = re.compile(r"\b(?:[a-z]+[A-Z]\w*|[a-z]+_[a-z]\w*)\b")
_OPTION = re.compile(r"(?:^|\s)\(?[A-Da-d1-4][).:]\s")
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*•>]|\d{1,3}[.)])\s")
_QUOTATION = re.compile('["\u201c\u201e\u00ab\u300c\u300e].{12,}')
_LAST_SIGNS = ".:!\"')}];"


def read_part(text: str) -> str:
    """The part that is read, its characters in their usual form: the whole of a short text, else head and tail."""
    cut = _head_and_tail(text)
    if usual(cut):
        return cut
    # One character can become eighteen, so that the usual form is cut again, and made no further than it is read.
    most = HEAD_CHARACTERS + TAIL_CHARACTERS
    begins = first_characters(cut, most + 1)
    if len(begins) <= most:
        return begins
    return f"{begins[:HEAD_CHARACTERS]}\n{last_characters(cut, TAIL_CHARACTERS)}"


def features(text: str) -> tuple[set[str], ...]:
    """The features by group: words, opening, closing, letters, shape. Any text has some; none fails."""
    read = read_part(text)
    lowered = _NUMBER.sub("0", read.lower())
    words = _WORD.findall(lowered)
    return (
        {f"word:{found}" for found in (*words, *_pairs(words))},
        set(_opening(words[:_OPENING_WORDS])),
        set(_closing(words)),
        _letters(_SPACE.sub(" ", lowered).strip()),
        set(_shape(read, len(text), len(words))),
    )


def _head_and_tail(text: str) -> str:
    if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return text
    return f"{text[:HEAD_CHARACTERS]}\n{text[-TAIL_CHARACTERS:]}"


def _pairs(words: list[str]) -> Iterator[str]:
    return (f"{first} {second}" for first, second in pairwise(words))


def _opening(words: list[str]) -> Iterator[str]:
    yield from (f"opens:{found}" for found in (*words, *_pairs(words)))
    for first, second, third in zip(words, words[1:], words[2:], strict=False):
        yield f"opens:{first} {second} {third}"
    yield from (f"word {place}:{word}" for place, word in enumerate(words[:_PLACED_WORDS], 1))


def _closing(words: list[str]) -> Iterable[str]:
    if len(words) <= _OPENING_WORDS + _CLOSING_WORDS:
        return ()
    last = words[-_CLOSING_WORDS:]
    return (f"closes:{found}" for found in (*last, *_pairs(last)))


def _letters(text: str) -> set[str]:
    if len(text) > _LETTERS_HEAD + _LETTERS_TAIL:
        text = f"{text[:_LETTERS_HEAD]} {text[-_LETTERS_TAIL:]}"
    text = f" {text} "
    found = {text[at : at + run] for run in _RUNS for at in range(len(text) - run + 1)}
    return {f"letters:{run}" for run in found}


def _shape(text: str, characters: int, words: int) -> Iterator[str]:
    code_signs = len(_CODE_SIGN.findall(text))
    counts = {
        "characters": characters,
        "words": words,
        "line breaks": text.count("\n"),
        "code signs": code_signs,
        "code signs per 200": 200 * code_signs // (len(text) + 20),
        "digits": _digits(text),
        "numbers": len(_NUMBER.findall(text)),
        "bullets": len(_BULLET.findall(text)),
        "commas": len(_COMMA.findall(text)),
        "sentence ends": len(_SENTENCE_END.findall(text)),
    }
    yield from (f"shape:{what} {_about(count)}" for what, count in counts.items())
    yield f"shape:question marks {min(len(_QUESTION_MARK.findall(text)), 3)}"
    yield f"shape:options {min(len(_OPTION.findall(text)), 4)}"
    colon = text.find(":")
    if colon >= 0:
        yield f"shape:before the colon {_about(colon) // 2}"
        yield f"shape:after the colon {_about(len(text) - colon) // 2}"
    for what, pattern in (("call", _CALL), ("identifier", _IDENTIFIER), ("quotation", _QUOTATION)):
        if pattern.search(text):
            yield f"shape:{what}"
    if "```" in text:
        yield "shape:fence"
    if text[:1].islower():
        yield "shape:begins small"
    yield f"shape:ends with {_last_sign(text)}"


def _digits(text: str) -> int:
    # In ASCII ten searches are faster than a question to each character.
    return sum(map(text.count, "0123456789")) if text.isascii() else sum(map(str.isdigit, text))


def _about(count: int) -> int:
    """The count's order of magnitude in powers of two: 0, 1, 2-3, 4-7, ... are 0, 1, 2, 3, ..."""
    return count.bit_length()


def _last_sign(text: str) -> str:
    last = text.rstrip()[-1:]
    if last and last in "?\u061f":
        return "?"
    return last if last and last in _LAST_SIGNS else "another sign"
