"""One spelling for what is written in several ways, in any script, and words where there are no spaces."""

from __future__ import annotations

import re
import unicodedata

# Compatibility forms lose meaning: 2½ would become 21/2 and m² m2.
_BEFORE = str.maketrans(
    {
        "\N{SUPERSCRIPT TWO}": "^2",
        "\N{SUPERSCRIPT THREE}": "^3",
        "\N{HORIZONTAL ELLIPSIS}": "...",
        # Sentences end with these, and no space follows.
        **dict.fromkeys("\u3002\uff0e\u0964\u06d4", ". "),
        **dict.fromkeys("\uff1f\u061f", "? "),
        "\uff01": "! ",
        # Digits are grouped by these, and NFKC would turn them into plain spaces.
        "\N{ARABIC THOUSANDS SEPARATOR}": ",",
        "\N{ARABIC DECIMAL SEPARATOR}": ".",
    }
)
_VULGAR = re.compile(r"(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])")
_THIN_GROUP = re.compile(r"(?<=\d)[\u00a0\u2009\u202f'](?=\d{3}(?!\d))")
_AFTER = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c\u300d", '"'),
        "\N{FRACTION SLASH}": "/",
        "\N{DIVISION SLASH}": "/",
        "\N{MULTIPLICATION SIGN}": "*",
        "\N{DIVISION SIGN}": "/",
        "\N{LESS-THAN OR EQUAL TO}": "<=",
        "\N{GREATER-THAN OR EQUAL TO}": ">=",
        "\N{SQUARE ROOT}": " sqrt ",
        "\N{INFINITY}": " infinity ",
        "\r": "\n",
        # Marks of writing direction and joining, Arabic vowel signs and the stroke that lengthens a word.
        **dict.fromkeys(
            [0xAD, 0x640, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)],
            None,
        ),
        **dict.fromkeys(range(0x64B, 0x653), None),
    }
)
_DIGIT = re.compile(r"[^\x00-\x7f\D]")
# A number, or a run of anything but white space and punctuation; \w would break words at the vowel signs of Indic
# scripts.
_WORD = re.compile(
    r"\d+(?:[.,]\d+)*+|[^\s\x00-/:-@\[-`{-\x7f\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7"
    r"\u2000-\u206f\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u060c\u061b\u061f\u06d4\u0964\u0965\u30fb]++"
)
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]++")


def folded(text: str) -> str:
    """Compatibility forms, digits of any script, dashes, quotation marks and invisible marks in one spelling."""
    if text.isascii():
        return _THIN_GROUP.sub(",", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _THIN_GROUP.sub(",", _VULGAR.sub(" ", text.replace("\r\n", "\n").translate(_BEFORE)))
    text = unicodedata.normalize("NFKC", text).translate(_AFTER)
    return _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def tokens(text: str) -> tuple[str, ...]:
    """Words and numbers in lower case; scripts without spaces give pairs of neighbouring characters."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii():
            found.append(word)
        else:
            found.extend(_pieces(word))
    return tuple(found)


def in_latin(text: str) -> bool:
    """Whether at least half of a text's first letters are ASCII: two scripts have no words in common to compare."""
    letters = [character for character in text[:400] if character.isalpha()]
    return sum(character.isascii() for character in letters) * 2 >= len(letters)


def _pieces(word: str) -> list[str]:
    pieces: list[str] = []
    at = 0
    for run in _UNSPACED.finditer(word):
        pieces.append(word[at : run.start()])
        characters = run[0]
        pieces.extend(characters[i : i + 2] for i in range(max(1, len(characters) - 1)))
        at = run.end()
    pieces.append(word[at:])
    return [piece for piece in pieces if piece]
