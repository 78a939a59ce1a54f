"""PromQL for tests: what an expression names, and its value over a few synthetic series.

The evaluator knows what alert rules and panels use, and refuses the rest; `promtool test rules` is the measure of it.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import promql_parser as promql

_VARIABLES = {"$__rate_interval": "1m", "$__range": "1d"}
_EVERYTHING = {'"$provider"': '".*"', '"$query_type"': '".*"'}
"""What the variables at the head of the dashboard are where nobody has chosen."""
_LOOKBACK_S = 300.0
_SERIES = re.compile(r"(?P<name>\w+)\{(?P<labels>.*)\}")
_LABEL = re.compile(r'(\w+)="([^"]*)"')
_VALUES = re.compile(r"(?P<first>[\d.]+)(\+(?P<step>[\d.]+))?x(?P<count>\d+)")
Labels = frozenset[tuple[str, str]]
Vector = dict[Labels, float]

_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "*": operator.mul,
    "-": operator.sub,
    "/": lambda part, whole: part / whole if whole else float("nan"),
}
_COMPARISON: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "==": operator.eq,
}
_SETS: Mapping[str, Callable[[Vector, Vector], Vector]] = {
    "or": lambda left, right: {**right, **left},
    "and": lambda left, right: {labels: one for labels, one in left.items() if labels in right},
    "unless": lambda left, right: {labels: one for labels, one in left.items() if labels not in right},
}
_AGGREGATION: Mapping[str, Callable[[Sequence[float]], float]] = {"sum": sum, "min": min, "max": max, "count": len}


@dataclass(frozen=True)
class Selected:
    """A metric as an expression names it: with the labels that it is chosen and grouped by."""

    name: str
    matchers: tuple[tuple[str, str, str], ...]
    """Label, operator, value."""
    grouped: frozenset[str]

    @property
    def labels(self) -> frozenset[str]:
        """All that the metric must have."""
        return self.grouped | {label for label, _, _ in self.matchers}


@dataclass(frozen=True)
class Series:
    """One series: its name, its labels, and a sample each ten seconds from 0 on."""

    name: str
    labels: Labels
    samples: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, text: str, values: str, interval_s: float) -> Series:
        """Read promtool's notation."""
        found = _SERIES.fullmatch(text)
        assert found is not None, text
        told = [one for part in values.split() for one in _expanded(part)]
        samples = tuple((number * interval_s, one) for number, one in enumerate(told))
        return cls(found["name"], labels_of(found["labels"]), samples)


def _expanded(part: str) -> Iterator[float]:
    shape = _VALUES.fullmatch(part)
    assert shape is not None, part
    for number in range(int(shape["count"]) + 1):
        yield float(shape["first"]) + number * float(shape["step"] or 0)


def labels_of(text: str) -> Labels:
    """Labels as PromQL writes them between braces."""
    return frozenset(_LABEL.findall(text))


def parsed(expr: str) -> Any:
    """The expression's syntax tree; variables of a dashboard stand for themselves."""
    for variable, value in _VARIABLES.items():
        expr = expr.replace(variable, value)
    return promql.parse(expr)


def selected(expr: str) -> list[Selected]:
    """Every metric that an expression names."""
    return list(_selected(parsed(expr), frozenset()))


def kept_labels(expr: str) -> frozenset[str]:
    """The labels that its outermost groupings leave, where each part of it is grouped; else nothing is known."""
    node = parsed(expr)
    while isinstance(node, promql.BinaryExpr | promql.ParenExpr | promql.Call):
        if isinstance(node, promql.BinaryExpr):
            scalar = isinstance(node.lhs, promql.NumberLiteral) or _is_time(node.lhs)
            node = node.rhs if scalar else node.lhs
        elif isinstance(node, promql.ParenExpr):
            node = node.expr
        else:
            node = node.args[-1]
    assert isinstance(node, promql.AggregateExpr), expr
    return frozenset(_by(node))


def _is_time(node: Any) -> bool:
    return isinstance(node, promql.Call) and node.func.name == "time"


def _selected(node: Any, grouped: frozenset[str]) -> Iterator[Selected]:
    if isinstance(node, promql.VectorSelector):
        matchers = tuple((one.name, str(one.op), one.value) for one in node.matchers.matchers)
        yield Selected(str(node.name), matchers, grouped)
    elif isinstance(node, promql.MatrixSelector):
        yield from _selected(node.vector_selector, grouped)
    elif isinstance(node, promql.AggregateExpr):
        yield from _selected(node.expr, grouped | set(_by(node)))
    elif isinstance(node, promql.BinaryExpr):
        yield from _selected(node.lhs, grouped)
        yield from _selected(node.rhs, grouped)
    elif isinstance(node, promql.ParenExpr):
        yield from _selected(node.expr, grouped)
    elif isinstance(node, promql.Call):
        for argument in node.args:
            yield from _selected(argument, grouped)
    else:
        assert isinstance(node, promql.NumberLiteral), type(node)


def _by(node: Any) -> Sequence[str]:
    if node.modifier is None:
        return ()
    assert node.modifier.type == promql.AggModifierType.By, "group by labels, so that a new one changes nothing"
    return tuple(node.modifier.labels)


def value(expr: str, series: Sequence[Series], at_s: float) -> Vector:
    """The series that an expression gives at a time; of a dashboard's variables everything is chosen."""
    for variable, everything in _EVERYTHING.items():
        expr = expr.replace(variable, everything)
    found = _value(parsed(expr), series, at_s)
    assert isinstance(found, dict), expr
    return found


def _value(node: Any, series: Sequence[Series], at_s: float) -> Vector | float:
    if isinstance(node, promql.NumberLiteral):
        return float(node.val)
    if isinstance(node, promql.ParenExpr):
        return _value(node.expr, series, at_s)
    if isinstance(node, promql.VectorSelector):
        until_s = at_s - (0 if node.offset is None else node.offset.total_seconds())
        return {
            one.labels: samples[-1][1]
            for one in _matching(node, series)
            if (samples := _within(one, until_s - _LOOKBACK_S, until_s))
        }
    if isinstance(node, promql.Call):
        return _called(node, series, at_s)
    if isinstance(node, promql.AggregateExpr):
        return _aggregated(node, _vector(node.expr, series, at_s))
    if isinstance(node, promql.BinaryExpr):
        return _combined(str(node.op), _value(node.lhs, series, at_s), _value(node.rhs, series, at_s))
    raise NotImplementedError(type(node))


def _vector(node: Any, series: Sequence[Series], at_s: float) -> Vector:
    found = _value(node, series, at_s)
    assert isinstance(found, dict)
    return found


def _matching(node: Any, series: Sequence[Series]) -> list[Series]:
    return [one for one in series if one.name == node.name and all(_fits(m, one) for m in node.matchers.matchers)]


def _fits(matcher: Any, one: Series) -> bool:
    held, wanted = dict(one.labels).get(matcher.name, ""), str(matcher.value)
    if matcher.op == promql.MatchOp.Equal:
        return held == wanted
    if matcher.op == promql.MatchOp.NotEqual:
        return held != wanted
    return (re.fullmatch(wanted, held) is not None) == bool(matcher.op == promql.MatchOp.Re)


def _within(one: Series, after_s: float, until_s: float) -> list[tuple[float, float]]:
    return [(at, value) for at, value in one.samples if after_s < at <= until_s]


def _called(node: Any, series: Sequence[Series], at_s: float) -> Vector | float:
    name, arguments = node.func.name, list(node.args)
    if name == "time":
        return at_s
    if name == "vector":
        return {frozenset(): float(arguments[0].val)}
    if name == "absent":
        return {} if _vector(arguments[0], series, at_s) else {frozenset(): 1.0}
    if name == "ceil":
        return {labels: float(math.ceil(one)) for labels, one in _vector(arguments[0], series, at_s).items()}
    if name == "histogram_quantile":
        return _quantiles(float(arguments[0].val), _vector(arguments[1], series, at_s))
    if name not in {"rate", "increase"}:
        raise NotImplementedError(name)
    (argument,) = arguments
    range_s = argument.range.total_seconds()
    found: Vector = {}
    for one in _matching(argument.vector_selector, series):
        samples = _within(one, at_s - range_s, at_s)
        if len(samples) > 1:
            a_second = (samples[-1][1] - samples[0][1]) / (samples[-1][0] - samples[0][0])
            found[one.labels] = a_second * (range_s if name == "increase" else 1)
    return found


def _quantiles(number: float, buckets: Vector) -> Vector:
    """As Prometheus reckons: along a straight line within the bucket that the rank falls in."""
    groups: dict[Labels, list[tuple[float, float]]] = {}
    for labels, count in buckets.items():
        bound = float(dict(labels)["le"])
        groups.setdefault(frozenset(pair for pair in labels if pair[0] != "le"), []).append((bound, count))
    return {labels: _quantile(number, sorted(steps)) for labels, steps in groups.items()}


def _quantile(number: float, steps: Sequence[tuple[float, float]]) -> float:
    rank, below, start = number * steps[-1][1], 0.0, 0.0
    for bound, count in steps:
        if count >= rank and count > 0:
            return start if math.isinf(bound) else start + (bound - start) * (rank - below) / (count - below)
        below, start = count, bound
    return float("nan")


def _aggregated(node: Any, of: Vector) -> Vector:
    kept = set(_by(node))
    groups: dict[Labels, list[float]] = {}
    for labels, value in of.items():
        groups.setdefault(frozenset(pair for pair in labels if pair[0] in kept), []).append(value)
    return {labels: float(_AGGREGATION[str(node.op)](values)) for labels, values in groups.items()}


def _combined(op: str, left: Vector | float, right: Vector | float) -> Vector | float:
    if op in _SETS:
        assert isinstance(left, dict)
        assert isinstance(right, dict)
        return _SETS[op](left, right)
    if isinstance(left, dict):
        pairs = {
            labels: (one, right[labels] if isinstance(right, dict) else right)
            for labels, one in left.items()
            if not isinstance(right, dict) or labels in right
        }
    else:
        assert isinstance(right, dict), "nothing here is a mere number"
        pairs = {labels: (left, one) for labels, one in right.items()}
    if op in _COMPARISON:
        return {labels: one for labels, (one, other) in pairs.items() if _COMPARISON[op](one, other)}
    return {labels: _ARITHMETIC[op](one, other) for labels, (one, other) in pairs.items()}
