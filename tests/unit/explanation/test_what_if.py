"""Every "what if" is true: the change is made, the question decided anew, and the choice is the one that was told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pointsman.catalogue.profile import Profile
from pointsman.circumstances import Circumstances
from pointsman.classification import of_type
from pointsman.configuration import Configuration
from pointsman.decision import Decision
from pointsman.explanation.change import Setting, applied
from pointsman.explanation.contest import contest_of
from pointsman.explanation.explain import explained
from pointsman.explanation.figures import scaled
from pointsman.explanation.kind import classified
from pointsman.explanation.sentences import in_words
from pointsman.explanation.what_if import WhatIf
from pointsman.hedge_delay import CallClass
from pointsman.messages import Question
from pointsman.policy import PolicyName
from pointsman.query_types import QueryType
from pointsman.routing import candidacy_for, decide
from pointsman.standing import Live, Standing
from tests import catalogues
from tests.builders import QUERY_TYPES, configuration, provider_table

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAMES = ("a", "b", "c", "d")


class Told:
    """Health that says what it was told of each provider."""

    def __init__(self, standings: dict[str, Standing], lives: dict[str, Live]) -> None:
        self._standings, self._lives = standings, lives

    def standing(self, provider: str, _model: str, _most_usd: float, /) -> Standing:
        return self._standings.get(provider, Standing())

    def live(self, provider: str, _query_type: QueryType, /) -> Live:
        return self._lives.get(provider, Live())

    def hedge_delay_s(self, _call: CallClass, /, **_: float) -> float | None:
        return None


hundredths = st.integers(0, 100).map(lambda found: found / 100)
prices = st.one_of(st.none(), st.fixed_dictionaries({"input": st.integers(0, 40), "output": st.integers(0, 200)}))
tables = st.fixed_dictionaries(
    {
        "strengths": st.fixed_dictionaries(dict.fromkeys(QUERY_TYPES, hundredths)),
        "reasoning_depth": st.integers(10, 50).map(lambda tenths: tenths / 10),
        "price": prices,
        "latency": st.integers(1, 6000).map(lambda ms: {"p50_ms": ms, "p95_ms": 9000}),
        "enabled": st.sampled_from([True, True, True, False]),
        "supports": st.sampled_from([[], ["json_schema"], ["json_schema", "tools"]]),
        "context_tokens": st.sampled_from([100, 700, 100_000]),
        "max_output_tokens": st.sampled_from([64, 1024]),
    }
)
questions = st.fixed_dictionaries(
    {"prompt": st.sampled_from(["hello", "Compare two ways to sort, and explain why one is faster.", "x" * 900])},
    optional={
        "max_cost_usd": st.sampled_from([0.0001, 0.002, 0.01, 1.0]),
        "max_latency_ms": st.sampled_from([300.0, 3000.0]),
        "allow": st.sampled_from([["a", "b"], ["c"]]),
        "deny": st.sampled_from([["a"], ["b", "c"]]),
        "response_schema": st.just({"type": "object"}),
        "parameters": st.just({"tools": [{"type": "function"}]}),
    },
)
chains = st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True)
routes = st.fixed_dictionaries({"chain": chains, "order": st.sampled_from(["score", "score", "score", "chain"])})
standings = st.sampled_from(
    [
        Standing(),
        Standing(),
        Standing(ramping=True),
        Standing(cooling="throttle", recovers_in_s=5),
        Standing(barred="quota"),
    ]
)
lives = st.sampled_from([Live(), Live(), Live(p50_ms=900, error_rate=0.2, output_tokens=70.5)])
policies: st.SearchStrategy[PolicyName] = st.sampled_from(get_args(PolicyName))
worlds = st.fixed_dictionaries(
    {
        "providers": st.fixed_dictionaries(dict.fromkeys(NAMES, tables)),
        "query_types": st.fixed_dictionaries(dict.fromkeys(QUERY_TYPES, routes)),
        "scoring": st.fixed_dictionaries(
            {"policy": policies},
            optional={"max_cost_per_1k": st.sampled_from([0.02, 0.1]), "good_enough": st.just(0.8)},
        ),
        "by": st.sampled_from(["rules", "model"]),
        "standings": st.fixed_dictionaries(dict.fromkeys(NAMES, standings)),
        "lives": st.fixed_dictionaries(dict.fromkeys(NAMES, lives)),
        "question": questions,
    }
)


class Case:
    """A question in a world, its decision, and what is told of it."""

    def __init__(self, world: dict[str, Any]) -> None:
        self.question = Question.model_validate(world["question"])
        self.configuration = configuration(
            {name: provider_table(**table) for name, table in world["providers"].items()},
            query_types=world["query_types"],
            scoring=world["scoring"],
            classification={"by": world["by"]},
        )
        self.circumstances = Circumstances(health=Told(world["standings"], world["lives"]), now=NOW)
        self.classification, self.kind = classified(self.question, self.configuration)
        self.decision = self.decided(self.question, self.configuration)
        self.explanation = explained(self.question, self.configuration, self.decision, self.kind, self.circumstances)

    def decided(self, question: Question, settled: Configuration, query_type: QueryType | None = None) -> Decision:
        taken = self.classification if query_type is None else of_type(query_type, 1.0)
        return decide(question, taken, settled, self.circumstances)

    def changed(self, found: WhatIf) -> Decision:
        kinds = [QueryType(setting.value) for setting in found.settings if setting.where == "type"]
        return self.decided(*applied(found.settings, self.question, self.configuration), *kinds)


def first(decision: Decision) -> str | None:
    return decision.candidates[0].provider if decision.candidates else None


slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(worlds)
@slow
def test_what_is_told_of_a_change_comes_true(world: dict[str, Any]) -> None:
    case = Case(world)
    for found in case.explanation.what_ifs:
        changed = case.changed(found)
        if found.candidate is None:
            assert first(changed) == found.first, found
            assert found.first != first(case.decision), found
        else:
            barred = {one.provider for one in changed.rejected if one.reason == "quota"}
            able = {one.provider for one in changed.candidates} | barred
            assert found.candidate in able, (found, changed.rejected)


@given(worlds)
@slow
def test_the_value_before_it_changes_nothing(world: dict[str, Any]) -> None:
    case = Case(world)
    for found in case.explanation.what_ifs:
        if found.until is None:
            continue
        (setting,) = found.settings
        value: Any = found.until
        if found.about == "price":
            price = case.configuration.providers[found.provider or ""].price
            assert price is not None
            value = scaled(price, found.until).model_dump(exclude_none=True)
        before = Setting(where=setting.where, path=setting.path, value=value)
        assert first(case.changed(found.model_copy(update={"settings": (before,)}))) == first(case.decision), found


@given(worlds)
@slow
def test_what_is_told_of_all_values_beyond_holds_of_them(world: dict[str, Any]) -> None:
    case = Case(world)
    for found in case.explanation.what_ifs:
        if not found.lasting or found.about == "price":
            continue
        (setting,) = found.settings
        assert isinstance(found.to, float)
        assert isinstance(found.now, float)
        for beyond in _beyond(found.about, found.to, down=found.to < found.now):
            changed = Setting(where=setting.where, path=setting.path, value=beyond)
            try:
                made = case.changed(found.model_copy(update={"settings": (changed,)}))
            except ValidationError:
                continue  # The sum of cost's and latency's weights ends there.
            assert first(made) == found.first, (found, beyond)


def _beyond(about: str, to: float, *, down: bool) -> list[float]:
    if about == "limit":
        assert down
        return [to * share for share in (0.9, 0.5, 0.1, 0.01)]
    least = {"good_enough": 0.5}.get(about, 0.0)
    return [at / 100 for at in range(101) if (least <= at / 100 <= to if down else at / 100 >= to)]


def test_where_a_third_one_goes_first_farther_on_it_is_told_of_one_value_alone() -> None:
    providers = {
        name: provider_table(
            strengths={"analysis": strength},
            price={"input": usd, "output": usd},
            latency={"p50_ms": ms, "p95_ms": 9000},
        )
        for name, strength, usd, ms in (("best", 1.0, 60, 900), ("fair", 0.9, 20, 600), ("poor", 0.8, 0, 300))
    }
    told = _explained(configuration(providers, scoring={"weights": {"cost": 0.1, "latency": 0.0}}))
    words = [in_words(found) for found in told if found.about in ("weight", "limit")]
    assert words == [
        "fair would go first with scoring.weights.cost at 0.26 (now 0.1)",
        "fair would go first with scoring.max_cost_per_1k at 0.0599 (now 0.1)",
        "fair would go first with scoring.max_latency_ms at 899 (now 5000)",
    ]


def test_a_choice_that_health_makes_against_the_score_is_explained_too() -> None:
    # At the far limit the first one still leads by score, and the one that is well goes before it all the same.
    providers = {
        name: provider_table(strengths={"analysis": strength}, latency={"p50_ms": ms, "p95_ms": 9000})
        for name, strength, ms in (("first", 0.9, 200), ("second", 0.1, 200), ("well", 0.5, 301))
    }
    cooling = Standing(cooling="throttle", recovers_in_s=5)
    known = Circumstances(health=Told({"first": cooling, "second": cooling}, {}), now=NOW)
    settled, question = configuration(providers), Question(prompt="hello", max_latency_ms=300)
    taken, kind = classified(question, settled)
    made = decide(question, taken, settled, known)
    told = map(in_words, explained(question, settled, made, kind, known).what_ifs)
    assert any(one.startswith("well would go first with the question's max_latency_ms at 3") for one in told)


def test_where_nobody_is_left_no_tighter_limit_lets_one_in() -> None:
    told = _explained(configuration({"a": provider_table(), "b": provider_table()}))
    assert "nobody could be asked with scoring.max_latency_ms at 499 or less (now 5000)" in map(in_words, told)


@given(worlds)
@slow
def test_nothing_is_told_of_what_decides_nothing(world: dict[str, Any]) -> None:
    case = Case(world)
    told = {found.about for found in case.explanation.what_ifs}
    if case.decision.order == "chain":
        assert not told & {"weight", "good_enough", "strength", "price", "policy"}
    if case.decision.policy in ("best", "cheapest_good"):
        assert "weight" not in told
    if case.decision.policy != "cheapest_good":
        assert "good_enough" not in told


@given(worlds)
@slow
def test_the_contest_has_the_decisions_order(world: dict[str, Any]) -> None:
    case = Case(world)
    taken = case.classification.model_copy(update={"complexity": case.decision.complexity})
    _, candidacy, _ = candidacy_for(case.question, taken, case.configuration, case.circumstances)
    found = contest_of(candidacy, case.configuration).order()
    assert found == [candidate.provider for candidate in case.decision.candidates]


def test_each_kind_of_change_is_told_somewhere() -> None:
    providers = {
        "strong": provider_table(strengths={"analysis": 0.9, "code_task": 1.0}, price={"input": 5, "output": 25}),
        "cheap": provider_table(strengths={"analysis": 0.87}, price={"input": 1, "output": 5}),
        "slow": provider_table(latency={"p50_ms": 9000, "p95_ms": 9000}),
    }
    told = [_explained(configuration(providers, scoring={"policy": name})) for name in ("balanced", "cheapest_good")]
    about = {found.about for one in told for found in one}
    assert about == {"weight", "good_enough", "strength", "price", "limit", "policy", "type", "opening"}


def test_a_task_s_type_is_not_put_in_question() -> None:
    providers = {"a": provider_table(strengths={"analysis": 0.9}), "b": provider_table(strengths={"code_task": 0.9})}
    settled = configuration(providers, routes={"sum": {"chain": ["a", "b"], "query_type": "analysis"}})
    assert "type" in {found.about for found in _explained(settled)}
    assert "type" not in {found.about for found in _explained(settled, task="sum")}


def test_what_was_measured_counts_in_a_strength_that_would_be_needed() -> None:
    known = Circumstances(catalogue=catalogues.view(*_profiles(a=18, b=12)), now=catalogues.NOON)
    providers = {"a": provider_table(strengths={"analysis": 0.6}), "b": provider_table(strengths={"analysis": 0.9})}
    settled = configuration(providers, catalogue={"admission": "measured"})
    question = Question(prompt="hello")
    taken, kind = classified(question, settled)
    made = decide(question, taken, settled, known)
    told = explained(question, settled, made, kind, known).what_ifs
    strengths = [found for found in told if found.about == "strength"]
    assert strengths
    for found in strengths:
        asked, changed = applied(found.settings, question, settled)
        assert first(decide(asked, taken, changed, known)) == found.first
        assert found.first != first(made)


def _profiles(**passed: int) -> list[Profile]:
    return [
        catalogues.profile(name, figures=dict.fromkeys(QueryType, catalogues.figures(20, passed=right)))
        for name, right in passed.items()
    ]


def _explained(settled: Configuration, **fields: Any) -> tuple[WhatIf, ...]:
    question = Question(prompt="hello", **fields)
    taken, kind = classified(question, settled)
    made = decide(question, taken, settled)
    return explained(question, settled, made, kind, Circumstances()).what_ifs
