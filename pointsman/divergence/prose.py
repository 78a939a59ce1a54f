"""Free texts: contradictions between statements that are about the same, then the share of common words.

What neither contradicts nor largely repeats the other is for a person, or for the policy: nobody can tell by words.
"""

from __future__ import annotations

import re

from pointsman.divergence.comparison import Comparison, Difference, differ, difference, same, unclear
from pointsman.divergence.facts import content
from pointsman.divergence.final_answer import without_emphasis
from pointsman.divergence.jaccard import share
from pointsman.divergence.number_words import with_digits
from pointsman.divergence.opposites import one_word_apart, opposites, reordered
from pointsman.divergence.polarity import denials
from pointsman.divergence.quantity import quantities
from pointsman.divergence.settings import DivergenceSettings
from pointsman.divergence.statement import Statement
from pointsman.divergence.text import in_latin

_CLAIMS = 40
"""Statements looked at of each answer, from its beginning: each is held against each of the other's."""
_ABOUT_THE_SAME = 0.5
_LONGEST = 1_000
"""Characters of a statement that are held against another; what is longer is hardly one statement."""
_LISTED = 5
_ENOUGH_WORDS = 8
_ONE_WORD_COUNTS = 25
"""Words of a text in which another one may change everything; in an essay it is a matter of style."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def compare_prose(a: Statement, b: Statement, settings: DivergenceSettings) -> Comparison:
    """Agree, disagree, or cannot tell; it always comes to one of them."""
    claims_a, claims_b = _claims(a), _claims(b)
    words_a, words_b = _all(claims_a), _all(claims_b)
    similarity = share(set(words_a), set(words_b))
    contradictions = _contradictions(claims_a, claims_b)
    if contradictions:
        return differ("prose", *contradictions, similarity=similarity)
    if similarity >= settings.prose_threshold:
        why = _doubtful(claims_a, claims_b, words_a, words_b)
        if why is not None:
            return unclear("prose", difference("statement", why, a.folded, b.folded), similarity=similarity)
        return same("prose", similarity)
    points = _unmatched(claims_a, claims_b)
    substantial = min(len(words_a), len(words_b)) >= _ENOUGH_WORDS
    # Two languages have no words in common, whatever they say.
    if similarity <= settings.prose_floor and substantial and in_latin(a.folded) == in_latin(b.folded):
        return differ("prose", *points, similarity=similarity)
    return unclear("prose", *points, similarity=similarity)


def contradicts(a: str, b: str) -> str | None:
    """Why two statements about the same cannot both hold, or `None`."""
    if denials(a) % 2 != denials(b) % 2:
        return "one denies what the other says"
    numbers_a, numbers_b = ({quantity.value for quantity in quantities(with_digits(text))} for text in (a, b))
    if not (numbers_a <= numbers_b or numbers_b <= numbers_a):
        return "the numbers differ"
    return None


def _claims(said: Statement) -> list[tuple[str, frozenset[str]]]:
    stated = said.claims or tuple(_SENTENCE.split(without_emphasis(said.folded)))
    found = [(one.strip()[:_LONGEST], content(one)) for one in stated if one.strip()]
    return [claim for claim in found if claim[1]][:_CLAIMS]


def _all(claims: list[tuple[str, frozenset[str]]]) -> frozenset[str]:
    return frozenset[str]().union(*(words for _, words in claims))


def _contradictions(a: list[tuple[str, frozenset[str]]], b: list[tuple[str, frozenset[str]]]) -> list[Difference]:
    """Pairs that are each other's nearest, about the same, and exclude one another."""
    found: list[Difference] = []
    for text, words in a:
        other, others = max(b, key=lambda claim: _likeness(words, claim[1]), default=("", frozenset[str]()))
        nearest = max((_likeness(others, claim[1]) for claim in a), default=0.0)
        likeness = _likeness(words, others)
        if likeness < _ABOUT_THE_SAME or likeness < nearest:
            continue
        why = contradicts(text, other) or ("the words are opposites" if opposites(words, others) else None)
        if why is not None:
            found.append(difference(f"statement {len(found) + 1}", why, text, other))
    return found


def _doubtful(
    a: list[tuple[str, frozenset[str]]],
    b: list[tuple[str, frozenset[str]]],
    words_a: frozenset[str],
    words_b: frozenset[str],
) -> str | None:
    """Why texts of nearly the same words may not say the same, or `None`."""
    if max(len(words_a), len(words_b)) <= _ONE_WORD_COUNTS and one_word_apart(words_a, words_b):
        return "one word differs"
    if any(reordered(text, other) for (text, words) in a for (other, others) in b if text != other and words == others):
        return "the same words in another order"
    return None


def _unmatched(a: list[tuple[str, frozenset[str]]], b: list[tuple[str, frozenset[str]]]) -> list[Difference]:
    """What is said on one side only."""
    only_a = _only(a, b)[:_LISTED]
    only_b = _only(b, a)[:_LISTED]
    return [
        *(difference("statement", "only one says this", text, "") for text in only_a),
        *(difference("statement", "only one says this", "", text) for text in only_b),
    ]


def _only(claims: list[tuple[str, frozenset[str]]], others: list[tuple[str, frozenset[str]]]) -> list[str]:
    return [text for text, words in claims if all(_likeness(words, other) < _ABOUT_THE_SAME for _, other in others)]


def _likeness(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 1.0
