"""Yes or no: whether a question asks for it, which of the two an answer says, and whether a sentence denies."""

from __future__ import annotations

import re
from functools import lru_cache

from pointsman.divergence.final_answer import without_emphasis
from pointsman.divergence.statement import Statement
from pointsman.divergence.text import tokens

_SENTENCE = 300
_YES = "yes|yeah|yep|true|correct|right|affirmative|certainly|definitely|indeed|ja|oui|sí|да|是|是的|はい|हाँ|نعم"
_NO = "no|nope|false|incorrect|wrong|negative|not|never|nein|non|нет|不|不是|否|いいえ|नहीं|لا"
_LEADING = re.compile(
    rf"^\W*(?:(?:it|this|that|the (?:statement|claim|answer)) (?:is|was) )?(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?!\w)"
    rf"(?! (?:one|of|to|than|more|less)\b)",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(r"\b(?:(?P<yes>yes|true)|(?P<no>no|false))\b", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:^|[.?!:\n]\s*)(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|might|must)"
    r"(?:n't)? [^\n?]{1,400}\?",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"\b(?:unless|but (?:no|not|never|only|if|when|with|without|in|for|it depends)|except|provided|as long as|"
    r"only (?:if|when|in|for|with)|in some cases|sometimes)\b",
    re.IGNORECASE,
)
_AUXILIARIES = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "will",
        "would",
        "should",
        "has",
        "have",
        "had",
        "the",
        "a",
        "an",
    ]
)
_EITHER = re.compile(r"\b(?:yes or no|yes/no|true or false|true/false)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|nobody|nothing|nowhere|hardly|isn't|aren't|wasn't|weren't|"
    r"don't|doesn't|didn't|can't|couldn't|won't|wouldn't|shouldn't|hasn't|haven't|hadn't|false|incorrect|untrue|"
    r"impossible|nicht|kein|keine|pas|нет|не)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def asks_yes_or_no(question: str) -> bool:
    """Whether the question can be answered by yes or no: "Is it ...?", unless it offers two things with "or"."""
    if _EITHER.search(question):
        return True
    asked = [found[0] for found in _ASKS.finditer(question[-2000:])]
    return bool(asked) and question.rstrip().endswith(asked[-1].rstrip()) and " or " not in asked[-1]


def polarity(said: Statement) -> bool | None:
    """What an answer says first, or as its final answer; `None` where it says neither."""
    text, final = without_emphasis(said.folded), said.final
    for part in (final.text if final.explicit else "", text[:200], final.text):
        found = _LEADING.match(part)
        if found:
            return found["yes"] is not None
    # A lone word in a short last sentence: "So the claim is false".
    words = {found["yes"] is not None for found in _ANYWHERE.finditer(final.text[-200:])}
    return words.pop() if len(words) == 1 else None


def qualified(said: Statement) -> bool:
    """Whether a yes or no is taken back in part by the sentence that says it: "Yes, unless it rains"."""
    return _QUALIFIED.search(next(iter(said.sentences), "")[:_SENTENCE]) is not None


def restated(said: Statement, question: str) -> bool | None:
    """What an answer says that repeats the question as a sentence: yes, or no where it denies."""
    asked = frozenset(word for word in tokens(question) if word not in _AUXILIARIES)
    first = next(iter(said.sentences), "")
    repeats = bool(asked) and 2 * len(asked & frozenset(tokens(first))) > len(asked)
    return denials(first) % 2 == 0 if repeats else None


def denials(text: str) -> int:
    """How many words of a sentence deny."""
    return len(_DENIED.findall(text))
