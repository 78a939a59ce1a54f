"""Units of measurement that can be turned into one another. Any other word after a number is taken for no unit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Unit:
    """What is measured, and how much one of it is in the dimension's basic unit."""

    dimension: str
    size: Fraction


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
    "dollars": {"1": "$ usd dollar dollars buck bucks", "1/100": "¢ cent cents"},
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
    },
}
_UNITS = {
    name: Unit(dimension, Fraction(size))
    for dimension, sizes in _SIZES.items()
    for size, names in sizes.items()
    for name in names.split()
}
COUNTING = ("dollars", "euros", "sterling", "yen", "rupees")
"""Dimensions of money."""


def unit(word: str) -> Unit | None:
    """The unit of this name."""
    return _UNITS.get(word.lower())
