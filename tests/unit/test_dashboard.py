"""The dashboard: its file is the program's, its queries parse, and they ask for nothing that no worker tells."""

from __future__ import annotations

import json
import re
from itertools import combinations

import pytest

from deploy.dashboard.__main__ import TARGET, text
from pointsman.telemetry.metrics import METRICS
from tests.observed import BY_PROMETHEUS, CLOSED_SETS, OF_PROMETHEUS, OF_TEMPORAL, Asked, everything_asked, panels
from tests.promql import kept_labels, parsed, selected

ASKED = everything_asked()
_LABELS = {
    name: {*metric.labels, *extra}
    for metric in METRICS
    for name, extra in (
        [(f"{metric.exposed}_bucket", ["le"]), (f"{metric.exposed}_sum", []), (f"{metric.exposed}_count", [])]
        if metric.kind == "histogram"
        else [(metric.exposed, [])]
    )
} | OF_TEMPORAL


def each(asked: list[Asked]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("one", asked, ids=[f"{one.where}-{number}" for number, one in enumerate(asked)])


def test_the_file_is_what_the_program_writes() -> None:
    assert TARGET.read_text(encoding="utf-8") == text(), "run `make dashboard`"


@each(ASKED)
def test_a_query_parses_and_names_only_metrics_and_labels_that_are_documented(one: Asked) -> None:
    found = selected(one.expr)
    assert found
    for metric in found:
        if metric.name not in OF_PROMETHEUS:
            assert metric.name in _LABELS
            assert metric.labels <= _LABELS[metric.name] | BY_PROMETHEUS


@each(ASKED)
def test_what_a_label_is_asked_to_be_is_one_of_its_values_and_no_provider_is_named(one: Asked) -> None:
    for metric in selected(one.expr):
        for label, _, value in metric.matchers:
            if "$" not in value:
                assert set(value.split("|")) <= CLOSED_SETS[label], (label, value)


@each([one for one in ASKED if "{{" in one.legend])
def test_a_legend_names_only_labels_that_the_query_keeps(one: Asked) -> None:
    assert set(re.findall(r"{{(\w+)}}", one.legend)) <= kept_labels(one.expr)


def test_every_documented_metric_is_shown_somewhere() -> None:
    shown = {metric.name.removesuffix("_bucket") for one in ASKED for metric in selected(one.expr)}
    assert {metric.exposed for metric in METRICS} - shown == set()


@pytest.mark.parametrize(
    "title",
    [
        "Latency of $provider",
        "Error rate, 1 minute",
        "Error rate, 5 minutes",
        "Error rate, 1 hour",
        "USD an hour by type of question",
        "Where $query_type goes",
        "Divergence rate",
        "State of each breaker",
        "Retry budget",
        "Spend against cap, today",
        "Spend against cap by tenant, today",
    ],
)
def test_what_was_promised_has_a_panel(title: str) -> None:
    assert [panel for panel in panels() if panel["title"] == title]


def test_panels_stand_beside_each_other_and_say_what_they_tell() -> None:
    placed = panels()
    assert len({panel["id"] for panel in placed}) == len(placed)
    assert len({panel["title"] for panel in placed}) == len(placed)
    for panel in placed:
        assert panel["description"], panel["title"]
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
    for one, other in combinations([panel["gridPos"] for panel in placed], 2):
        assert not (_cover(one, other, "x", "w") and _cover(one, other, "y", "h"))


def _cover(one: dict[str, int], other: dict[str, int], start: str, length: str) -> bool:
    return one[start] < other[start] + other[length] and other[start] < one[start] + one[length]


def test_variables_choose_among_labels_that_workers_tell() -> None:
    variables = json.loads(TARGET.read_text(encoding="utf-8"))["templating"]["list"]
    chosen = {
        one["name"]: re.fullmatch(r"label_values\((\w+), (\w+)\)", one["query"]["query"]) for one in variables[1:]
    }
    assert set(chosen) == {"provider", "query_type"}
    for name, found in chosen.items():
        assert found is not None
        assert found[2] == name
        assert name in _LABELS[found[1]]
    repeated = {panel["repeat"] for panel in panels() if "repeat" in panel}
    assert repeated == set(chosen)


@pytest.mark.parametrize("wrong", ["sum by (provider) rate(x[5m])", "rate(x)", "max(y"])
def test_a_query_that_is_none_does_not_parse(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed(wrong)
