"""What a program prints or returns: Python literals, where the case and the order of things count."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache
from typing import Any

from pointsman.divergence.comparison import Comparison, decided, difference, excerpt
from pointsman.divergence.quantity import close
from pointsman.divergence.statement import Statement

_LONGEST = 5_000
_FEW_WORDS = 3
_ASKS = re.compile(
    r"==\s*\?\?|\b(?:output of (?:the|this|executing|running)|what (?:does|will|would) (?:the |this |it )?[^\n?]{0,80}"
    r"\b(?:print|output|return|evaluate to)|complete the assertion|return value of|value returned by|"
    r"predict the output|what is printed|what gets printed)",
    re.IGNORECASE,
)
_FENCED = re.compile(r"```[A-Za-z]*[ \t]*\n((?:(?!```).)*+)```", re.DOTALL)
_QUOTED = re.compile(r"(?<!`)`([^`\n]{1,1000})`(?!`)")
_ASSERTED = re.compile(r"^[ \t]*(?:assert\b|>>>)[^\n]*?\)[ \t]*==[ \t]*+(\S[^\n]*)$", re.MULTILINE)
_SAYS = re.compile(
    r"\b(?:returns?|returned|outputs?|prints?|printed|evaluates? to|output (?:is|will be|would be)|result is|is)[: \t]+"
    r"(\S[^\n]*)$",
    re.IGNORECASE,
)
_WORDS = {"true": True, "false": False, "none": None, "null": None}
_NO_LITERAL = object()


@lru_cache(maxsize=64)
def asks_for_output(question: str) -> bool:
    """Whether the question is what a program puts out."""
    return _ASKS.search(question) is not None


def compare_outputs(a: Statement, b: Statement, tolerance: float) -> Comparison:
    """By the literal that each comes to; what lost its quotation marks is compared without anybody's."""
    written_a, written_b = output(a), output(b)
    value_a, value_b = literal(written_a), literal(written_b)
    if value_a is not _NO_LITERAL and value_b is not _NO_LITERAL:
        equal = same_values(value_a, value_b, tolerance) or _unquoted(value_a, value_b)
    else:
        equal = _bare(written_a) == _bare(written_b)
    return decided(
        "output", difference("output", "the values differ", excerpt(written_a), excerpt(written_b)), equal=equal
    )


def container(said: Statement) -> bool:
    """Whether an answer is a list, tuple, set or dictionary and nothing else."""
    text = said.folded
    return len(text) <= _LONGEST and text[:1] in {"[", "(", "{"} and isinstance(literal(text), (list, tuple, set, dict))


def output(said: Statement) -> str:
    """The part of an answer that is the output; a short answer is it."""
    text = said.text.strip()
    asserted = _ASSERTED.findall(said.folded)
    if asserted:
        return str(asserted[-1]).strip("`. ")
    if _whole(text):
        return _stripped(text)
    if said.final.explicit:
        return _stripped(said.final.text)
    fenced = _FENCED.findall(said.folded)
    last = (said.sentences or [text])[-1]
    quoted = _QUOTED.findall(last)
    said_last = _SAYS.search(last)
    found = quoted[-1:] or ([said_last[1]] if said_last else []) or fenced[-1:] or [last]
    return _stripped(str(found[0]))


def literal(text: str) -> Any:
    """The value of a Python or JSON literal, or a mark that it is none."""
    text = text.strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if len(text) > _LONGEST:
        return _NO_LITERAL
    try:
        with warnings.catch_warnings():
            # "\d" in somebody's string is no concern of ours.
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _NO_LITERAL


def same_values(a: Any, b: Any, tolerance: float) -> bool:
    """Equal as Python has it, but for floats, which are close, and booleans, which are no numbers."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or ((isinstance(a, float) or isinstance(b, float)) and close(a, b, tolerance))
    if isinstance(a, list | tuple) and type(a) is type(b):
        return len(a) == len(b) and all(same_values(one, other, tolerance) for one, other in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_values(value, b[key], tolerance) for key, value in a.items())
    return bool(type(a) is type(b) and a == b)


def _whole(text: str) -> bool:
    """Whether there is nothing but an output: a literal, or lines of a few words each, none of them a sentence."""
    if literal(_stripped(text)) is not _NO_LITERAL:
        return True
    lines = text[:_LONGEST].split("\n")
    short = all(len(line.split()) <= _FEW_WORDS for line in lines)
    return short and (len(lines) == 1 or not any(line.rstrip().endswith((".", ":", "]")) for line in lines))


def _stripped(text: str) -> str:
    text = text.strip()
    fenced = _FENCED.fullmatch(text)
    text = (fenced[1] if fenced else text).strip().strip("`").strip()
    # A sentence's full stop, but not a float's.
    return text[:-1] if text.endswith(".") and literal(text[:-1]) is not _NO_LITERAL else text


def _unquoted(a: Any, b: Any) -> bool:
    """Whether one is the text of the other's value: quotation marks get lost on the way."""
    if isinstance(a, str) == isinstance(b, str):
        return False
    try:
        return (a if isinstance(a, str) else repr(a)) == (b if isinstance(b, str) else repr(b))
    except ValueError:
        # Python prints no integer of so many digits.
        return False


def _bare(text: str) -> str:
    value = literal(text)
    text = value if isinstance(value, str) else text
    return "".join(character for character in text if not character.isspace() and character not in "'\"`")
