"""What a question says of the number that it wants. What other kinds ask for is told beside their rules."""

from __future__ import annotations

import re
from functools import lru_cache

from pointsman.divergence.quantity import Asked
from pointsman.divergence.units import unit

_ASKS = re.compile(
    r"\b(?:how (?:many|much|long|far|old|tall|fast|high|deep|wide|heavy|often)|"
    r"what (?:is|was|are|would be|will be) the (?:\w+ ){0,4}(?:"
    r"number|sum|total|value|area|volume|product|difference|average|mean|median|probability|ratio|"
    r"percentage|price|cost|length|distance|perimeter|remainder|degree|angle|measure|slope|speed|age|profit|amount|"
    r"maximum|minimum|radius|size)|what (?:number|percent|percentage|fraction)|compute|calculate|evaluate|simplify|"
    r"determine the (?:value|number|sum)|find (?:the|all|\$|x|its)|solve|express (?:your|the) answer)\b",
    re.IGNORECASE,
)
_MATHS = re.compile(r"\$[^$\n]{0,200}[\\^_=][^$\n]{0,200}\$|\\\(|\\\[|\\boxed")
_DIGIT = re.compile(r"\d")
_SEVERAL = 2
_UNIT = re.compile(r"(?:how many|number of|\bin|amount of)\s+(?:total |more |full |whole )?([a-z]+)")
_PERCENT = re.compile(r"\bpercent|%\s*\?|\bwhat %")
_SHARE = re.compile(r"\bprobability|\bfraction\b|\bproportion\b|\bratio\b")


@lru_cache(maxsize=64)
def asks_for_number(question: str) -> bool:
    """Whether the question is a calculation, or for an amount."""
    return _ASKS.search(question) is not None or _MATHS.search(question) is not None


def calculates(folded: str) -> bool:
    """Whether an answer shows a calculation."""
    return "=" in folded and len(_DIGIT.findall(folded)) >= _SEVERAL


@lru_cache(maxsize=64)
def asked(question: str, tolerance: float) -> Asked:
    """The unit that the question wants, and whether it wants percent."""
    lower = question.lower()
    known = [found for found in map(unit, _UNIT.findall(lower)) if found is not None]
    percent = True if _PERCENT.search(lower) else False if _SHARE.search(lower) else None
    return Asked(unit=known[-1] if known else None, percent=percent, tolerance=tolerance)
