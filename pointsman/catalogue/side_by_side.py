"""`SideBySide`: the new model of an upgrade against its base, row by row, with how sure each figure is.

A row is worse only where its whole interval of 95 % lies beyond the limit: chance alone rolls nothing back. It is
unclear where the figure lies beyond and the interval does not: then more questions will tell, and nothing is promoted
meanwhile.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from pointsman.catalogue.profile import Count
from pointsman.catalogue.tally import ArmTally
from pointsman.catalogue.thresholds import UpgradeSettings
from pointsman.health.spend import MICRO
from pointsman.intervals import (
    Estimate,
    difference_interval,
    mean_interval,
    rank_interval,
    ratio_interval,
    share_interval,
)
from pointsman.latency_histogram import LatencyHistogram

RowName = Literal[
    "schema_valid", "grounded", "refusals", "errors", "agreement", "latency_p50_ms", "latency_p95_ms", "cost_usd"
]
RowVerdict = Literal["within", "unclear", "worse"]
Verdict = Literal["better_or_equal", "worse", "too_few"]

_TAIL_FROM = 60
"""Answers on each side from which a p95 is judged: of fewer, even the slowest may well lie below it."""


class Agreement(BaseModel):
    """How often the two models said the same to one question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agreed: Count = 0
    disagreed: Count = 0
    undecided: Count = 0
    """Pairs of which the detector cannot tell."""


class Row(BaseModel):
    """One figure of both models."""

    model_config = ConfigDict(frozen=True)

    name: RowName
    base: float | None = None
    new: float | None = None
    n: int
    """Of the new model, behind this figure."""
    of: Literal["difference", "ratio", "share"]
    """What `low`, `high` and `limit` are about: new - base, new / base, or the new one's share alone."""
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    """How low a quality, or how high a fault, may be; `None` where no limit is set."""
    verdict: RowVerdict | None = None
    """`None` where nothing was measured, or nothing is demanded; also unclear where most pairs cannot be decided."""


class SideBySide(BaseModel):
    """All figures of both models, and what they come to."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[Row, ...]
    n: int
    """Calls of the new model."""
    wanted: int
    """Calls before they say anything."""
    verdict: Verdict

    def named(self, verdict: RowVerdict) -> tuple[str, ...]:
        """The rows with this verdict, in words."""
        return tuple(row.name.replace("_", " ") for row in self.rows if row.verdict == verdict)


def side_by_side(
    base: ArmTally, new: ArmTally, settings: UpgradeSettings, *, wanted: int, agreement: Agreement | None = None
) -> SideBySide:
    """Compare two models by what they did; `wanted` calls of the new one say enough."""
    rows = (
        _validity(base, new, settings.max_schema_invalid_increase),
        _groundedness(base, new, settings.max_groundedness_drop),
        _increase(
            "refusals", (base.refused, base.answered), (new.refused, new.answered), settings.max_refusal_increase
        ),
        _increase("errors", (base.failed, base.calls), (new.failed, new.calls), settings.max_error_increase),
        *(() if agreement is None else (_agreement(agreement, settings.min_agreement),)),
        *_latencies(base.latency, new.latency, settings.max_latency_ratio),
        _cost(base, new, settings.max_cost_ratio),
    )
    verdicts = {row.verdict for row in rows}
    few = new.calls < wanted or "unclear" in verdicts
    verdict: Verdict = (
        "worse" if new.calls >= wanted and "worse" in verdicts else "too_few" if few else "better_or_equal"
    )
    return SideBySide(rows=rows, n=new.calls, wanted=wanted, verdict=verdict)


def _increase(name: RowName, base: tuple[float, int], new: tuple[float, int], allowed: float) -> Row:
    """A share of something bad, given as (how many, of how many)."""
    low, high = difference_interval(new, base)
    if not (base[1] and new[1]):
        return Row(name=name, base=_share(*base), new=_share(*new), n=new[1], of="difference", limit=allowed)
    difference = new[0] / new[1] - base[0] / base[1]
    return Row(
        name=name,
        base=_share(*base),
        new=_share(*new),
        n=new[1],
        of="difference",
        low=low,
        high=high,
        limit=allowed,
        verdict=_verdict(difference, low, allowed),
    )


def _turned(row: Row) -> Row:
    """A row of something bad as one of the good that is left of it."""
    return row.model_copy(
        update={
            "base": None if row.base is None else 1 - row.base,
            "new": None if row.new is None else 1 - row.new,
            "low": None if row.high is None else -row.high,
            "high": None if row.low is None else -row.low,
            "limit": None if row.limit is None else -row.limit,
        }
    )


def _validity(base: ArmTally, new: ArmTally, allowed: float) -> Row:
    invalid = [(one.schema_invalid, one.with_schema) for one in (base, new)]
    return _turned(_increase("schema_valid", invalid[0], invalid[1], allowed))


def _groundedness(base: ArmTally, new: ArmTally, allowed: float) -> Row:
    loose = [(max(0.0, one.grounded - one.grounded_sum), one.grounded) for one in (base, new)]
    return _turned(_increase("grounded", loose[0], loose[1], allowed))


def _agreement(agreement: Agreement, least: float) -> Row:
    """Where fewer pairs were decided than not, those that were speak for too few to tell."""
    n = agreement.agreed + agreement.disagreed
    unclear = n < agreement.undecided
    if n == 0:
        return Row(name="agreement", n=0, of="share", limit=least, verdict="unclear" if unclear else None)
    low, high = share_interval(agreement.agreed, n)
    share = agreement.agreed / n
    verdict: RowVerdict = "unclear" if unclear else _verdict(-share, -high, -least)
    return Row(name="agreement", new=share, n=n, of="share", low=low, high=high, limit=least, verdict=verdict)


def _latencies(base: LatencyHistogram, new: LatencyHistogram, most: float) -> tuple[Row, Row]:
    """Median and p95; the limit is the p95's, for which the median stands in while there are too few to know it."""
    known = min(base.n, new.n) >= _TAIL_FROM
    pairs = {q: (_quantile(base, q), _quantile(new, q)) for q in (0.5, 0.95)}
    return (
        _ratio("latency_p50_ms", *pairs[0.5], new.n, None if known else most),
        _ratio("latency_p95_ms", *pairs[0.95], new.n, most if known else None),
    )


def _cost(base: ArmTally, new: ArmTally, most: float) -> Row:
    means = [mean_interval(one.cost_micro_usd, one.cost_squares, one.priced) for one in (base, new)]
    row = _ratio("cost_usd", means[0], means[1], new.priced, most)
    shown = {
        side: None if tally.priced == 0 else tally.cost_micro_usd / tally.priced / MICRO
        for side, tally in (("base", base), ("new", new))
    }
    return row.model_copy(update=shown)


def _ratio(name: RowName, base: Estimate | None, new: Estimate | None, n: int, most: float | None) -> Row:
    if base is None or new is None:
        shown = [None if one is None else one[0] for one in (base, new)]
        return Row(name=name, base=shown[0], new=shown[1], n=n, of="ratio", limit=most)
    low, high = ratio_interval(new, base)
    verdict = None if most is None else _verdict(new[0] / base[0], low, most)
    return Row(name=name, base=base[0], new=new[0], n=n, of="ratio", low=low, high=high, limit=most, verdict=verdict)


def _quantile(latencies: LatencyHistogram, q: float) -> Estimate | None:
    n, value = latencies.n, latencies.quantile(q)
    if value is None:
        return None
    low, high = (latencies.quantile((rank - 0.5) / n) or value for rank in rank_interval(q, n))
    return value, low, high


def _share(successes: float, n: int) -> float | None:
    return successes / n if n else None


def _verdict(badness: float, lowest: float, limit: float) -> RowVerdict:
    if lowest > limit:
        return "worse"
    return "unclear" if badness > limit else "within"
