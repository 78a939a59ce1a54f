"""Units of measurement that can be turned into one another. Any other word after a number is taken for no unit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Unit:
    """What is measured, and how much one of it is in the dimension's basic unit."""

    dimension: str
    size: Fraction


_DOLLARS = {"US": "usd", "Canadian": "cad", "Australian": "aud", "New Zealand": "nzd", "Hong Kong": "hkd"}
_SIZES = {
    "length": {
        "1": "m meter meters metre metres",
        "1000": "km kilometer kilometers kilometre kilometres",
        "1/100": "cm centimeter centimeters centimetre centimetres",
        "1/1000": "mm millimeter millimeters millimetre millimetres",
        "0.3048": "ft foot feet",
        "0.0254": "inch inches",
        "0.9144": "yd yard yards",
        "1609.344": "mile miles",
    },
    "mass": {
        "1": "g gram grams",
        "1000": "kg kilogram kilograms kilo kilos",
        "1/1000": "mg milligram milligrams",
        "1/1000000": "mcg ug μg microgram micrograms",
        "1/1000000000": "nanogram nanograms",
        "453.59237": "lb lbs pound pounds",
        "28.349523125": "oz ounce ounces",
        "1000000": "tonne tonnes",
    },
    "time": {
        "1": "s sec secs second seconds",
        "60": "min mins minute minutes",
        "3600": "h hr hrs hour hours",
        "86400": "day days",
        "604800": "week weeks",
        "1/1000": "ms millisecond milliseconds",
    },
    "years": {"12": "year years", "1": "month months"},
    "volume": {
        "1": "l liter liters litre litres",
        "1/1000": "ml milliliter milliliters millilitre millilitres",
    },
    "US volume": {"16": "gallon gallons", "4": "quart quarts", "2": "pint pints", "1": "cup cups"},
    "dollars": {"1": "$ dollar dollars buck bucks", "1/100": "¢ cent cents"},
    **{f"{country} dollars": {"1": code} for country, code in _DOLLARS.items()},
    "euros": {"1": "€ eur euro euros"},
    "sterling": {"1": "£ gbp"},
    "yen": {"1": "¥ yen jpy"},
    "rupees": {"1": "₹ inr rupee rupees"},
    "speed": {"1": "kmh km/h kph", "1.609344": "mph"},
    "celsius": {"1": "°c °celsius celsius"},
    "fahrenheit": {"1": "°f °fahrenheit fahrenheit"},
    "data": {
        "1": "byte bytes",
        "1000": "kb kilobyte kilobytes",
        "1000000": "mb megabyte megabytes",
        "1000000000": "gb gigabyte gigabytes",
        "1000000000000": "tb terabyte terabytes",
        "1/8": "bit bits",
        "125": "kilobit kilobits",
        "125000": "megabit megabits",
        "125000000": "gigabit gigabits",
    },
    "power": {"1": "watt watts", "1000": "kw kilowatt kilowatts", "1000000": "megawatt megawatts"},
    "energy": {
        "1": "joule joules",
        "1000": "kj kilojoule kilojoules",
        "3600": "wh",
        "3600000": "kwh",
        "3600000000": "mwh",
        "4184": "kcal kilocalorie kilocalories",
    },
    "francs": {"1": "chf"},
    "yuan": {"1": "cny rmb yuan"},
}
_CASED = {"Kb": "kilobit", "Mb": "megabit", "Gb": "gigabit", "MW": "megawatt"}
"""Where the case of a letter tells one unit from another."""
_UNITS = {
    name: Unit(dimension, Fraction(size))
    for dimension, sizes in _SIZES.items()
    for size, names in sizes.items()
    for name in names.split()
}
COUNTING = (
    "dollars",
    *(f"{country} dollars" for country in _DOLLARS),
    "euros",
    "sterling",
    "yen",
    "rupees",
    "francs",
    "yuan",
)
"""Dimensions of money."""


def unit(word: str) -> Unit | None:
    """The unit of this name."""
    return _UNITS.get(_CASED.get(word) or word.lower())


def comparable(a: Unit, b: Unit) -> bool:
    """Whether both measure the same; dollars without a country may be anybody's."""
    kinds = {a.dimension, b.dimension}
    return len(kinds) == 1 or ("dollars" in kinds and all(kind.endswith("dollars") for kind in kinds))
