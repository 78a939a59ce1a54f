"""Whether the context of a question supports what its answer says.

The rule, by words and values and without a model. A statement is supported by a text where

1. each date in it is written there, at least as exactly: "4 July 1976" is not supported by "July 1976";
2. each number in it occurs there as the same amount, in whatever spelling, and not merely as the day of a date; a bare
   "one" is a word and no number;
3. each name in it occurs there: each word with a capital letter that does not begin the statement;
4. at least 60 % of its words that carry a fact occur there; two words are one where they begin alike and neither goes
   on for more than three letters (renew, renewal);
5. the sentence of the text that has most of these words does not say the opposite: it denies where the statement
   denies, and has no opposite of one of its words.

A claim is held against the records that it cites, and is not supported where it cites none or one that is not there. An
answer without claims is held, sentence by sentence, against the whole context. The rule sees no conclusion drawn from
what the context says; such a statement counts as not supported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from pointsman.divergence.dates import Moment, dates
from pointsman.divergence.facts import content
from pointsman.divergence.final_answer import without_emphasis
from pointsman.divergence.number_words import with_digits
from pointsman.divergence.opposites import opposites
from pointsman.divergence.polarity import denials
from pointsman.divergence.quantity import Asked, Quantity, equal, quantities
from pointsman.divergence.text import folded, tokens
from pointsman.messages import ContextRecord
from pointsman.outcomes import Claim

ENOUGH_WORDS = 0.6
_BEGINNING = 4
_ENDING = 3
_STATEMENTS = 200
_LONGEST = 2_000
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+")
_NAME = re.compile(r"(?<![\w'])(?=[^\W\d_]*[A-Z\u00c0-\u00de])[^\W_]{2,}")
_MARKS = re.compile(r"^[\s\-*•#>\d.)(]*")
_ONE = re.compile(r"\bone\b", re.IGNORECASE)
_EXACT = Asked(tolerance=1e-9)


@dataclass(frozen=True)
class Support:
    """How much of what an answer says its context supports."""

    statements: int
    unsupported: tuple[str, ...]
    """A sentence for each statement that is not supported."""

    @property
    def share(self) -> float | None:
        """Of its statements; `None` where it makes none."""
        return 1 - len(self.unsupported) / self.statements if self.statements else None


def support(
    text: str, context: Sequence[ContextRecord], *, parsed: Any = None, claims: Sequence[Claim] = ()
) -> Support:
    """Hold an answer against the context of its question.

    Claims count, else those of a `parsed` object's field `claims`, else the sentences of its texts or of `text`.
    """
    made = tuple(claims) or tuple(_claims_in(parsed))
    records = {record.id: record.text for record in context}
    if made:
        looked_at = made[:_STATEMENTS]
        reasons = [_fault_of_claim(claim, records) for claim in looked_at]
        said = [claim.text for claim in looked_at]
    else:
        source = Source("\n".join(records.values()))
        said = list(_sentences(_texts(parsed, records) if parsed is not None else [text]))[:_STATEMENTS]
        reasons = [source.fault_of(sentence) for sentence in said]
    faults = [f"{_shown(one)}: {why}" for one, why in zip(said, reasons, strict=True) if why is not None]
    return Support(statements=len(said), unsupported=tuple(faults))


def grounded_share(
    text: str, context: Sequence[ContextRecord], *, parsed: Any = None, claims: Sequence[Claim] = ()
) -> float | None:
    """Share of an answer's claims, or of its sentences where it makes none, that the context supports."""
    return support(text, context, parsed=parsed, claims=claims).share


class Source:
    """A text that statements are held against."""

    def __init__(self, text: str) -> None:
        """Take the text; what is read from it is read once."""
        self._text = folded(text)

    def fault_of(self, statement: str) -> str | None:
        """Why the text does not support a statement, or `None`."""
        said = without_emphasis(folded(statement[:_LONGEST]))
        undated = _undated(said)
        for written, moments in dates(said):
            if not any(_says(other, one) for one in moments for other in self._dates):
                return f"the date {written!r} is not there"
        for number in quantities(with_digits(_ONE.sub(" ", undated))):
            if not any(equal(number, other, _EXACT) for other in self._numbers):
                return f"the number {number.written!r} is not there"
        names = [name for name in _names(undated) if name.casefold() not in self._words]
        if names:
            return f"the name {names[0]!r} is not there"
        return self._fault_of_words(said)

    def _fault_of_words(self, said: str) -> str | None:
        telling = frozenset(word for word in content(said) if not word[0].isdigit())
        if not telling:
            return None
        share = _share_in(telling, self._stems)
        if share < ENOUGH_WORDS:
            return f"{round(100 * share)} % of its words are there, {round(100 * ENOUGH_WORDS)} % are needed"
        nearest = max(_share_in(telling, stems) for _, _, stems in self._parts)
        about = [(part, words) for part, words, stems in self._parts if _share_in(telling, stems) == nearest]
        if nearest >= ENOUGH_WORDS and all(_opposed(said, telling, part, words) for part, words in about):
            return "the text says the opposite"
        return None

    @cached_property
    def _dates(self) -> list[Moment]:
        return [moment for _, moments in dates(self._text) for moment in moments]

    @cached_property
    def _numbers(self) -> list[Quantity]:
        text = " ".join([_undated(self._text), *(str(one.year) for one in self._dates if one.year is not None)])
        return [*quantities(text), *quantities(with_digits(text))]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(tokens(self._text))

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        return _by_beginning(content(self._text))

    @cached_property
    def _parts(self) -> list[tuple[str, frozenset[str], dict[str, list[str]]]]:
        found = ((part, content(part)) for part in _sentences([self._text]))
        return [(part, words, _by_beginning(words)) for part, words in found] or [("", frozenset(), {})]


def _fault_of_claim(claim: Claim, records: dict[str, str]) -> str | None:
    if not claim.sources:
        return "it cites no source"
    unknown = [source for source in claim.sources if source not in records]
    if unknown:
        return f"it cites {unknown[0]!r:.80}, which is not in the context"
    return Source("\n".join(records[source] for source in claim.sources)).fault_of(claim.text)


def _claims_in(parsed: Any) -> Iterator[Claim]:
    listed = parsed.get("claims") if isinstance(parsed, dict) else None
    for entry in listed if isinstance(listed, list) else ():
        try:
            yield Claim.model_validate(entry)
        except ValidationError:
            # Not a claim as the claims form has it; then it is a text like any other.
            continue


def _texts(parsed: Any, records: dict[str, str]) -> Iterator[str]:
    """The texts of a JSON value, those aside that only name a record."""
    if isinstance(parsed, str) and parsed not in records:
        yield parsed
    elif isinstance(parsed, bool | int | float):
        yield json.dumps(parsed) if not isinstance(parsed, bool) else ""
    elif isinstance(parsed, dict | list):
        for inner in parsed.values() if isinstance(parsed, dict) else parsed:
            yield from _texts(inner, records)


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for part in _SENTENCE.split(without_emphasis(folded(text))):
            if content(part):
                yield part.strip()


def _names(said: str) -> list[str]:
    """Words with a capital letter, but for one that begins the statement and has no other."""
    begin = _MARKS.match(said)
    start = begin.end() if begin else 0
    return [
        found[0]
        for found in _NAME.finditer(said)
        if found.start() > start or any(letter.isupper() for letter in found[0][1:])
    ]


def _undated(text: str) -> str:
    """A text without its dates, whose days and months are no amounts."""
    for written, _ in dates(text):
        text = text.replace(written, " ", 1)
    return text


def _says(written: Moment, claimed: Moment) -> bool:
    pairs = zip(written.parts, claimed.parts, strict=True)
    return all(part is None or part == there for there, part in pairs)


def _by_beginning(words: frozenset[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[:_BEGINNING], []).append(word)
    return found


def _share_in(words: frozenset[str], there: dict[str, list[str]]) -> float:
    return sum(any(_one_word(word, other) for other in there.get(word[:_BEGINNING], ())) for word in words) / len(words)


def _one_word(a: str, b: str) -> bool:
    common = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a == b or (common >= _BEGINNING and max(len(a), len(b)) - common <= _ENDING)


def _opposed(said: str, words: frozenset[str], part: str, there: frozenset[str]) -> bool:
    if denials(said) % 2 != denials(part) % 2:
        return True
    return any(opposites(frozenset({word}), frozenset({other})) for word in words - there for other in there - words)


def _shown(statement: str) -> str:
    text = " ".join(statement.split())
    return f"{text[:80]!r}{'…' if len(text) > 80 else ''}"  # noqa: PLR2004 - enough to find it by
