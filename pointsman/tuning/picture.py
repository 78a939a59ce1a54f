"""The curve of cost and quality as an SVG: one file, no script, no font but the reader's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, log10

from pointsman.printable import one_line
from pointsman.tuning.report import Point, TuningReport

_WIDTH, _HEIGHT = 960, 480
_LEFT, _TOP, _RIGHT, _BOTTOM = 70, 40, 590, 420
_LEGEND = 620
_ROW = 21
_STEPS = 5
"""About so many lines each way."""
_NAMED = 44
_MOST_SINGLES = 6
_MARKED = {
    "source": "#a05195",
    "balanced": "#2f9e44",
    "cheapest_good": "#e8a100",
    "best": "#d45087",
    "recommended": "#c92a2a",
    "oracle": "#111111",
}
_OTHER = "#5f3dc4"
_CURVE, _SINGLE, _GRID = "#1c6dd0", "#8a94a0", "#e3e6ea"


def svg(report: TuningReport) -> str:
    """Quality over USD per 1,000 questions."""
    marks = _marks(report)
    scale = _Scale([*report.curve, *report.singles, *(point for _, point in marks)])
    return "\n".join((*_frame(report, scale), *_line(report, scale), *_dots(report, marks, scale), "</svg>")) + "\n"


class _Scale:
    """From cost and quality to places in the picture."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.most_usd = max(point.usd_per_1k for point in points) * 1.05 or 1.0
        qualities = [point.quality for point in points]
        room = max(0.02, (max(qualities) - min(qualities)) * 0.08)
        self.least, self.most = max(0.0, min(qualities) - room), min(1.0, max(qualities) + room)

    def at(self, point: Point) -> tuple[float, float]:
        return self.x(point.usd_per_1k), self.y(point.quality)

    def x(self, usd: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * usd / self.most_usd

    def y(self, quality: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (quality - self.least) / (self.most - self.least)


def round_values(least: float, most: float) -> list[float]:
    """Round figures within a range, from 3 to a dozen of them: multiples of 1, 2 or 5 times a power of ten."""
    rough = (most - least) / _STEPS
    power = 10.0 ** floor(log10(rough))
    step = power * max(nice for nice in (1, 2, 5) if nice * power <= rough)
    return [round(number * step, 12) for number in range(ceil(least / step), floor(most / step) + 1)]


def _marks(report: TuningReport) -> list[tuple[str, Point]]:
    found = [(point.name, point) for point in report.policies]
    if report.recommendation is not None:
        found.append(("recommended", report.recommendation.point))
    return found if report.oracle is None else [*found, ("oracle", report.oracle)]


def _frame(report: TuningReport, scale: _Scale) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="13">'
    )
    title = f"Quality and cost on {report.questions:,} questions of {_text(report.source)}"
    yield f"<title>{title}</title>"
    yield f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
    yield f'<text x="{_LEFT}" y="24" font-size="15">{title}</text>'
    for usd in round_values(0.0, scale.most_usd):
        x = scale.x(usd)
        yield f'<path d="M{x:.1f} {_TOP}V{_BOTTOM}" stroke="{_GRID}"/>'
        yield f'<text x="{x:.1f}" y="{_BOTTOM + 18}" text-anchor="middle">{usd:g}</text>'
    for quality in round_values(scale.least, scale.most):
        y = scale.y(quality)
        yield f'<path d="M{_LEFT} {y:.1f}H{_RIGHT}" stroke="{_GRID}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{quality:g}</text>'
    yield f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}" stroke="{_SINGLE}" fill="none"/>'
    yield f'<text x="{(_LEFT + _RIGHT) / 2:.0f}" y="{_BOTTOM + 42}" text-anchor="middle">USD per 1,000 questions</text>'
    middle = (_TOP + _BOTTOM) / 2
    turned = f'transform="rotate(-90 18 {middle:.0f})"'
    yield f'<text x="18" y="{middle:.0f}" text-anchor="middle" {turned}>mean score</text>'


def _line(report: TuningReport, scale: _Scale) -> Iterator[str]:
    places = [scale.at(point) for point in report.curve]
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline points="{drawn}" fill="none" stroke="{_CURVE}" stroke-width="2"/>'
    for (x, y), point in zip(places, report.curve, strict=True):
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{_CURVE}">{_tip(point)}</circle>'
    yield from _entry(0, _CURVE, "by growing weight of cost")


def _dots(report: TuningReport, marks: Sequence[tuple[str, Point]], scale: _Scale) -> Iterator[str]:
    for point in report.singles:
        x, y = scale.at(point)
        best = point.name == report.best_single.name
        edge = ' stroke="#111111" stroke-width="2"' if best else ""
        yield (
            f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{_SINGLE}"{edge}>{_tip(point)}</rect>'
        )
    for row, (name, point) in enumerate(marks, start=1):
        x, y = scale.at(point)
        colour = _MARKED.get(name, _OTHER)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{colour}" fill-opacity="0.85">{_tip(point)}</circle>'
        yield from _entry(row, colour, f"{name}: {_figures(point)}")
    after = len(marks) + 2
    yield from _entry(after, _SINGLE, "single providers, the best one framed:")
    ordered = sorted(report.singles, key=lambda point: -point.quality)[:_MOST_SINGLES]
    for row, point in enumerate(ordered, start=after + 1):
        yield from _entry(row, None, f"{_text(point.name, 24)}: {_figures(point)}")


def _entry(row: int, colour: str | None, text: str) -> Iterator[str]:
    y = _TOP + 12 + row * _ROW
    if colour is not None:
        yield f'<circle cx="{_LEGEND}" cy="{y - 4}" r="5" fill="{colour}"/>'
    yield f'<text x="{_LEGEND + 12}" y="{y}">{text}</text>'


def _figures(point: Point) -> str:
    return f"{point.quality:.3f} at ${point.usd_per_1k:.3g}"


def _tip(point: Point) -> str:
    return f"<title>{_text(point.name)}: {_figures(point)}</title>"


def _text(text: str, most: int = _NAMED) -> str:
    line = one_line(text)
    return escape(line if len(line) <= most else f"{line[: most - 1]}…")
