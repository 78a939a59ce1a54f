"""A text that statements are held against: whether it supports one, by words and values and without a model.

The rule. A statement is supported by a text where

1. each date in it is written there, at least as exactly: "4 July 1976" is not supported by "July 1976";
2. each number in it occurs there as the same amount, in whatever spelling, and not merely as the day of a date; a bare
   "one" is a word and no number;
3. each name in it occurs there: each word with a capital letter that does not begin the statement;
4. at least 60 % of its words that carry a fact occur there; two words are one where they begin alike and neither goes
   on for more than three letters (renew, renewal);
5. the sentence of the text that has most of these words does not say the opposite: it denies where the statement
   denies, and has no opposite of one of its words.

It sees no conclusion that is drawn from what the text says; such a statement counts as not supported. Of texts without
end the beginning is read: 500,000 characters, 5,000 sentences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice

from pointsman.divergence.dates import Moment, dates, without_dates
from pointsman.divergence.expressions import Value
from pointsman.divergence.facts import content
from pointsman.divergence.final_answer import without_emphasis
from pointsman.divergence.number_words import with_digits
from pointsman.divergence.opposites import opposites
from pointsman.divergence.polarity import denials
from pointsman.divergence.quantity import Asked, Quantity, equal, quantities
from pointsman.divergence.text import folded, tokens

ENOUGH_WORDS = 0.6
_BEGINNING = 4
_ENDING = 3
_READ = 5_000
_LONGEST_TEXT = 500_000
_OTHERS = 500
"""Numbers with which one is compared that is not written so: in another unit, as a share, or rounded."""
_NEAREST = 20
"""Sentences of a text that are compared closely: those with most words that begin like one of the statement's."""
_LONGEST = 2_000
"""Characters of a sentence; what is longer counts as several."""
_LONGEST_WORD = 40
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+")
_NAME = re.compile(r"(?<![\w'])(?=[^\W\d_]*[A-Z\u00c0-\u00de])[^\W_]{2,}")
_MARKS = re.compile(r"^[\s\-*•#>\d.)(]*")
_ONE = re.compile(r"\bone\b", re.IGNORECASE)
_EXACT = Asked(tolerance=1e-9)

_Words = dict[str, list[str]]
"""Words by their beginnings."""


class Source:
    """A text that statements are held against."""

    def __init__(self, text: str) -> None:
        """Take the text; what is read from it is read once."""
        self._text = folded(text[:_LONGEST_TEXT])

    def fault_of(self, statement: str) -> str | None:
        """Why the text does not support a statement, or `None`."""
        said = without_emphasis(folded(statement[:_LONGEST]))
        undated = without_dates(said)
        for written, moments in dates(said):
            if not any(one in self._dates or self._says(one) for one in moments):
                return f"the date {written!r} is not there"
        for number in quantities(with_digits(_ONE.sub(" ", undated))):
            if not self._holds(number):
                return f"the number {number.written!r} is not there"
        names = [name for name in _names(undated) if name.casefold() not in self._words]
        if names:
            return f"the name {names[0]!r} is not there"
        return self._fault_of_words(said)

    def _fault_of_words(self, said: str) -> str | None:
        telling = _words(word for word in content(said) if not word[0].isdigit())
        if not telling:
            return None
        share = _share_in(telling, self._all_words)
        if share < ENOUGH_WORDS:
            return f"{round(100 * share)} % of its words are there, {round(100 * ENOUGH_WORDS)} % are needed"
        near = [(_share_in(telling, words), part, words) for part, words in self._nearest(telling)]
        nearest = max((found for found, _, _ in near), default=0.0)
        about = [(part, words) for found, part, words in near if found == nearest]
        if nearest >= ENOUGH_WORDS and all(_opposed(said, telling, part, words) for part, words in about):
            return "the text says the opposite"
        return None

    def _nearest(self, telling: frozenset[str]) -> list[tuple[str, _Words]]:
        counts = Counter(place for word in telling for place in self._places.get(word[:_BEGINNING], ()))
        return [self._parts[place] for place, _ in counts.most_common(_NEAREST)]

    def _holds(self, number: Quantity) -> bool:
        written = self._values.get(number.value, [])
        return any(equal(number, other, _EXACT) for other in written + self._numbers)

    def _says(self, claimed: Moment) -> bool:
        return any(
            all(part is None or part == there for there, part in zip(written.parts, claimed.parts, strict=True))
            for written in self._dates
        )

    @cached_property
    def _dates(self) -> dict[Moment, None]:
        found = dict.fromkeys(moment for _, moments in dates(self._text) for moment in moments)
        return dict.fromkeys(islice(found, _READ))

    @cached_property
    def _numbers(self) -> list[Quantity]:
        return [alike[0] for alike in islice(self._values.values(), _OTHERS)]

    @cached_property
    def _values(self) -> dict[Value, list[Quantity]]:
        """What is written as a number, by its value: once for each unit."""
        years = " ".join(str(year) for year in {one.year for one in self._dates} if year is not None)
        pieces = [years, *(without_dates(piece) for piece, _ in self._parts)]
        read = (found for piece in pieces for text in {piece, with_digits(piece)} for found in quantities(text))
        different = {(one.value, one.unit, one.percent): one for one in read}
        values: dict[Value, list[Quantity]] = {}
        for one in different.values():
            values.setdefault(one.value, []).append(one)
        return values

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(tokens(self._text))

    @cached_property
    def _all_words(self) -> _Words:
        return _by_beginning({word for _, words in self._parts for alike in words.values() for word in alike})

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The sentences in which words begin so."""
        found: dict[str, list[int]] = {}
        for place, (_, words) in enumerate(self._parts):
            for beginning in words:
                found.setdefault(beginning, []).append(place)
        return found

    @cached_property
    def _parts(self) -> list[tuple[str, _Words]]:
        different = dict.fromkeys(islice(sentences([self._text]), _READ))
        return [(part, _by_beginning(_words(content(part)))) for part in different]


def sentences(texts: Iterable[str]) -> Iterator[str]:
    """The sentences of texts that say something."""
    for text in texts:
        for part in _SENTENCE.split(without_emphasis(folded(text[:_LONGEST_TEXT]))):
            for at in range(0, len(part), _LONGEST):
                piece = part[at : at + _LONGEST].strip()
                if content(piece):
                    yield piece


def _words(found: Iterable[str]) -> frozenset[str]:
    return frozenset(word[:_LONGEST_WORD] for word in found)


def _names(said: str) -> list[str]:
    """Words with a capital letter, but for one that begins the statement and has no other."""
    begin = _MARKS.match(said)
    start = begin.end() if begin else 0
    return [
        found[0]
        for found in _NAME.finditer(said)
        if found.start() > start or any(letter.isupper() for letter in found[0][1:])
    ]


def _by_beginning(words: Iterable[str]) -> _Words:
    found: _Words = {}
    for word in words:
        found.setdefault(word[:_BEGINNING], []).append(word)
    return found


def _share_in(words: frozenset[str], there: _Words) -> float:
    return sum(_occurs(word, there) for word in words) / len(words)


def _occurs(word: str, there: _Words) -> bool:
    return any(_one_word(word, other) for other in there.get(word[:_BEGINNING], ()))


def _one_word(a: str, b: str) -> bool:
    common = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a == b or (common >= _BEGINNING and max(len(a), len(b)) - common <= _ENDING)


def _opposed(said: str, words: frozenset[str], part: str, there: _Words) -> bool:
    if denials(said) % 2 != denials(part) % 2:
        return True
    others = {other for alike in there.values() for other in alike}
    return any(opposites(frozenset({word}), frozenset({other})) for word in words - others for other in others - words)
