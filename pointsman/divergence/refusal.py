"""An answer that says that there will be none."""

from __future__ import annotations

import re

_SHORT = 400
_REFUSAL = re.compile(
    r"\W*(?:(?:i'?m |i am )?(?:very )?sorry\W+|unfortunately\W+|i apologi[sz]e\W+|as an ai\b[^.\n]{0,60}\W+)?"
    r"(?:but\W+)?"
    r"i(?:'m| am)?\s?(?:cannot|can\s?not|can't|unable to|not able to|won't|do not know|don't know|"
    r"do not have (?:enough|access)|don't have (?:enough|access))\b",
    re.IGNORECASE,
)


def refuses(folded: str) -> bool:
    """Whether a short answer begins by saying that its author cannot or does not know."""
    return len(folded) <= _SHORT and _REFUSAL.match(folded) is not None
