"""Unicode's compatibility form (NFKC) of a text's first or last characters, without making that of the rest.

No character of this form reaches over a place at which a new one surely begins, so that a text may be cut there and
its parts normalised one by one. What is made stays small, though one character can become eighteen.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_FORM: Final = "NFKC"
_PART = 100
"""Characters that are normalised at once."""

# Letters that join with the one before them: the medial and final ones of Korean, and the vowels of Kirat Rai. All
# others that do so are marks, which the category tells.
_JOINING = (range(0x1100, 0x1200), range(0x16D40, 0x16D80))


def usual(text: str) -> bool:
    """Whether a text is in this form already."""
    return unicodedata.is_normalized(_FORM, text)


def first_characters(text: str, wanted: int) -> str:
    """The first `wanted` characters of the text's form; all where it has no more."""
    made, at = "", 0
    while at < len(text) and len(made) < wanted:
        end = _begins_after(text, at + _PART)
        made += unicodedata.normalize(_FORM, text[at:end])
        at = end
    return made[:wanted]


def last_characters(text: str, wanted: int) -> str:
    """The last `wanted` characters of the text's form; all where it has no more. `wanted` is above 0."""
    made, end = "", len(text)
    while end > 0 and len(made) < wanted:
        at = _begins_before(text, end - _PART)
        made = unicodedata.normalize(_FORM, text[at:end]) + made
        end = at
    return made[-wanted:]


def begins(character: str) -> bool:
    """Whether a new character surely begins here, whatever stands before; false where that is in doubt."""
    first = unicodedata.normalize("NFKD", character)[0]
    return not unicodedata.category(first).startswith("M") and not any(ord(first) in block for block in _JOINING)


def _begins_after(text: str, at: int) -> int:
    while at < len(text) and not begins(text[at]):
        at += 1
    return min(at, len(text))


def _begins_before(text: str, at: int) -> int:
    while at > 0 and not begins(text[at]):
        at -= 1
    return max(at, 0)
