"""Short facts: a name, a place, a word, also inside a sentence that repeats the question."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from pointsman.divergence.comparison import Comparison, differ, difference, same, unclear
from pointsman.divergence.latex import plain
from pointsman.divergence.number_words import with_digits
from pointsman.divergence.opposites import reordered
from pointsman.divergence.polarity import denials
from pointsman.divergence.statement import Statement
from pointsman.divergence.text import in_latin, tokens

_SHORT = 8
_FEW_WORDS = 5
_LONGEST = 300
_ALIKE = 0.9
_SPELLED = (5, 100)
"""Characters between which a difference may be one of spelling."""
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+")
_RELATION = re.compile(r"[<>]=?|!=")
_INITIAL = re.compile(r"\b([A-Z])\.")
_SYMBOLIC = re.compile(r"(?<!\w)([A-Za-z])(\+\+|#|)(?![\w+#])")
_PATH = re.compile(r"(?<![^\s`'\"(])(?:~|\.{1,2})?(?:/[\w.@+-]+)+/?")
_ARTICLES = re.compile(r"^(?:the|an?) ")
_FILLING = (
    "a an the of in on at to for by from with and is are was were be been it its this that these those as he she "
    "they i we you his her their there here which who whom what when where how answer final correct called known "
    "named will would should can do does did has have had also so therefore thus hence s written wrote "
    "authored painted directed invented discovered founded created made built born died located situated took place"
)
FILLERS = frozenset(_FILLING.split())
"""Words that carry no fact of their own; words that deny are none of them."""


def content(text: str, question: frozenset[str] = frozenset()) -> frozenset[str]:
    """The words of a folded text that say something that the question does not."""
    words = [word.replace(",", "") if word[0].isdigit() else word for word in tokens(with_digits(text))]
    telling = frozenset(word for word in words if word not in FILLERS)
    return telling - question or telling or frozenset(words)


def compare_facts(a: Statement, b: Statement, question: str) -> Comparison | None:
    """By the words of what each says; `None` where that is more than one fact."""
    said_a, said_b = _fact(a, b), _fact(b, a)
    if said_a is None or said_b is None:
        return None
    if _squeezed(said_a) == _squeezed(said_b):
        return same("fact")
    if _names_differ(said_a, said_b):
        return differ("fact", difference("fact", "they name different things", said_a, said_b))
    asked = frozenset(tokens(question)) if question else frozenset[str]()
    return _by_words(said_a, said_b, content(said_a, asked), content(said_b, asked))


def _by_words(a: str, b: str, words_a: frozenset[str], words_b: frozenset[str]) -> Comparison | None:
    common, most = words_a & words_b, max(len(words_a), len(words_b))
    if min(len(words_a), len(words_b)) > _FEW_WORDS:
        return None
    why = _opposed(a, b) if common else None
    if why is not None:
        return differ("fact", difference("fact", why, a, b))
    if common and common in {words_a, words_b}:
        return _contained(a, b, equal=words_a == words_b)
    if (common and most > _FEW_WORDS) or in_latin(a) != in_latin(b):
        return None
    return _spelled(a, b, words_a - common, words_b - common)


def _opposed(a: str, b: str) -> str | None:
    """Why two facts that have words in common are not the same, or `None`: what words alone do not tell."""
    if denials(a) % 2 != denials(b) % 2:
        return "one denies what the other says"
    # 3:2 and 2:3 have the same numbers, x < 2 and x <= 2 the same words, and two Georges the same family name.
    for marks, why in ((_NUMBER, "the numbers differ"), (_RELATION, "the relations differ")):
        first, second = marks.findall(a), marks.findall(b)
        if first and second and sorted(first) == sorted(second) and first != second:
            return why
    relations, initials = ([set(marks.findall(text)) for text in (a, b)] for marks in (_RELATION, _INITIAL))
    if relations[0] != relations[1] and all(relations):
        return "the relations differ"
    return "the initials differ" if initials[0] != initials[1] and all(initials) else None


def _fact(said: Statement, other: Statement) -> str | None:
    """The marked answer, a sentence alone, or of several the one in which a short answer's words are: else the last."""
    text = said.folded
    if said.final.explicit:
        return _bare(said.final.text)
    if len(text) > _LONGEST and len(other.words) > _SHORT:
        return None
    parts = said.sentences
    if len(parts) > 1:
        if len(other.words) > _SHORT:
            return None
        wanted = content(other.folded)
        text = next((part for part in (parts[-1], parts[0]) if wanted <= frozenset(tokens(part))), parts[-1])
    return _bare(text)


def _names_differ(a: str, b: str) -> bool:
    """Whether they name languages or paths that differ in what no word shows: C and C++, /tmp/a and /tmp/b."""
    paths = [{path.rstrip("/.") for path in _PATH.findall(text)} for text in (a, b)]
    if all(paths) and paths[0] != paths[1]:
        return True
    found = [{(name.lower(), marks) for name, marks in _SYMBOLIC.findall(text)} for text in (a, b)]
    common = {name for name, _ in found[0]} & {name for name, _ in found[1]}
    return any(name in common for name, _ in found[0] ^ found[1])


def _bare(text: str) -> str:
    return _ARTICLES.sub("", plain(text).strip(" .!*_`\"'$").strip())


def _contained(a: str, b: str, *, equal: bool) -> Comparison:
    """A fact with more said around it is the same fact, unless it is one of several."""
    if not equal and any((word in a) != (word in b) for word in (" or ", " and ")):
        return unclear("fact", difference("fact", "one of them names more", a, b), similarity=0.5)
    if equal and reordered(a, b):
        return unclear("fact", difference("fact", "the same words in another order", a, b), similarity=0.5)
    return same("fact")


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split()).replace("\\", "")


def _spelled(a: str, b: str, only_a: frozenset[str], only_b: frozenset[str]) -> Comparison:
    """They differ, unless in British and American spelling; whether a few letters are a slip nobody can tell.

    Macroeconomics and microeconomics differ in one letter, Katmandu and Kathmandu as well.
    """
    # In one order, because what the matcher finds depends on it.
    first, second = sorted(" ".join(sorted(map(_american, words))) for words in (only_a, only_b))
    if first == second and first:
        return same("fact")
    point = difference("fact", "they say different things", a, b)
    lengths = sorted((len(first), len(second)))
    if _DIGIT.search(first + second) or lengths[0] < _SPELLED[0] or lengths[1] > _SPELLED[1]:
        return differ("fact", point)
    likeness = SequenceMatcher(None, first, second, autojunk=False).ratio()
    return unclear("fact", point, similarity=likeness) if likeness >= _ALIKE else differ("fact", point)


def _american(word: str) -> str:
    return word.replace("ise", "ize").replace("our", "or").replace("yse", "yze")
