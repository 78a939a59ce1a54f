"""Texts that came from elsewhere, as a terminal or a log may be given them: what they would obey is shown, not sent."""

from __future__ import annotations

import re

# All but line feed and tab: a terminal would obey them. Only escape sequences of text can hide in an answer, and a
# carriage return before a line feed is no more than another way to end a line.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Those that turn the direction of a text are among them: they could make one name look like another."""
_BREAK = re.compile("[\t\n\u2028\u2029]")


def printable(text: str) -> str:
    """A text whose control characters are shown; its lines and tabs stay."""
    return _CONTROL.sub(_shown, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The same where a line is an entry: what would begin another one is shown too."""
    return _BREAK.sub(_shown, printable(text))


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"  # noqa: PLR2004 - two digits or four
