"""Who may answer: measured or declared figures, their age, the model behind the name, and the task's suite."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from pointsman.admission import CATALOGUE_UNREAD, Admission, AdmissionMode
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.catalogue.view import UNREAD, CatalogueView
from pointsman.circumstances import Circumstances
from pointsman.classification import of_type
from pointsman.configuration import Configuration
from pointsman.decision import Decision
from pointsman.evals.suite import EvalSuite
from pointsman.examination.case import Case
from pointsman.messages import Question
from pointsman.query_types import QueryType
from pointsman.routing import decide
from pointsman.standing import Standing, Unknown
from tests.builders import configuration, document, provider, provider_table
from tests.catalogues import NOON, SERVED, evaluation, figures, profile, served, view
from tests.upgrades import BASE, NEW

ANALYSIS = QueryType.ANALYSIS
SUITE = "s" * 64
OTHER = "model-2026-09-09"


def admission(
    catalogue: CatalogueView, mode: AdmissionMode = "measured", *, now: datetime = NOON, suite: str | None = None
) -> Admission:
    task = None if suite is None else "extract"
    return Admission(mode=mode, catalogue=catalogue, query_type=ANALYSIS, now=now, task=task, suite=suite)


def reasons(rules: Admission, **changes: Any) -> list[str]:
    return [reason for reason, _ in rules.reasons("alpha", provider(**changes))]


def detail(rules: Admission, **changes: Any) -> str:
    return next(rules.reasons("alpha", provider(**changes)))[1]


@pytest.mark.parametrize(("points", "expected"), [(0, ["not_profiled"]), (2, ["not_profiled"]), (3, [])])
def test_it_takes_three_data_points_of_the_type_to_join(points: int, expected: list[str]) -> None:
    other_types = {"code_task": figures(50), "analysis": figures(points, samples=50)}
    rules = admission(view(profile(figures=other_types)))
    assert reasons(rules) == expected
    if expected:
        assert detail(rules) == f"{points} of 3 data points for analysis; run `pointsman profile run alpha`"


def test_an_answer_that_failed_its_check_is_a_data_point_and_one_that_never_came_is_none() -> None:
    assert reasons(admission(view(profile(figures={"analysis": figures(3, passed=0)})))) == []
    assert reasons(admission(view(profile(figures={"analysis": figures(2, samples=9)})))) == ["not_profiled"]


def test_without_a_profile_of_its_own_model_a_provider_does_not_join() -> None:
    for other in (profile("beta"), profile(model="openai/another-2026-01-01")):
        assert detail(admission(view(other))) == "0 of 3 data points for analysis; run `pointsman profile run alpha`"


@pytest.mark.parametrize(
    ("days", "expected", "warned"), [(74, [], False), (75, [], True), (89, [], True), (90, ["retired"], False)]
)
def test_a_profile_is_warned_of_at_75_days_and_retires_its_provider_at_90(
    days: int, expected: list[str], *, warned: bool
) -> None:
    for more in (timedelta(), timedelta(hours=23, minutes=59)):
        rules = admission(view(profile()), now=NOON + timedelta(days=days) + more)
        assert reasons(rules) == expected
        warning = rules.warning("alpha", provider())
        command = "run `pointsman profile run alpha`"
        said = f"alpha: its profile is {days} days old, and it is retired at 90; {command}"
        assert warning == (said if warned else None)
        if expected:
            assert detail(rules) == f"its profile is 90 days old; {command}"


@pytest.mark.parametrize(
    ("days", "expected", "warned"), [(74, [], False), (75, [], True), (89, [], True), (90, ["retired"], False)]
)
def test_declared_figures_are_warned_of_and_retired_alike(days: int, expected: list[str], *, warned: bool) -> None:
    declared = date(2026, 12, 1)
    rules = admission(view(), "declared", now=NOON + timedelta(days=days))
    assert reasons(rules, declared_at=declared) == expected
    warning = rules.warning("alpha", provider(declared_at=declared))
    renew = "check them and renew providers.alpha.declared_at"
    said = f"alpha: its declared figures are {days} days old, and it is retired at 90; {renew}"
    assert warning == (said if warned else None)
    if expected:
        assert detail(rules, declared_at=declared) == f"its declared figures are 90 days old; {renew}"


def test_declared_figures_without_a_date_never_grow_old() -> None:
    rules = admission(view(), "declared", now=NOON + timedelta(days=4000))
    assert (reasons(rules, declared_at=None), rules.warning("alpha", provider(declared_at=None))) == ([], None)


def test_measured_admission_asks_nothing_of_declared_figures_and_the_other_way_round() -> None:
    late = NOON + timedelta(days=120)
    assert reasons(admission(view(profile(measured_at=late)), now=late), declared_at=NOON.date()) == []
    assert reasons(admission(view(profile()), "declared", now=late), declared_at=late.date()) == []


def test_a_process_that_has_not_read_the_catalogue_waits_for_it_only_where_it_would_ask_it() -> None:
    unread = CatalogueView(UNREAD)
    assert reasons(admission(unread))[0] == CATALOGUE_UNREAD
    assert "not read the catalogue yet" in detail(admission(unread))
    assert reasons(admission(unread, "declared", suite=SUITE))[0] == CATALOGUE_UNREAD
    assert reasons(admission(unread, "declared")) == []


def test_without_any_catalogue_the_configuration_is_trusted() -> None:
    rules = admission(CatalogueView(), suite=SUITE)
    assert (reasons(rules), rules.by_measurement) == ([], False)


def test_a_changed_model_is_out_where_the_owner_wants_it_so_until_it_is_accepted() -> None:
    changed = served(served=OTHER, before=SERVED, accepted=False)
    rules = admission(view(profile(), changed))
    assert reasons(rules) == []
    assert reasons(rules, on_model_change="retire") == ["model_changed"]
    assert detail(rules, on_model_change="retire") == (
        f"{SERVED} was served before, {OTHER} now; profile it anew or run `pointsman catalogue accept alpha`"
    )
    accepted = changed.model_copy(update={"accepted": True})
    assert reasons(admission(view(profile(), accepted)), on_model_change="retire") == []


@pytest.mark.parametrize(
    ("found", "expected", "said"),
    [
        ((), ["not_evaluated"], "its model has not been evaluated for extract"),
        ((evaluation(),), [], ""),
        ((evaluation("beta"),), ["not_evaluated"], "has not been evaluated"),
        ((evaluation(task="classify"),), ["not_evaluated"], "has not been evaluated"),
        ((evaluation(model="openai/another"),), ["not_evaluated"], "has not been evaluated"),
        ((evaluation(suite="old"),), ["not_evaluated"], "the suite or the schema has changed since it was evaluated"),
        (
            (evaluation(), served(served=OTHER)),
            ["not_evaluated"],
            f"the model served has changed to {OTHER} since it was evaluated for extract",
        ),
        ((evaluation(model_served=None), served(served=OTHER)), [], ""),
        ((evaluation(model_served=OTHER), served(served=OTHER)), [], ""),
        (
            (evaluation(passed=9, verdict="failed"),),
            ["eval_failed"],
            "9 of 20 cases passed, 80% are needed; run `pointsman eval run --task extract --provider alpha`",
        ),
        ((evaluation(passed=9, verdict="failed", suite="old"),), ["not_evaluated"], "the suite or the schema"),
        ((evaluation(verdict="inconclusive"),), ["not_evaluated"], "came to no verdict"),
    ],
)
def test_a_tier_is_validated_by_a_passing_result_of_todays_suite_on_the_model_served(
    found: tuple[Any, ...], expected: list[str], said: str
) -> None:
    rules = admission(view(profile(), *found), suite=SUITE)
    assert reasons(rules) == expected
    if expected:
        assert said in detail(rules)
        assert "run `pointsman eval run --task extract --provider alpha`" in detail(rules)


def test_the_plainest_reason_comes_first() -> None:
    changed = served(served=OTHER, before=SERVED, accepted=False)
    late = NOON + timedelta(days=99)
    rules = admission(view(profile(answered=1), changed), now=late, suite=SUITE)
    assert reasons(rules, on_model_change="retire") == ["not_profiled", "retired", "model_changed", "not_evaluated"]


# What becomes of it in a decision.


def suite(task: str = "extract") -> EvalSuite:
    case = Case.model_validate({"id": "one", "prompt": "1 + 1?"})
    return EvalSuite(task=task, description="d", threshold=0.8, cases=(case,))


def settings(
    mode: str = "measured", *, with_suite: bool = True, names: str = "alpha beta", **route: Any
) -> Configuration:
    listed = {name: provider_table(declared_at=None) for name in names.split()}
    table = {"chain": list(listed), "query_type": "analysis", **route}
    told = document(listed, routes={"extract": table}, catalogue={"admission": mode})
    suites = {"extract": suite()} if with_suite else {}
    return Configuration.model_validate(told).model_copy(update={"suites": suites})


def decided(
    catalogue: CatalogueView, used: Configuration, question: Question | None = None, now: datetime = NOON
) -> Decision:
    known = Circumstances(catalogue=catalogue, question_id="q", now=now)
    asked = question or Question(prompt="hello", task="extract")
    return decide(asked, of_type(ANALYSIS, 0.7), used, known)


def validated(name: str) -> tuple[Any, ...]:
    return profile(name), evaluation(name, suite=suite().digest)


def out(made: Decision) -> dict[str, str]:
    return {found.provider: found.reason for found in made.rejected}


def test_only_validated_members_answer_and_the_others_are_named_with_their_reason() -> None:
    made = decided(view(*validated("alpha"), profile("beta")), settings())
    assert [found.provider for found in made.candidates] == ["alpha"]
    assert out(made) == {"beta": "not_evaluated"}
    assert (made.figures, made.catalogue_version, made.unvalidated) == ("measured", 7, False)


def test_a_route_may_do_without_its_suite_and_answers_are_then_unvalidated() -> None:
    catalogue = view(profile("alpha"), profile("beta"))
    made = decided(catalogue, settings(require_eval=False))
    assert len(made.candidates) == 2
    assert made.unvalidated
    assert decided(catalogue, settings(with_suite=False)).unvalidated
    assert not decided(catalogue, settings(), Question(prompt="no task")).unvalidated


def test_a_decision_by_declared_figures_says_so() -> None:
    made = decided(view(), settings("declared", require_eval=False))
    assert (made.figures, made.catalogue_version, len(made.candidates)) == ("declared", 7, 2)
    alone = decided(CatalogueView(), settings())
    assert (alone.figures, alone.catalogue_version, len(alone.candidates)) == ("declared", None, 2)


def test_a_decision_warns_of_the_members_of_its_chain_that_are_soon_retired_and_rejects_them_then() -> None:
    old = profile("alpha", measured_at=NOON - timedelta(days=80))
    catalogue = view(old, profile("beta"))
    made = decided(catalogue, settings(require_eval=False))
    assert len(made.candidates) == 2
    (warning,) = made.warnings
    assert warning.startswith("alpha: its profile is 80 days old")
    later = decided(catalogue, settings(require_eval=False), now=NOON + timedelta(days=10))
    assert (out(later), later.warnings) == ({"alpha": "retired"}, ())
    without = settings(require_eval=False, chain=["beta"])
    assert decided(catalogue, without).warnings == ()


def test_high_stakes_compare_validated_members_only() -> None:
    used = settings(names="alpha beta gamma", stakes="high", fan_out=3)
    everyone = decided(view(*validated("alpha"), *validated("beta"), *validated("gamma")), used)
    assert everyone.panel is not None
    assert set(everyone.panel.members) == {"alpha", "beta", "gamma"}
    some = decided(view(*validated("alpha"), *validated("gamma"), profile("beta")), used)
    assert some.panel is not None
    assert {*some.panel.members, *some.panel.reserves} == {"alpha", "gamma"}
    assert out(some) == {"beta": "not_evaluated"}


def test_unread_holds_back_every_candidate_by_a_reason_that_passes() -> None:
    made = decided(CatalogueView(UNREAD), settings())
    assert out(made) == dict.fromkeys(("alpha", "beta"), CATALOGUE_UNREAD)
    assert made.candidates == ()
    assert {found.recovers_in_s for found in made.rejected} == {1.0}


def test_a_disabled_or_denied_provider_is_told_so_before_anything_else() -> None:
    listed = {"alpha": provider_table(enabled=False), "beta": provider_table(), "gamma": provider_table()}
    used = configuration(listed, catalogue={"admission": "measured"})
    made = decided(view(), used, Question(prompt="x", deny=("beta",)))
    assert out(made) == {"alpha": "disabled", "beta": "denied", "gamma": "not_profiled"}


@pytest.mark.parametrize(("barred", "asked"), [(None, [NEW]), ("breaker_open", [BASE]), ("daily_cost_cap", [])])
def test_while_the_new_models_breaker_is_open_its_questions_go_to_the_base(
    barred: str | None, asked: list[str]
) -> None:
    class OneIsOpen(Unknown):
        def standing(self, *of: object) -> Standing:
            return Standing(barred=barred if NEW in of else None)

    plan = UpgradePlan(id="u-1", provider="alpha", base=BASE, model=NEW, stage="promoted", share=1.0)
    known = CatalogueView(CatalogueSnapshot(epoch=1, version=1, upgrades={"alpha": plan}))
    found = decide(
        Question(prompt="hello", allow=("alpha",)),
        of_type(QueryType.ANALYSIS, 0.7),
        configuration(),
        Circumstances(health=OneIsOpen(), catalogue=known),
    )
    assert [candidate.model for candidate in found.candidates] == asked
