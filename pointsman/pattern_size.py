"""How large a regular expression becomes when it is compiled: counted repeats are written out, nested ones multiply.

>>> pattern_size("[0-9]{4}-[0-9]{2}")
7
>>> pattern_size("(?:ab{1000}){1000}")
1003000
"""

from __future__ import annotations

import re

_COUNTED = re.compile(r"\{(\d+)(?:,(\d*))?\}", re.ASCII)
_DIGITS = 9
_HUGE = 10**_DIGITS


def pattern_size(pattern: str) -> int:
    """Characters and classes, each as often as its counted repeats say; open ends (`*`, `+`, `{3,}`) add nothing."""
    totals, last = [0], 0
    position = 0
    while position < len(pattern):
        counted = _COUNTED.match(pattern, position)
        if counted is not None:
            times = max(map(_number, counted.groups()))
            totals[-1] += last * max(0, times - 1)
            last *= times
            position = counted.end()
            continue
        sign, position = pattern[position], _after_atom(pattern, position)
        if sign == "(":
            totals.append(0)
        elif sign == ")" and len(totals) > 1:
            last = totals.pop()
            totals[-1] += last
        else:
            last = 1
            totals[-1] += 1
    return sum(totals)


def _number(digits: str | None) -> int:
    return 0 if not digits else int(digits) if len(digits) <= _DIGITS else _HUGE


def _after_atom(pattern: str, position: int) -> int:
    """Where the character, the escape or the class that begins here ends."""
    if pattern[position] == "\\":
        return position + 2
    if pattern[position] != "[":
        return position + 1
    position += 2  # a bracket that comes first stands for itself
    while position < len(pattern) and pattern[position] != "]":
        position += 2 if pattern[position] == "\\" else 1
    return position + 1
