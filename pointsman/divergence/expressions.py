"""The value of a short arithmetic expression: exact where it is rational, a float else.

Letters stand for fixed odd numbers, so that x(x+3) and 3x + x^2 come to the same and x and y do not.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

Value = Fraction | float

_LONGEST = 300
_DEEPEST = 25
_DIGITS = 400
"""Longer numbers are no arithmetic: Python refuses to read them, and powers of them would take for ever."""
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|([A-Za-z]+)|(\*\*|[-+*/^()!]))")
_FUNCTIONS = {"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "ln": math.log, "exp": math.exp}
_CONSTANTS = {"pi": math.pi, "e": math.e, "infinity": math.inf, "inf": math.inf}
_VARIABLES_TOGETHER = 2
_NO_PRODUCTS = "or is in if of to no at by so we it an as on be do he us am pm ft cm mm km kg lb oz mi"
_WORDS = frozenset(_NO_PRODUCTS.split())
"""Two letters that are no product of variables."""


def evaluated(text: str) -> Value | None:
    """The value, or `None` for what is no expression, has none or is too large."""
    if len(text) > _LONGEST:
        return None
    try:
        value = _Reader(_tokens(text)).whole()
    except (ValueError, ZeroDivisionError, OverflowError, IndexError):
        return None
    return None if isinstance(value, complex) or value != value else value  # noqa: PLR0124 - NaN


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError("no expression")
        word = token[2]
        if word and word not in _FUNCTIONS and word not in _CONSTANTS:
            if len(word) > _VARIABLES_TOGETHER or word.lower() in _WORDS:
                raise ValueError("a word")
            found.extend(word)
        else:
            found.append(token[0].strip())
        at = token.end()
    return [*found, ""]


class _Reader:
    """Recursive descent: sum, product (a missing sign multiplies), sign, power, atom."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Value:
        value = self._sum()
        if self._next:
            raise ValueError("something is left")
        return value

    @property
    def _next(self) -> str:
        return self._tokens[self._at]

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sum(self) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("nested too deeply")
        value = self._product()
        while self._next in {"+", "-"}:
            sign = 1 if self._take() == "+" else -1
            value += sign * self._product()
        self._depth -= 1
        return value

    def _product(self) -> Value:
        value = self._signed()
        while self._next and self._next not in {"+", "-", ")", "!"}:
            if self._next == "/":
                self._take()
                value = value / self._signed()
            else:
                if self._next == "*":
                    self._take()
                value = _bounded(value * self._signed())
        return value

    def _signed(self) -> Value:
        sign = 1
        while self._next in {"+", "-"}:
            sign = -sign if self._take() == "-" else sign
        return sign * self._power()

    def _power(self) -> Value:
        base = self._atom()
        while self._next in {"^", "**"}:
            self._take()
            sign = -1 if self._next == "-" and self._take() else 1
            base = _raised(base, sign * self._atom())
        return base

    def _atom(self) -> Value:
        token = self._take()
        if token == "(":  # noqa: S105 - a bracket
            value = self._sum()
            if self._next != ")":
                raise ValueError("a bracket stays open")
            self._take()
            return value
        if token in _FUNCTIONS:
            return _FUNCTIONS[token](float(self._atom()))
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if token.isalpha():
            return 1.5 + math.modf(ord(token) * 0.6180339887)[0]
        if len(token) > _DIGITS:
            raise ValueError("too long a number")
        return Fraction(token)


def _raised(base: Value, power: Value) -> Value:
    if isinstance(base, Fraction) and isinstance(power, Fraction) and power.denominator == 1:
        digits = len(str(max(abs(base.numerator), base.denominator))) * abs(power.numerator)
        if digits <= _DIGITS:
            return _bounded(base**power.numerator)
    result: Value | complex = float(base) ** float(power)
    if isinstance(result, complex):
        raise ValueError("not real")  # noqa: TRY004 - a value that there is not
    return result


def _bounded(value: Value) -> Value:
    if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) >= 10**_DIGITS:
        raise OverflowError
    return value
