"""The recommendation as a piece of configuration: TOML that loads beside the owner's providers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pointsman.printable import one_line
from pointsman.query_types import QueryType
from pointsman.tuning.report import Point, ProviderFigures, Recommendation, TuningReport

Strengths = Mapping[QueryType, float]

LEAST_OUTCOMES = 20
"""Of a type of question: a strength that rests on fewer is only a remark."""


def snippet(report: TuningReport, owned: Mapping[str, Strengths]) -> str:
    """The text; `owned` are the strengths of the configuration's providers, those of others are remarks.

    A table takes the place of the one that is there, so it repeats what was not measured.
    """
    return "\n".join((*_head(report), "", *_scoring(report), *_strengths(report, owned))) + "\n"


def _head(report: TuningReport) -> Iterator[str]:
    yield f"# Written by `pointsman tune` from {report.questions:,} questions of {one_line(report.source)}."
    yield "# Put it in place of the tables of these names in the configuration, and run `pointsman check`."
    for note in report.notes:
        yield f"# Mind: {one_line(note)}."


def _scoring(report: TuningReport) -> Iterator[str]:
    found = report.recommendation
    if found is None:
        yield f"# No weights are recommended: {report.not_recommended}."
        return
    low, high = found.cost_weight_interval
    yield f"# Expected of it (out of fold): {_words(found.out_of_fold)}"
    yield f"# of the best single provider, {one_line(report.best_single.name)}."
    if report.given_up is not None:
        yield f"# Given up for less cost: {_words(report.given_up)}, by {report.given_up.name}."
    yield "[scoring]"
    yield f'policy = "{found.policy}"'
    yield f"max_cost_per_1k = {found.max_cost_per_1k!r}  # USD per 1,000 tokens; what costs more is not asked at all"
    yield f"max_latency_ms = {found.max_latency_ms!r}"
    yield ""
    yield "[scoring.weights]"
    yield f"cost = {found.weights.cost!r}  # over samples {low:g} to {high:g} do as well"
    yield from _kept(found)


def _kept(found: Recommendation) -> Iterator[str]:
    for name in ("strength", "depth", "latency"):
        yield f"{name} = {getattr(found.weights, name)!r}  # not tuned"


def _words(point: Point) -> str:
    (low, high), (least, most) = point.quality_interval, point.cost_interval
    return (
        f"{100 * point.quality_share:.1f} % ({100 * low:.1f}-{100 * high:.1f}) of the quality "
        f"at {100 * point.cost_share:.1f} % ({100 * least:.1f}-{100 * most:.1f}) of the cost"
    )


def _strengths(report: TuningReport, owned: Mapping[str, Strengths]) -> Iterator[str]:
    for provider in report.providers:
        remark = "" if provider.name in owned else "# "
        yield ""
        if remark:
            yield "# Not a provider of the configuration; its measured strengths, for the one that is meant:"
        yield f"{remark}[providers.{_key(provider.name)}.strengths]"
        yield from (f"{remark}{line}" for line in _measured(provider, owned.get(provider.name, {})))


def _measured(provider: ProviderFigures, declared: Strengths) -> Iterator[str]:
    for query_type in QueryType:
        count = provider.counts.get(query_type, 0)
        if count:
            few = "# too few: " if count < LEAST_OUTCOMES else ""
            yield f"{few}{query_type} = {provider.strengths[query_type]!r}  # {count:,} outcomes"
        if count < LEAST_OUTCOMES and query_type in declared:
            yield f"{query_type} = {declared[query_type]!r}  # as configured"


def _key(name: str) -> str:
    """A quoted key: JSON's escapes are TOML's; a name holds no control characters."""
    return json.dumps(one_line(name))
