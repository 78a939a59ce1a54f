"""What is written: a configuration with the snippet in it loads, and the picture is one that a browser shows."""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pointsman.checks import faults
from pointsman.configuration import Configuration
from pointsman.query_types import QueryType
from pointsman.tuning.picture import round_values, svg
from pointsman.tuning.report import TuningReport
from pointsman.tuning.snippet import snippet
from pointsman.tuning.tuned import Settings, tuned
from tests.builders import document, provider_table
from tests.known_outcomes import each_good_at_one, outcomes, rows

HOSTILE = '"]<script>&\\ [scoring] \u202e'


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> TuningReport:
    found = outcomes(tmp_path_factory.mktemp("snippet"), rows())
    return tuned("made-up.jsonl", found, Settings(keep=0.9))


@pytest.fixture
def hostile(tmp_path: Path) -> TuningReport:
    found = [one | ({"provider": HOSTILE} if one["provider"] == "cheap" else {}) for one in rows(20)]
    return tuned(f"{HOSTILE}\n[x]", outcomes(tmp_path, found), Settings())


def test_a_configuration_with_the_snippet_is_without_fault(report: TuningReport) -> None:
    text = snippet(report, {"cheap": {}, "dear": {}})
    given = tomllib.loads(text)
    tables = document({"cheap": provider_table(), "dear": provider_table()})
    for name, table in given["providers"].items():
        tables["providers"][name] |= table
    made = Configuration.model_validate(tables | {"scoring": given["scoring"]})
    assert faults(made) == []
    assert report.recommendation is not None
    assert made.scoring.formula == report.recommendation.weights
    assert made.scoring.max_cost_per_1k == report.recommendation.max_cost_per_1k
    assert made.providers["cheap"].strengths == report.providers[0].strengths


def test_strengths_of_others_are_remarks(report: TuningReport) -> None:
    text = snippet(report, {"dear": {}})
    assert tomllib.loads(text)["providers"].keys() == {"dear"}
    assert '# [providers."cheap".strengths]' in text


def test_where_nothing_is_recommended_the_snippet_says_so_and_sets_no_weight(hostile: TuningReport) -> None:
    text = snippet(hostile, {})
    assert tomllib.loads(text) == {}
    assert "No weights are recommended: 20 questions are too few" in text


def test_a_strength_of_few_outcomes_is_a_remark(hostile: TuningReport) -> None:
    given = tomllib.loads(snippet(hostile, {"dear": {}}))
    assert given["providers"]["dear"]["strengths"] == {}


def test_strengths_that_were_not_measured_stay_as_they_are(report: TuningReport, hostile: TuningReport) -> None:
    declared = {QueryType.ANALYSIS: 0.7, QueryType.CODE_TASK: 0.6}
    given = tomllib.loads(snippet(report, {"dear": declared}))["providers"]["dear"]["strengths"]
    assert given == report.providers[1].strengths | {"analysis": 0.7}
    few = tomllib.loads(snippet(hostile, {"dear": declared}))["providers"]["dear"]["strengths"]
    assert few == {"analysis": 0.7, "code_task": 0.6}


def test_what_is_given_up_for_less_cost_stands_in_the_snippet(report: TuningReport, tmp_path: Path) -> None:
    assert "Given up" not in snippet(report, {})
    found = tuned("each good at one", outcomes(tmp_path, each_good_at_one()), Settings())
    assert "# Given up for less cost: 1" in snippet(found, {})


@pytest.mark.parametrize("name", ["report", "hostile"])
def test_the_picture_is_well_formed_and_everything_is_inside(name: str, request: pytest.FixtureRequest) -> None:
    drawn = ET.fromstring(svg(request.getfixturevalue(name)))
    width, height = float(drawn.attrib["width"]), float(drawn.attrib["height"])
    kinds = [element.tag.rpartition("}")[2] for element in drawn.iter()]
    assert "script" not in kinds
    for element in drawn.iter():
        for across, down in (("cx", "cy"), ("x", "y")):
            if across in element.attrib:
                assert 0 <= float(element.attrib[across]) <= width
                assert 0 <= float(element.attrib[down]) <= height


def test_the_picture_has_a_point_for_each_weight_policy_and_provider(report: TuningReport) -> None:
    drawn = svg(report)
    assert drawn.count('r="2.5"') == len(report.curve)
    assert drawn.count('r="6"') == 6  # four policies, the recommendation and the oracle
    assert drawn.count('width="8"') == 2


@pytest.mark.parametrize(
    ("least", "most", "expected"),
    [
        (0.0, 4.24, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]),
        (0.407, 0.953, [0.5, 0.6, 0.7, 0.8, 0.9]),
        (0.0, 1e-5, [0.0, 2e-6, 4e-6, 6e-6, 8e-6, 1e-5]),
    ],
)
def test_the_lines_of_the_picture_stand_at_round_figures(least: float, most: float, expected: list[float]) -> None:
    assert round_values(least, most) == expected
