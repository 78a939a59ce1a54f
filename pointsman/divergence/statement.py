"""An answer as the detector sees it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pointsman.divergence.final_answer import FinalAnswer, final_answer, sentences
from pointsman.divergence.text import folded, tokens

_ENDS = 8_000
# GSM8K's training notation, which models repeat: <<48/2=24>>24; the last one may be cut off.
_ANNOTATION = re.compile(r"<<[-\d+*/().,=%$x ]{0,200}(?:>>|\Z)")


@dataclass(frozen=True)
class Statement:
    """What one provider said: the text, the value that a response schema made of it, and the claims it made.

    Whoever looks for a final answer reads the first and the last 8,000 characters of a longer text: an answer of
    100,000 words says what it comes to at one of its ends, and every rule stays linear in what it reads.
    """

    text: str
    parsed: Any = None
    claims: tuple[str, ...] = ()

    @cached_property
    def folded(self) -> str:
        """The text with one spelling for each digit, dash, quotation mark and space, cut to its ends."""
        text = self.text.strip()
        if len(text) > 2 * _ENDS:
            text = f"{text[:_ENDS]}\n\n{text[-_ENDS:]}"
        return _ANNOTATION.sub("", folded(text)).strip()

    @cached_property
    def final(self) -> FinalAnswer:
        """What it comes to."""
        return final_answer(self.folded)

    @cached_property
    def sentences(self) -> list[str]:
        """The last dozen sentences and lines."""
        return sentences(self.folded)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the folded text in lower case."""
        return tokens(self.folded)


def statement(answer: str | Statement) -> Statement:
    """A bare text as a statement."""
    return Statement(answer) if isinstance(answer, str) else answer
