"""Statements in nearly the same words that may still say the opposite: one word changed, or two places."""

from __future__ import annotations

import re

from pointsman.divergence.text import tokens

_PAIRS = (
    "increase/decrease increases/decreases increased/decreased increasing/decreasing raise/lower raised/lowered "
    "rise/fall rises/falls rose/fell approved/rejected approve/reject approves/rejects accepted/rejected "
    "accept/reject allowed/forbidden allow/deny allowed/denied permitted/prohibited granted/denied left/right "
    "up/down above/below over/under before/after more/less more/fewer most/least higher/lower highest/lowest "
    "larger/smaller largest/smallest bigger/smaller greater/smaller longer/shorter faster/slower older/younger "
    "earlier/later earliest/latest first/last open/closed opened/closed open/close start/stop started/stopped "
    "enable/disable enabled/disabled enables/disables safe/unsafe safe/dangerous legal/illegal possible/impossible "
    "valid/invalid always/never all/none hot/cold warm/cool won/lost win/lose wins/loses passed/failed "
    "succeeded/failed succeeds/fails true/false buy/sell bought/sold positive/negative male/female north/south "
    "east/west northern/southern eastern/western inside/outside internal/external maximum/minimum push/pull "
    "gain/loss profit/loss guilty/innocent present/absent alive/dead encouraged/discouraged"
)
_OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _PAIRS.split())
_ENDING = re.compile(r"(?:es|s|ed|d|ing|ly)$")
_SYMMETRIC = re.compile(r"\b(?:and|or|equals?|equal|same|met|meets?|married|both)\b|[,;=+*:&]", re.IGNORECASE)
_PHRASE = re.compile(r"(?:in|on|at|by|near|with|during) ", re.IGNORECASE)
_FEWEST = 3


def opposites(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether two sets of words are the same but for a word whose opposite the other has."""
    return len(a - b) == len(b - a) == 1 and frozenset((*(a - b), *(b - a))) in _OPPOSITES


def one_word_apart(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether each has one word of its own, and the two are not forms of one word."""
    if len(a - b) != 1 or len(b - a) != 1:
        return False
    first, second = (_stem(next(iter(words))) for words in (a - b, b - a))
    return first != second


def reordered(a: str, b: str) -> bool:
    """Whether the same words stand in another order, where that is no mere list."""
    first, second = tokens(a), tokens(b)
    if first == second or len(first) < _FEWEST or sorted(first) != sorted(second):
        return False
    if _PHRASE.match(a) and _PHRASE.match(b):
        # "In Paris on Monday": phrases that may stand in any order.
        return False
    return not (_SYMMETRIC.search(a) or _SYMMETRIC.search(b))


def _stem(word: str) -> str:
    return _ENDING.sub("", word.replace("ise", "ize").replace("our", "or").replace("yse", "yze"))
