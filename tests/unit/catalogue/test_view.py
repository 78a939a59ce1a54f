"""The catalogue as a decision asks it: figures, strengths, and which model a question gets."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.catalogue.view import CatalogueView, measured
from pointsman.circumstances import Circumstances
from pointsman.classification import of_type
from pointsman.decision import Candidate
from pointsman.messages import Question
from pointsman.query_types import QueryType
from pointsman.routing import decide
from tests.builders import configuration, provider, provider_table
from tests.catalogues import MODEL, NOON, figures, profile, served, view

NEW = "openai/model-2026-11-01"
ANALYSIS = QueryType.ANALYSIS


def plan(**changes: Any) -> UpgradePlan:
    told = {"id": "u", "provider": "alpha", "base": MODEL, "model": NEW, "stage": "promoting", "share": 0.3, **changes}
    return UpgradePlan.model_validate(told)


def models(catalogue: CatalogueView, questions: int = 1000, **changes: Any) -> list[str]:
    return [catalogue.serving("alpha", provider(**changes), f"q-{number}").model for number in range(questions)]


@pytest.mark.parametrize(
    ("answered", "passed", "strength"),
    [
        (9, 0, 0.8),  # too few: the declared one
        (10, 0, 0.4),  # (10 x 0.8 + 0) / 20
        (10, 10, 0.9),
        (12, 3, 0.5),
        (990, 990, 0.998),
        (0, 0, 0.8),
    ],
)
def test_measured_quality_counts_from_ten_answers_on_beside_the_declared_strength(
    answered: int, passed: int, strength: float
) -> None:
    declared = provider(strengths={"analysis": 0.8, "code_task": 0.1})
    found = measured(declared, ANALYSIS, figures(answered, passed=passed))
    assert found.strength(ANALYSIS) == pytest.approx(strength)
    assert found.strength(QueryType.CODE_TASK) == 0.1


def test_what_is_not_declared_has_the_usual_strength_as_its_prior() -> None:
    assert measured(provider(), ANALYSIS, figures(10)).strength(ANALYSIS) == pytest.approx(0.75)


def test_measured_latency_takes_the_place_of_the_declared_one_where_there_is_some() -> None:
    found = measured(provider(), ANALYSIS, figures(3, p50_ms=120.0, p95_ms=480.0)).latency
    assert (found.p50_ms, found.p95_ms) == (120.0, 480.0)
    for changes in ({"p50_ms": None}, {"p95_ms": None}, {"p50_ms": 0.0}):
        assert measured(provider(), ANALYSIS, figures(3, **changes)).latency == provider().latency
    odd = measured(provider(), ANALYSIS, figures(3, p50_ms=500.0, p95_ms=400.0)).latency
    assert odd.p95_ms == 500.0, "never less than the median"


def test_scores_follow_what_was_measured_and_not_what_is_declared() -> None:
    listed = {name: provider_table(strengths={"analysis": 0.9}) for name in ("alpha", "beta")}
    used = configuration(listed, catalogue={"admission": "measured"})
    weak = profile("alpha", figures={"analysis": figures(50, passed=5, p50_ms=1900.0, p95_ms=2000.0)})
    catalogue = view(weak, profile("beta"))
    made = decide(Question(prompt="x"), of_type(ANALYSIS, 0.7), used, Circumstances(catalogue=catalogue, now=NOON))
    first, second = made.candidates
    assert (first.provider, second.provider) == ("beta", "alpha")
    assert second.terms.strength == second.confidence == pytest.approx((9 + 5) / 60, abs=1e-4)
    assert second.terms.latency_ms == 1900.0
    assert first.terms.latency_ms == pytest.approx(412.3, abs=0.1)
    declared = used.model_copy(update={"catalogue": configuration().catalogue})
    trusting = decide(
        Question(prompt="x"), of_type(ANALYSIS, 0.7), declared, Circumstances(catalogue=catalogue, now=NOON)
    )
    assert {found.terms.strength for found in trusting.candidates} == {0.9}


def test_a_share_of_the_questions_gets_the_new_model_and_each_keeps_its_own_by_its_id() -> None:
    first = models(view(alpha=plan()))
    assert first == models(view(alpha=plan()))
    assert 0.25 < first.count(NEW) / len(first) < 0.35
    more = models(view(alpha=plan(share=0.5)))
    assert all(after == NEW for before, after in zip(first, more, strict=True) if before == NEW), "a share only grows"
    elsewhere = models(view(alpha=plan(id="another")))
    assert elsewhere != first


@pytest.mark.parametrize("stage", ["evaluating", "shadowing", "refused", "rolled_back"])
def test_in_no_other_stage_does_the_new_model_answer(stage: str) -> None:
    assert set(models(view(alpha=plan(stage=stage, share=1.0)), 50)) == {MODEL}


def test_a_promoted_model_answers_everything_at_its_own_price() -> None:
    price = {"input": 7.0, "output": 8.0}
    catalogue = view(alpha=plan(stage="promoted", share=1.0, price=price))
    assert set(models(catalogue)) == {NEW}
    found = catalogue.serving("alpha", provider(), "q")
    assert found.price is not None
    assert found.price.input == 7.0
    same = view(alpha=plan(stage="promoted", share=1.0)).serving("alpha", provider(), "q")
    assert same.price == provider().price


def test_another_pin_in_the_configuration_voids_an_upgrade() -> None:
    catalogue = view(alpha=plan(stage="promoted", share=1.0))
    edited = "openai/model-2026-12-31"
    assert set(models(catalogue, 50, model=edited)) == {edited}
    assert catalogue.upgrade("alpha", provider(model=edited)) is None
    assert set(models(catalogue, 50, model=NEW)) == {NEW}, "the promoted model, written into the configuration"


def test_a_new_model_has_the_profile_of_its_base_until_it_has_one_of_its_own() -> None:
    new, base = provider(model=NEW), profile()
    assert view(base, alpha=plan()).profile("alpha", new) == base
    own = profile(model=NEW, answered=4)
    assert view(base, own, alpha=plan()).profile("alpha", new) == own
    assert view(base).profile("alpha", new) is None
    assert view(base, beta=plan(provider="beta")).profile("alpha", new) is None


def test_a_decision_names_the_model_that_the_question_gets() -> None:
    used = configuration(catalogue={"admission": "measured"})
    catalogue = view(profile(), profile("beta"), alpha=plan(share=0.5))
    named: set[str] = set()
    for number in range(40):
        known = Circumstances(catalogue=catalogue, question_id=f"q-{number}", now=NOON)
        made = decide(Question(prompt="x", allow=("alpha",)), of_type(ANALYSIS, 0.7), used, known)
        (found,) = made.candidates
        assert isinstance(found, Candidate)
        assert found.model == catalogue.serving("alpha", provider(), f"q-{number}").model
        named.add(found.model)
    assert named == {MODEL, NEW}


def test_nothing_is_known_without_a_catalogue() -> None:
    nothing = CatalogueView()
    assert (nothing.version, nothing.unread) == (None, False)
    assert nothing.upgrade("alpha", provider()) is None
    assert nothing.profile("alpha", provider()) is None
    assert nothing.evaluation("extract", "alpha", MODEL) is None
    assert nothing.served("alpha", MODEL) is None
    assert view(served()).served("alpha", MODEL) == served()
