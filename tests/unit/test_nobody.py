"""Why a question finds nobody: by the state of providers, its tenant's cap, catalogue or configuration, or itself."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

from pointsman.decision import Rejection
from pointsman.health.cooldown import BARRING
from pointsman.health_order import BREAKER, OUT_FOR_HEALTH
from pointsman.nobody import Absence, why_nobody
from pointsman.tenants import TENANT_COST_CAP

STATES = sorted({*BREAKER, *BARRING, "daily_cost_cap"})


def why(*reasons: str) -> Absence:
    return why_nobody([Rejection(provider=f"p{number}", reason=reason) for number, reason in enumerate(reasons)])


@pytest.mark.parametrize("state", STATES)
def test_one_member_that_is_out_for_its_state_makes_the_providers_unwell(state: str) -> None:
    assert why("over_cost", state, "denied", "retired", "not_in_chain") == "unwell"


def test_every_reason_to_be_out_for_health_is_told_apart_from_the_questions_own() -> None:
    assert {reason: why(reason) for reason in OUT_FOR_HEALTH} == {
        **dict.fromkeys(STATES, "unwell"),
        TENANT_COST_CAP: "tenant",
        "catalogue_unread": "unadmitted",
    }


@pytest.mark.parametrize(
    "reasons", [("over_cost", "denied"), ("not_allowed",), ("no_tools", "disabled"), ("context_too_small",)]
)
def test_a_question_that_bars_everybody_itself_is_the_reason(reasons: tuple[str, ...]) -> None:
    assert why(*reasons, "not_in_chain") == "request"


def test_a_tenants_cap_is_the_reason_though_another_provider_is_unwell() -> None:
    assert why("breaker_open", TENANT_COST_CAP) == "tenant"


@pytest.mark.parametrize("reasons", [("retired", "over_cost"), ("not_evaluated",), ("disabled", "disabled"), ()])
def test_what_catalogue_or_configuration_keep_out_is_not_admitted(reasons: tuple[str, ...]) -> None:
    assert why(*reasons, "not_in_chain") == "unadmitted"


def test_every_reason_that_the_admission_gives_is_known() -> None:
    module = ast.parse((Path(__file__).parents[2] / "pointsman" / "admission.py").read_text(encoding="utf-8"))
    given = [
        node.value.elts[0].value
        for node in ast.walk(module)
        if isinstance(node, ast.Yield)
        and isinstance(node.value, ast.Tuple)
        and isinstance(node.value.elts[0], ast.Constant)
    ]
    assert len(given) >= 5
    assert {why(str(reason), "denied") for reason in given} == {"unadmitted"}


def test_every_absence_has_a_case_here() -> None:
    cases = [("breaker_open",), (TENANT_COST_CAP,), ("retired",), ("denied",)]
    assert {why(*reasons) for reasons in cases} == set(get_args(Absence))
