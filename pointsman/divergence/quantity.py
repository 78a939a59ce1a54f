"""A number as it is written in a sentence, with its unit, and when two of them are the same amount."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from fractions import Fraction

from pointsman.divergence.expressions import Value
from pointsman.divergence.units import COUNTING, Unit, comparable, unit

_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_QUANTITY = re.compile(
    r"""
    (?P<minus>(?<![\w.)\]%])-(?=[\d.$€£¥₹]))?
    (?:(?P<currency>[$€£¥₹])\s?(?P<sign>-(?=[\d.]))?)?
    (?<![A-Za-z_\d.])
    (?:(?P<whole>\d++)\s(?=\d{1,9}/\d))?
    (?P<number>\d{1,3}(?:,\d{3}){1,99}+(?!\d)(?:\.\d+)?+|\d{1,3}(?:\.\d{3}){1,99}+,\d++(?!,)|\d++(?:\.\d++)?|(?<!\d)\.\d++)
    (?:\s?(?:[eE]|[*x]\s?10\^)\(?(?P<exponent>[-+]?\d{1,3})\)?(?!\w))?
    (?:\s?/\s?(?P<denominator>\d++)(?!\.\d))?
    (?:[\s-]?(?P<scale>thousand|million|billion|trillion)\b)?
    (?:[\s-]?(?P<unit>%|percent\b|°\s?[CF]\b|degrees?\s(?:[CF]|Celsius|Fahrenheit)\b|[€£¥₹]|km/h\b|μ?[A-Za-z]++))?
    (?P<rate>\s?/\s?[A-Za-z]|\sper\b)?
    """,
    re.VERBOSE,
)
_DEGREES = re.compile(r"^degrees?\s")
_PERCENT = {"%", "percent"}
_LONGEST = 400
_LARGEST_EXPONENT = 300
_DECIMALS = 2
_SIGNIFICANT = 3


@dataclass(frozen=True)
class Quantity:
    """An amount and where it stands."""

    value: Value
    decimals: int | None = None
    """How many decimals it is written with; `None` where it is no plain decimal number."""
    unit: Unit | None = None
    percent: bool = False
    start: int = 0
    end: int = 0
    written: str = ""

    @property
    def money(self) -> bool:
        """Whether it is an amount of money."""
        return self.unit is not None and self.unit.dimension in COUNTING


@dataclass(frozen=True)
class Asked:
    """What the question says of the number that it wants."""

    unit: Unit | None = None
    percent: bool | None = None
    """Whether percent are asked for; `None` where the question says nothing, or there is none."""
    tolerance: float = 1e-6


def quantities(text: str) -> list[Quantity]:
    """Every amount in a folded text, in order; numbers too long to reckon with are left out."""
    found = [_read(match) for match in _QUANTITY.finditer(text)]
    return _together([quantity for quantity in found if quantity is not None])


def equal(a: Quantity, b: Quantity, asked: Asked) -> bool:
    """Whether both are the same amount, each in its own spelling, precision and unit."""
    if a.percent != b.percent:
        return _percent_equal(a, b, asked) if a.percent else _percent_equal(b, a, asked)
    if a.unit is not None and b.unit is not None:
        if not comparable(a.unit, b.unit):
            return False
        if a.unit != b.unit:
            return close(a.value * a.unit.size, b.value * b.unit.size, asked.tolerance)
    elif asked.unit is not None:
        a, b = _as_asked(a, asked.unit), _as_asked(b, asked.unit)
    return close(a.value, b.value, asked.tolerance) or _rounded_alike(a, b)


def close(a: Value, b: Value, tolerance: float) -> bool:
    """Equal within a share of the larger one; infinity equals itself only."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        # As integers: a float would overflow, and two huge neighbours would be one.
        return abs(a - b) <= Fraction(tolerance) * max(abs(a), abs(b))
    try:
        return math.isclose(float(a), float(b), rel_tol=max(tolerance, 1e-12), abs_tol=1e-12)
    except OverflowError:
        return False


def _percent_equal(percent: Quantity, bare: Quantity, asked: Asked) -> bool:
    # 50 % is 0.5, and 50 where the sign was merely left out. "What percentage" rules out the former, "what
    # probability" the latter, and without either word both are taken for the same.
    as_share = replace(bare, value=bare.value * 100, decimals=None if bare.decimals is None else bare.decimals - 2)
    allowed = [bare] if asked.percent else [as_share] if asked.percent is False else [bare, as_share]
    return any(close(percent.value, one.value, asked.tolerance) or _rounded_alike(percent, one) for one in allowed)


def _as_asked(quantity: Quantity, wanted: Unit) -> Quantity:
    """Two hours are 120 where minutes are asked for."""
    if quantity.unit is None or not comparable(quantity.unit, wanted) or quantity.unit == wanted:
        return quantity
    return replace(quantity, value=quantity.value * quantity.unit.size / wanted.size, decimals=None)


def _rounded_alike(a: Quantity, b: Quantity) -> bool:
    """Whether one is the other, rounded: to two decimals at least, or to one where that makes three digits."""
    for short, long in ((a, b), (b, a)):
        if not isinstance(short.value, Fraction) or short.decimals is None:
            continue
        if isinstance(long.value, float) and not math.isfinite(long.value):
            continue
        digits = len(str(abs(int(short.value)))) + short.decimals
        precise = short.decimals >= _DECIMALS or (short.decimals == 1 and digits >= _SIGNIFICANT)
        finer = long.decimals is None or long.decimals > short.decimals
        # Half a unit of the last digit, and a little for those who cut instead of rounding halves up.
        if precise and finer and abs(Fraction(long.value) - short.value) <= Fraction(501, 1000) / 10**short.decimals:
            return True
    return False


def _read(match: re.Match[str]) -> Quantity | None:
    number = match["number"]
    if len(match[0]) > _LONGEST or abs(int(match["exponent"] or 0)) > _LARGEST_EXPONENT:
        return None
    if "," in number and "." in number and number.rindex(",") > number.index("."):
        number = number.replace(".", "").replace(",", ".")
    number = number.replace(",", "")
    value = Fraction(number)
    if match["denominator"]:
        if not int(match["denominator"]):
            return None
        value /= int(match["denominator"])
    value = (value + int(match["whole"] or 0)) * Fraction(10) ** int(match["exponent"] or 0)
    value *= _SCALES.get(match["scale"] or "", 1)
    plain = not (match["denominator"] or match["exponent"] or match["scale"])
    name = match["unit"] or ""
    named = unit(_DEGREES.sub("°", name).replace(" ", ""))
    known = unit(match["currency"] or "") or named
    if known is not None and named is not None and comparable(known, named):
        # $5 CAD are Canadian dollars.
        known = named
    digits_end = max(match.end(group) for group in ("number", "exponent", "denominator", "scale"))
    return Quantity(
        value=-value if match["minus"] or match["sign"] else value,
        decimals=len(number.partition(".")[2]) if plain else None,
        unit=None if match["rate"] else known,
        percent=name in _PERCENT,
        start=match.start(),
        end=digits_end if match["rate"] or not (known or name in _PERCENT) else match.end(),
        written=match[0].strip(),
    )


def _together(found: list[Quantity]) -> list[Quantity]:
    """One hour and 30 minutes are one amount, and so are 5 dollars and 20 cents."""
    merged: list[Quantity] = []
    for quantity in found:
        both = _continued(merged[-1], quantity) if merged else None
        merged[-1:] = [*merged[-1:], quantity] if both is None else [both]
    return merged


def _continued(a: Quantity, b: Quantity) -> Quantity | None:
    if a.unit is None or b.unit is None or not comparable(a.unit, b.unit):
        return None
    if b.unit.size >= a.unit.size or b.start - a.end > len(" and "):
        return None
    value = a.value + b.value * b.unit.size / a.unit.size
    return replace(a, value=value, decimals=None, end=b.end, written=f"{a.written} {b.written}")
