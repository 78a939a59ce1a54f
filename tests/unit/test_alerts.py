"""The alert rules: each says what to do by a command that exists, and fires on what it is for."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from typing import Any

import pytest
import typer
import yaml

from pointsman.cli.command import app
from tests.observed import ALERTS, DEPLOY, rules
from tests.promql import Labels, Series, kept_labels, labels_of, selected, value

CASES = DEPLOY / "prometheus" / "alerts_test.yml"
DOCUMENT = DEPLOY.parent / "docs" / "dashboard.md"
STEP_S = 10
_UNITS = {"s": 1, "m": 60, "h": 3600}

PROMISED = {
    "PointsmanBreakerOpen",
    "PointsmanBudgetExhausted",
    "PointsmanSpendCapNear",
    "PointsmanTenantSpendCapNear",
    "PointsmanReviewOverdue",
    "PointsmanNoHealthyProvider",
    "PointsmanPriceUnknown",
}


def each_rule() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule["alert"]))


def seconds(text: str) -> int:
    return sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([smh])", text))


def anchors() -> set[str]:
    headings = re.findall(r"^#+ (.+)$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_what_was_promised_has_an_alert() -> None:
    assert {rule["alert"] for rule in rules()} >= PROMISED


@each_rule()
def test_a_rule_has_severity_duration_and_says_what_to_do(rule: dict[str, Any]) -> None:
    assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert seconds(rule["for"]) > 0
    assert set(rule["annotations"]) == {"summary", "command", "runbook"}
    assert rule["annotations"]["summary"].endswith(".")


@each_rule()
def test_a_rules_runbook_is_a_section_of_the_documentation(rule: dict[str, Any]) -> None:
    path, _, anchor = rule["annotations"]["runbook"].partition("#")
    assert (DEPLOY.parent / path) == DOCUMENT
    assert anchor in anchors()


@each_rule()
def test_a_rules_words_name_only_labels_that_its_expression_keeps(rule: dict[str, Any]) -> None:
    named = set(re.findall(r"\$labels\.(\w+)", " ".join(rule["annotations"].values())))
    if named:
        # Of a series that is not grouped all labels are there.
        assert rule["expr"].startswith("up{") or named <= kept_labels(rule["expr"])


@each_rule()
def test_a_rules_command_is_one_that_can_be_given(rule: dict[str, Any]) -> None:
    program, *words = shlex.split(re.sub(r"{{.*?}}", "alpha", rule["annotations"]["command"]))
    if program == "docker":
        services = yaml.safe_load((DEPLOY.parent / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
        assert words[0] == "compose"
        assert words[-1] in services
        return
    assert program == "pointsman"
    command: Any = typer.main.get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    command.make_context(command.name, words)  # raises where an argument or option is wrong


def cases() -> list[dict[str, Any]]:
    document = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    assert [CASES.parent / name for name in document["rule_files"]] == [ALERTS]
    found: list[dict[str, Any]] = document["tests"]
    return found


def firing(case: dict[str, Any], rule: dict[str, Any], at_s: float) -> set[Labels]:
    """The alerts of a rule at a time: what its expression has given for as long as it says."""
    interval_s = seconds(case["interval"])
    series = [Series.of(one["series"], one["values"], interval_s) for one in case["input_series"]]
    lasted = range(0, seconds(rule["for"]) + STEP_S, STEP_S * 6 if seconds(rule["for"]) > 600 else STEP_S)
    found = [set(value(rule["expr"], series, at_s - back)) for back in lasted]
    return {
        labels | {("alertname", rule["alert"]), ("alertstate", "firing"), *rule["labels"].items()}
        for labels in set.intersection(*found)
    }


def judged(case: dict[str, Any], checked: list[dict[str, Any]]) -> bool:
    """Whether these rules, of all that a case asks for, fire as it says."""
    names = {rule["alert"] for rule in checked}
    for expected in case["promql_expr_test"]:
        asked = dict(labels_of(expected["expr"])).get("alertname")
        at_s = seconds(expected["eval_time"])
        found = {labels for rule in checked if asked in {None, rule["alert"]} for labels in firing(case, rule, at_s)}
        wanted = {labels_of(sample["labels"]) for sample in expected.get("exp_samples", ())}
        if found != {labels for labels in wanted if dict(labels)["alertname"] in names}:
            return False
    return True


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case["name"]))
def test_the_rules_fire_on_the_cases_as_they_are_written_down(case: dict[str, Any]) -> None:
    assert [rule["alert"] for rule in rules() if not judged(case, [rule])] == []


def _limits() -> list[tuple[dict[str, Any], re.Match[str]]]:
    """Every number that a rule compares or multiplies with, but none and one, which are words for no and yes."""
    number = re.compile(r"(?<=[ (])(?!0[ )\n]|0$|1[ )\n]|1$)\d+(\.\d+)?(?=[ )\n]|$)")
    return [(rule, found) for rule in rules() for found in number.finditer(rule["expr"])]


@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize(
    ("rule", "found"), _limits(), ids=lambda one: str(one["alert"]) if isinstance(one, dict) else ""
)
def test_no_limit_of_a_rule_can_move_by_a_tenth_without_a_case_that_notices(
    rule: dict[str, Any], found: re.Match[str], factor: float
) -> None:
    expr = rule["expr"]
    moved = {**rule, "expr": f"{expr[: found.start()]}{float(found[0]) * factor:g}{expr[found.end() :]}"}
    about = {metric.name for metric in selected(expr)}
    concerned = [case for case in cases() if any(name in str(case["input_series"]) for name in about)]
    assert not all(judged(case, [moved]) for case in concerned)


def test_there_are_limits_to_be_moved() -> None:
    assert {rule["alert"] for rule, _ in _limits()} == {
        "PointsmanErrorRateHigh",
        "PointsmanSpendCapNear",
        "PointsmanTenantSpendCapNear",
        "PointsmanReviewDeadlineNear",
        "PointsmanFleetUnheard",
    }


def test_every_rule_fires_in_one_of_the_cases() -> None:
    written = CASES.read_text(encoding="utf-8")
    assert [rule["alert"] for rule in rules() if f'alertname="{rule["alert"]}"' not in written] == []


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
@pytest.mark.parametrize("words", [("check", "rules", ALERTS.name), ("test", "rules", CASES.name)])
def test_promtool_says_the_same(words: tuple[str, ...]) -> None:
    ended = subprocess.run(["promtool", *words], cwd=CASES.parent, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
