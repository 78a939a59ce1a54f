"""How evaluations look on a terminal: a row a model, then every case that did not pass, with the reason."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pointsman.cli.rendering import money, printable
from pointsman.measuring.eval_report import EvalReport, ModelReport
from pointsman.measuring.regression import Regression

_PIPED_WIDTH = 150


def print_report(report: EvalReport) -> None:
    """The table, then the failing cases."""
    console = _console()
    console.print(
        printable(
            f"{report.task}: {report.description}. Suite {report.suite[:12]}, {_percent(report.threshold)} needed, "
            f"{report.evaluated_at:%Y-%m-%d %H:%M} UTC\n"
        ),
        markup=False,
        highlight=False,
    )
    console.print(_table(report))
    for model in report.models:
        for result in model.failing:
            why = "; ".join(result.reasons)
            line = f"{model.provider}  {result.id}  {result.outcome}: {why}"
            console.print(printable(line), markup=False, highlight=False, soft_wrap=True)
    for provider in report.unrecorded:
        console.print(printable(f"the catalogue could not be told of {provider}: it is not running"), markup=False)


def print_regressions(compared: tuple[Regression, ...]) -> None:
    """Against the earlier result: what is lost, what is won, and whether that is chance."""
    for one in compared:
        verdict = "significantly worse" if one.significant else "not significantly worse"
        changed = "; the suite has changed since" if one.suite_changed else ""
        counts = f"{len(one.lost)} lost, {len(one.won)} won of {one.compared} cases, chance {one.chance:.3f}{changed}"
        heading = f"\n{one.provider} against the earlier {one.before}: {verdict} ({counts})"
        lines = [heading, *(f"  lost  {case}" for case in one.lost), *(f"  won   {case}" for case in one.won)]
        _console().print(printable("\n".join(lines)), markup=False, highlight=False, soft_wrap=True)


def _table(report: EvalReport) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("provider", "model", "passed", "score", "95 %", "errors", "p50", "p95", "cost", "verdict"):
        table.add_column(heading, overflow="fold")
    for model in report.models:
        table.add_row(*(escape(printable(cell)) for cell in _cells(model)))
    return table


def _cells(model: ModelReport) -> tuple[str, ...]:
    judging = f" + {money(model.judging_usd)} judging" if model.judging_usd != 0 else ""
    return (
        model.provider,
        model.model,
        f"{model.passed}/{model.cases}",
        _percent(model.score),
        f"{_percent(model.low)} to {_percent(model.high)}",
        str(model.errors),
        _milliseconds(model.p50_ms),
        _milliseconds(model.p95_ms),
        f"{money(model.cost_usd)}{judging}",
        model.verdict,
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} ms"


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH)
