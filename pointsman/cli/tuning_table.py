"""How a tuning report looks on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pointsman.printable import one_line, printable
from pointsman.tuning.judgement import Interval
from pointsman.tuning.report import Point, TuningReport

_WIDE = 160
_SHOWN = 3


def print_report(report: TuningReport) -> None:
    """The policies beside the best single provider and the oracle, the curve, and what is recommended."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)
    shown = [report.best_single, *report.policies]
    if report.recommendation is not None:
        shown.append(report.recommendation.out_of_fold)
    if report.oracle is not None:
        shown.append(report.oracle)
    title = f"{report.questions:,} questions of {one_line(report.source)}; best single provider first, 95 % intervals"
    console.print(_table(title, shown))
    limit = f"{report.curve_max_cost_per_1k:g}"
    console.print(_table(f'The curve: "balanced" by weights.cost, max_cost_per_1k {limit}', report.curve))
    for sentence in _sentences(report):
        console.print(printable(sentence), markup=False, highlight=False, soft_wrap=True)


def _table(title: str, points: Iterable[Point]) -> Table:
    table = Table(title=escape(printable(title)), title_justify="left")
    names = ("way", "quality", "USD per 1,000", "of the best's quality", "of its cost", "latency", "who answers most")
    for name in names:
        table.add_column(name, overflow="fold")
    for point in points:
        table.add_row(
            escape(one_line(point.name)),
            f"{point.quality:.3f}",
            f"{point.usd_per_1k:.4g}",
            _share(point.quality_share, point.quality_interval),
            _share(point.cost_share, point.cost_interval),
            "unknown" if point.latency_ms is None else f"{point.latency_ms:.0f} ms",
            escape(_answering(point)),
        )
    return table


def _answering(point: Point) -> str:
    often = list(point.shares.items())[:_SHOWN]
    return ", ".join(f"{one_line(name)[:24]} {100 * share:.0f} %" for name, share in often)


def _share(share: float, interval: Interval) -> str:
    low, high = interval
    if math.isinf(share):
        return "- (that is free)"
    return f"{100 * share:.1f} % ({100 * low:.1f}-{100 * high:.1f})"


def _sentences(report: TuningReport) -> Iterable[str]:
    found = report.recommendation
    if found is None:
        yield f"recommended: nothing. {report.not_recommended}."
    else:
        low, high = found.cost_weight_interval
        yield (
            f"recommended: policy {found.policy}, weights.cost {found.weights.cost:g} ({low:g} to {high:g}), "
            f"max_cost_per_1k {found.max_cost_per_1k:g}: the least cost that keeps {100 * found.keep:g} % of the best "
            "single provider's quality"
        )
        yield (
            f"  not tuned: weights.strength {found.weights.strength:g}, weights.depth {found.weights.depth:g}, "
            f"weights.latency {found.weights.latency:g}"
        )
        kept = found.out_of_fold
        yield (
            f"  out of fold it keeps {_share(kept.quality_share, kept.quality_interval)} at "
            f"{_share(kept.cost_share, kept.cost_interval)} of its cost"
        )
        if kept.quality_interval[0] < found.keep:
            yield f"  the interval reaches below {100 * found.keep:g} %: that it keeps less cannot be ruled out"
        if kept.cost_share >= 1:
            worth = "alone does as well" if kept.quality_share <= 1 else "alone costs no more, though it is not as good"
            yield f"  it saves nothing: {report.best_single.name} {worth}"
        if report.given_up is not None:
            most = report.given_up
            yield (
                f"  given up for less cost: {most.name} would bring "
                f"{_share(most.quality_share, most.quality_interval)} of the quality "
                f"at {_share(most.cost_share, most.cost_interval)} of the cost"
            )
    for note in report.notes:
        yield f"mind: {note}"
