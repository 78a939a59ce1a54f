"""A number, or a few of them, as the whole of a short text: in words, digits, LaTeX or as an expression."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pointsman.divergence.expressions import evaluated
from pointsman.divergence.latex import plain
from pointsman.divergence.number_words import with_digits
from pointsman.divergence.quantity import Asked, Quantity, equal, quantities

_SHORT = 300
_NAME = re.compile(r"^[A-Za-z][A-Za-z_0-9]{0,11}(?:\([a-z0-9]{1,3}\))?\s*(?:=|\\in\b|∈)\s*(?=[^=])")
_TRAILING = re.compile(r"^[\s.,;:!)\]*_`'\"]*$")
_BOTH = "\N{PLUS-MINUS SIGN}"
# Groups of three digits, where nothing but a number is expected.
_SPACED = re.compile(r"^-?[$€£]?\d{1,3}(?: \d{3})++(?! ?\d)")
_LETTER = re.compile(r"[A-Za-z]")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SEPARATOR = re.compile(r"\s*(?:[,;]\s*(?:and|or)?|\band\b|\bor\b)\s+|[,;](?!\d{3}(?!\d))")


@dataclass(frozen=True)
class Numeric:
    """What an answer comes to as a number: one quantity, or several with or without an order."""

    items: tuple[Quantity, ...]
    brackets: str = ""
    """The brackets of a tuple or an interval, where order counts."""
    certain: bool = True
    """Whether it is all that the final answer says, and not a number picked from a sentence."""
    written: str = ""


def numeric(text: str) -> Numeric | None:
    """A short text that is nothing but a number, an expression or a list of them, with units and a name at most."""
    if len(text) > _SHORT or not text:
        return None
    text = _SPACED.sub(lambda number: number[0].replace(" ", ""), _unwrapped(with_digits(text)))
    if _BOTH in text:
        text = f"{text.replace(_BOTH, '+')}, {text.replace(_BOTH, '-')}"
    found = _quantity(text) or _expression(text)
    if found is not None:
        return Numeric((found,), written=text)
    return _several(text)


def same_numbers(a: Numeric, b: Numeric, asked: Asked) -> bool:
    """Whether both come to the same; without brackets or in braces the order does not count."""
    if len(a.items) != len(b.items):
        return False
    if a.brackets and b.brackets and a.brackets != b.brackets:
        return False
    ordered = bool(a.brackets or b.brackets)
    rest = list(b.items)
    for item in a.items:
        candidates = rest[:1] if ordered else rest
        match = next((other for other in candidates if equal(item, other, asked)), None)
        if match is None:
            return False
        rest.remove(match)
    return True


def _unwrapped(text: str) -> str:
    text = text.strip().strip("*_`").rstrip(".,;:! ").strip()
    for opening, closing in (("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$")):
        if text.startswith(opening) and text.endswith(closing) and len(text) > 2 * len(opening):
            text = text[len(opening) : -len(closing)].strip()
    text = plain(text).strip()
    return _NAME.sub("", text).strip().lstrip("≈~=").strip()


def _quantity(text: str) -> Quantity | None:
    """The text's only quantity, after which at most three words say of what."""
    found = quantities(text)
    if len(found) != 1 or text[: found[0].start].strip(" +"):
        return None
    rest = text[found[0].end :].replace("degrees", "")
    if _TRAILING.match(rest) or re.fullmatch(r"(?:[\s-][A-Za-z/]{2,20}){1,4}\W*", rest):
        return found[0]
    return None


def _expression(text: str) -> Quantity | None:
    left, equals, right = text.replace("π", " pi ").rpartition("=")
    value = evaluated(right)
    if value is not None and equals and _LETTER.search(left):
        # An equation is more than its right side; what comes to nought where it holds stands for it.
        other = evaluated(left)
        value = None if other is None else value - other
    return None if value is None else Quantity(value, written=text)


def _several(text: str) -> Numeric | None:
    closing = _BRACKETS.get(text[:1])
    inside = text[1:-1] if closing and text[-1:] in {")", "]", "}"} else text
    parts = [part for part in _SEPARATOR.split(inside) if part.strip()]
    if not 1 < len(parts) <= 16:  # noqa: PLR2004 - a pair at least; longer lists are no answers of mathematics
        return None
    items = [_quantity(part) or _expression(part) for part in map(_unwrapped, parts)]
    if not all(items):
        return None
    brackets = text[0] + text[-1] if inside != text and text[0] != "{" else ""
    return Numeric(tuple(item for item in items if item), brackets, written=text)
