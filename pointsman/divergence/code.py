"""Programs, by their syntax tree where Python reads them: layout, comments, annotations and local names say nothing.

Nothing is executed. Trees of one shape that differ in a constant, an operator or a name do different things; trees
of another shape may well do the same, so then nobody can tell.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from functools import lru_cache
from itertools import islice

from pointsman.divergence.comparison import Comparison, Difference, differ, difference, same, unclear
from pointsman.divergence.statement import Statement
from pointsman.divergence.syntax import Normalised

_LONGEST = 40_000
_LISTED = 5
_FENCED = re.compile(r"```([A-Za-z+#0-9]*)[ \t]*\n((?:(?!```).)*+)(?:```|\Z)", re.DOTALL)
_BEGINS = re.compile(
    r"^(?:def |class |import |from \w+ import |@\w|#include|public |function |const |let |var |fn |func |package |"
    r"SELECT |WITH |INSERT |UPDATE |DELETE |#!/)",
    re.MULTILINE,
)
_ASKS = re.compile(
    r"\b(?:write|implement|complete|fix|refactor|create|give)\b[^\n.?]{0,80}\b(?:function|program|script|code|class|"
    r"method|query|regex|snippet)\b",
    re.IGNORECASE,
)
_NO_CODE = ("", "json", "text", "txt", "markdown", "md", "latex", "yaml", "xml", "csv", "output")
_TOKEN = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|\w+|[^\w\s]")
_COMMENT = re.compile(r"^[ \t]*(?://|--|#(?!include|!))[^\n]*$", re.MULTILINE)


@lru_cache(maxsize=64)
def asks_for_code(question: str) -> bool:
    """Whether a program is wanted."""
    return _ASKS.search(question) is not None


def program(said: Statement) -> str | None:
    """The program in an answer: its fenced blocks together, or the whole where it begins like one."""
    text = said.text.replace("\r\n", "\n")[:_LONGEST]
    fences = [(found[1].lower(), found[2]) for found in _FENCED.finditer(text) if found[2].strip()]
    blocks = [block for language, block in fences if language not in _NO_CODE or _BEGINS.match(block.lstrip())]
    if blocks:
        return "\n".join(blocks)
    return text if _BEGINS.match(text.lstrip()) else None


def compare_programs(a: str, b: str, question: str) -> Comparison:
    """By tree where both are Python, else by the sequence of their tokens."""
    marks_a, marks_b = _tree(a, question), _tree(b, question)
    if marks_a is None or marks_b is None:
        marks_a, marks_b = _sequence(a), _sequence(b)
    if marks_a == marks_b:
        return same("code")
    similarity = _overlap(marks_a, marks_b)
    if [shape for shape, _ in marks_a] == [shape for shape, _ in marks_b]:
        pairs = ((one[1], other[1]) for one, other in zip(marks_a, marks_b, strict=True) if one != other)
        points = [difference("code", "the same program but for this", one, other) for one, other in pairs]
        return differ("code", *points, similarity=similarity)
    return unclear("code", *_lines(a, b), similarity=similarity)


def _tree(text: str, question: str) -> list[tuple[str, str]] | None:
    try:
        with warnings.catch_warnings():
            # An odd escape sequence in a string is no concern of ours.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        return Normalised(tree, kept=question).marks()
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _sequence(text: str) -> list[tuple[str, str]]:
    return [_mark(token) for token in _TOKEN.findall(_COMMENT.sub("", text))]


def _mark(token: str) -> tuple[str, str]:
    shape = (
        "word" if token[0].isalpha() or token[0] == "_" else "value" if token[0] in "\"'" or token[0].isdigit() else ""
    )
    return (shape or token, token)


def _overlap(a: list[tuple[str, str]], b: list[tuple[str, str]]) -> float:
    count_a, count_b = Counter(a), Counter(b)
    return (count_a & count_b).total() / max((count_a | count_b).total(), 1)


def _lines(a: str, b: str) -> list[Difference]:
    lines_a, lines_b = ([line.strip() for line in text.splitlines() if line.strip()] for text in (a, b))
    only_a, only_b = set(lines_a) - set(lines_b), set(lines_b) - set(lines_a)
    return [
        *(
            difference("line", "only one has it", one, "")
            for one in islice((x for x in lines_a if x in only_a), _LISTED)
        ),
        *(
            difference("line", "only one has it", "", one)
            for one in islice((x for x in lines_b if x in only_b), _LISTED)
        ),
    ]
