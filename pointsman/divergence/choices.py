"""Multiple choice: which options a question offers, and which one an answer picks, by its letter or in its words."""

from __future__ import annotations

import re
from functools import lru_cache

from pointsman.divergence.comparison import Comparison, decided, differ, difference, unclear
from pointsman.divergence.final_answer import without_emphasis
from pointsman.divergence.statement import Statement
from pointsman.divergence.text import folded, tokens

_LABEL = r"(?:[A-Ja-j]|10|[1-9]|i{1,3}|iv|v)"
_OPTION = re.compile(
    rf"(?:^|\n|\s\s|\s(?=\())[ \t]{{0,8}}[-*]?[ \t]?(?:[Oo]ption |[Cc]hoice )?[(\[]?({_LABEL})[).:\]]"
    rf"[ \t]+([^\n]{{1,300}})"
)
_INLINE = re.compile(r"\(([A-Ja-j1-9])\)\s*([^()\n]{1,120})")
_ASKS = re.compile(
    r"\b(?:letter of the|multiple[- ]choice|choose (?:one|from|the)|which (?:of the following|option)|"
    r"select (?:one|the)|single choice|correct (?:option|choice|letter)|"
    r"option (?:A|1)\b[^\n]{0,200}\soption (?:B|2))\b",
    re.IGNORECASE,
)
# What may surround a label that is the whole answer, or starts or ends it.
_ALONE = re.compile(rf"^\W*(?:option |choice |answer )?[(\[]?({_LABEL})[)\]]?\W*$", re.IGNORECASE)
_LEADING = re.compile(rf"^\W{{0,4}}(?:option |choice )?[(\[]?({_LABEL})(?:[)\]:.]|\s-)(?=\s|$|\W)", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?i:answer|option|choice|choose|chose|pick|select|go with)\b(?:[ \t]+(?:is|would be|should be|must be|was))?"
    r"[ \t:=]*(?i:option |choice )?[(\[\"']*([A-J]|10|[1-9])\b(?!['.][A-Za-z0-9]| [a-z]+ed\b)"
)
_BRACKETED = re.compile(r"[(\[]([A-J])[)\]]")
_LETTER = re.compile(r"(?<![\w'])([B-HJ])(?![\w'])")


def options(question: str) -> dict[str, frozenset[str]]:
    """The words of each option of the question's last list of them, by upper-case label."""
    found = [(match[1].upper(), match[2]) for match in _OPTION.finditer(question)]
    if len(found) <= 1:
        found = [(match[1].upper(), match[2]) for match in _INLINE.finditer(question)]
    # In a prompt with examples every list starts anew.
    starts = [at for at, (label, _) in enumerate(found) if label in {"A", "1", "I"}]
    last = found[starts[-1] :] if starts else []
    return {label: frozenset(tokens(folded(text))) for label, text in last} if len(last) > 1 else {}


@lru_cache(maxsize=64)
def asks_for_choice(question: str) -> bool:
    """Whether the question offers options or asks for a letter."""
    labels = set(options(question))
    return bool(_ASKS.search(question)) or {"A", "B"} <= labels


def compare_choices(a: Statement, b: Statement, question: str) -> Comparison | None:
    """By the options picked; `None` where neither answer picks one."""
    offered = options(question)
    picked_a, picked_b = picked(a, offered), picked(b, offered)
    if picked_a is None and picked_b is None:
        return None
    if picked_a is not None and picked_b is not None:
        return decided(
            "choice", difference("choice", "different options", picked_a, picked_b), equal=picked_a == picked_b
        )
    point = difference("choice", "only one of them picks an option", picked_a or a.text, picked_b or b.text)
    undecided = max(len(a.words), len(b.words)) > _WORDY
    return unclear("choice", point, similarity=0.0) if undecided else differ("choice", point)


_BRIEF = 20
_WORDY = 60
"""A longer answer without a label that can be found may well pick one in some other way."""


def picked(said: Statement, offered: dict[str, frozenset[str]]) -> str | None:
    """The label of the option that an answer picks."""
    text = without_emphasis(said.folded).strip()
    final = said.final
    brief = text if len(said.words) <= _BRIEF else ""
    for part in (final.text if final.explicit else "", brief, final.text):
        label = _label(part, offered, leading=True)
        if label is not None:
            return label
    # One that goes through all the options begins with the first of them.
    goes_through = sum(1 for line in text.split("\n") if _LEADING.match(line)) > 1
    label = _label(text, offered, leading=not goes_through)
    return label or _by_words(said.words, offered) or _by_words(tokens(final.text), offered)


def _label(text: str, offered: dict[str, frozenset[str]], *, leading: bool) -> str | None:
    plain = re.sub(r"\\(?:text|textbf|mathrm|mathbf)\{([^{}]*)\}", r"\1", text).strip(" $")
    found = _ALONE.match(plain) or (_LEADING.match(plain) if leading else None)
    if found is None:
        found = next(reversed([*_NAMED.finditer(plain)] or [*_BRACKETED.finditer(plain)]), None)
    if found is None and len(set(_LETTER.findall(plain))) == 1:
        found = _LETTER.search(plain)
    label = found[1].upper() if found else None
    return label if label is not None and (label in offered or not offered) else None


def _by_words(words: tuple[str, ...], offered: dict[str, frozenset[str]]) -> str | None:
    """The only option whose words are all there, or which all the words are from."""
    said = frozenset(words)
    held = [label for label, option in offered.items() if option and (option <= said or (said and said <= option))]
    best = [label for label in held if not any(offered[label] < offered[other] for other in held)]
    return best[0] if len(best) == 1 else None
