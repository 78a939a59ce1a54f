"""How upgrades look on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from pointsman.catalogue.side_by_side import Row, SideBySide
from pointsman.catalogue.upgrade import SERVING, StageChange, Upgrade, share_words
from pointsman.health.spend import MICRO
from pointsman.printable import one_line

_WIDE = 160
_STEPS_SHOWN = 12
_NAMES = {
    "schema_valid": "answers that match the schema",
    "grounded": "statements that the context supports",
    "refusals": "refusals",
    "errors": "errors",
    "agreement": "answers that agree",
    "latency_p50_ms": "latency p50",
    "latency_p95_ms": "latency p95",
    "cost_usd": "cost of a question",
}
_VERDICTS = {
    "better_or_equal": "better or equal: it may be promoted",
    "worse": "worse",
    "too_few": "too few to tell",
}


def print_upgrades(upgrades: Sequence[Upgrade]) -> None:
    """Each with its stage, its comparisons and its last steps."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)
    if not upgrades:
        console.print("no upgrade is on record; begin one with `pointsman upgrade start`", markup=False)
    for upgrade in upgrades:
        _print(console, upgrade)


def comparison_table(title: str, found: SideBySide) -> Table:
    """Both models, row by row; rows without any figure are left out."""
    table = Table("", "base", "new", "n", "95 % interval", "limit", "verdict", title=title, title_justify="left")
    for row in found.rows:
        if row.base is not None or row.new is not None:
            table.add_row(
                _NAMES[row.name],
                _value(row, row.base),
                _value(row, row.new),
                str(row.n),
                _interval(row),
                _limit(row),
                row.verdict or "",
            )
    return table


def verdict_words(found: SideBySide) -> str:
    """What the comparison comes to, and why."""
    words = _VERDICTS[found.verdict]
    if found.verdict == "worse":
        return f"{words} in {', '.join(found.named('worse'))}"
    if found.verdict == "too_few" and found.n >= found.wanted:
        return f"{words}: {', '.join(found.named('unclear'))} may be chance"
    return f"{words}: {found.n} of {found.wanted}" if found.verdict == "too_few" else words


def _print(console: Console, upgrade: Upgrade) -> None:
    share = f", {share_words(upgrade.share)}" if upgrade.share else ""
    lines = [f"{upgrade.provider}: {upgrade.base} -> {upgrade.model}: {upgrade.stage.replace('_', ' ')}{share}"]
    lines += [f"  {step_words(step)}" for step in upgrade.steps[-_STEPS_SHOWN:]]
    lines += [
        f"  suite of {one.task}: {one.passed} of {one.cases} cases passed, {one.verdict}" for one in upgrade.evaluations
    ]
    _say(console, *lines)
    if upgrade.shadows.new.calls:
        _show(console, "Shadowed questions", upgrade.shadow_comparison())
    if upgrade.stage in SERVING or upgrade.live_new.calls:
        _show(console, "Live questions", upgrade.live_comparison())
    if upgrade.shadows.new.calls or upgrade.shadows.unpaired:
        _say(console, _shadow_words(upgrade))


def step_words(step: StageChange) -> str:
    """One step of the audit."""
    who = f" by {step.operator}" if step.operator else ""
    note = f" ({step.note})" if step.note else ""
    return f"{step.at:%Y-%m-%d %H:%M:%SZ}  {step.stage.replace('_', ' ')}{who}: {step.reason}{note}"


def _show(console: Console, title: str, found: SideBySide) -> None:
    console.print(comparison_table(title, found))
    _say(console, f"verdict: {verdict_words(found)}")


def _say(console: Console, *lines: str) -> None:
    for line in lines:
        console.print(one_line(line), markup=False, highlight=False, soft_wrap=True)


def _shadow_words(upgrade: Upgrade) -> str:
    agreement, spend = upgrade.shadows.agreement, upgrade.spend
    return (
        f"{upgrade.shadows.unpaired} shadows could not be compared, of {agreement.undecided} pairs nobody can tell; "
        f"{spend.total / MICRO:.4f} USD spent, {spend.today / MICRO:.4f} on {spend.day or 'no day yet'} "
        f"of {upgrade.daily_cost_cap_usd:g} a day"
    )


def _value(row: Row, value: float | None) -> str:
    if value is None:
        return "-"
    if row.name.startswith("latency"):
        return f"{value:.0f} ms"
    return f"{value:.6f} USD" if row.name == "cost_usd" else f"{value:.1%}"


def _interval(row: Row) -> str:
    if row.low is None or row.high is None:
        return "-"
    match row.of:
        case "ratio":
            return f"x {row.low:.2f} to {row.high:.2f}"
        case "share":
            return f"{row.low:.1%} to {row.high:.1%}"
        case "difference":
            return f"{row.low:+.1%} to {row.high:+.1%}"


def _limit(row: Row) -> str:
    if row.limit is None:
        return ""
    match row.of:
        case "ratio":
            return f"x {row.limit:g}"
        case "share":
            return f"at least {row.limit:.0%}"
        case "difference":
            return f"{row.limit:+.0%}"
