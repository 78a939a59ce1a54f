"""Faults of a configuration, each with its path."""

from __future__ import annotations

import copy
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pointsman.checks import faults, missing_keys, warnings
from pointsman.config_file import from_environment, load
from pointsman.configuration import Configuration
from pointsman.sentences import ConfigurationError, sentences
from tests.builders import QUERY_TYPES, configuration, document, provider_table

TODAY = date(2026, 11, 30)


def _faults(changed: dict[str, Any]) -> list[str]:
    try:
        return faults(Configuration.model_validate(changed))
    except ValidationError as fault:
        return sentences(fault, Configuration)


def _with(path: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document())
    inner = changed
    *steps, last = path.split(".")
    for step in steps:
        inner = inner.setdefault(step, {})
    inner[last] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("providers.alpha.timeoutt", 5, "providers.alpha.timeoutt: unknown key; did you mean timeout_s?"),
        ("scorin", {}, "scorin: unknown key; did you mean scoring?"),
        ("scoring.weights.costs", 1, "scoring.weights.costs: unknown key; did you mean cost?"),
        ("query_types.code_task.chain", ["alpha"], "query_types.code_task.chain: has fewer than two members"),
        (
            "query_types.code_task.chain",
            ["alpha", "beta", "alpha"],
            "query_types.code_task.chain: alpha stands twice, which makes the chain a cycle",
        ),
        (
            "query_types.code_task.chain",
            ["alpha", "nobody"],
            "query_types.code_task.chain: nobody is no provider; known: alpha, beta",
        ),
        (
            "routes.a",
            {"chain": ["alpha", "a"]},
            "routes.a.chain: a is no provider; it is a route, and a chain that names routes could form a cycle",
        ),
        ("providers.alpha.declared_at", None, "providers.alpha.declared_at: missing"),
        (
            "providers.alpha.reasoning_depth",
            7,
            "providers.alpha.reasoning_depth: input should be less than or equal to 5",
        ),
        ("providers.alpha.strengths", {"poetry": 1}, "providers.alpha.strengths.poetry"),
        ("providers.ALPHA", provider_table(), "providers.ALPHA: differs from providers.alpha only by case"),
        (
            "providers.alpha.fail_after",
            3,
            "providers.alpha: degrade_after and fail_after rehearse simulated providers only",
        ),
        ("classification", {"by": "llm", "provider": "x"}, "classification.provider: 'x' is no provider"),
        ("schemas", {}, None),
        ("providers.alpha.api_base", "ftp://host/v1", "providers.alpha.api_base: no http or https address; give one"),
        ("providers.alpha.api_base", "https://", "providers.alpha.api_base: no http or https address"),
        ("providers.alpha.api_base", "host/v1", "providers.alpha.api_base: no http or https address"),
        ("providers.alpha.api_base", "http://host:99999/v1", "providers.alpha.api_base: no http or https address"),
        ("providers.alpha.api_base", "http://h ost/v1", "providers.alpha.api_base: no http or https address"),
        ("providers.alpha.model", "openai/" + "x" * 300, "providers.alpha.model: longer than the 300 bytes"),
        ("providers.alpha.extra", {"model": "openai/x"}, "providers.alpha.extra.model: each request sets it itself"),
        ("providers.alpha.extra", {"api_key": "sk"}, "providers.alpha.extra.api_key: each request sets it itself"),
        ("providers.alpha.extra", {"stream": True}, "providers.alpha.extra.stream: each request sets it itself"),
        (
            "providers.alpha.extra",
            {"extra_body": {"messages": []}},
            "providers.alpha.extra.extra_body.messages: each request sets it itself; remove it",
        ),
        ("providers.alpha.extra_headers", {"a b": "c"}, "providers.alpha.extra_headers.a b: no name of an HTTP header"),
        (
            "providers.alpha.extra_headers",
            {"a": "c\n"},
            "providers.alpha.extra_headers.a: holds what no HTTP",
        ),
        ("routes." + "x" * 256, {"chain": ["alpha", "beta"]}, "routes." + "x" * 255 + ": a task's name has 1 to 255"),
    ],
)
def test_a_fault_is_one_sentence_with_its_path(path: str, value: Any, sentence: str | None) -> None:
    found = _faults(_with(path, value))
    if sentence is not None:
        assert any(line.startswith(sentence) for line in found), found


@pytest.mark.parametrize("address", ["http://127.0.0.1:8000", "https://user:pass@host/v1", "embedded://scripted/x/v1"])
def test_an_address_of_a_provider_is_http_or_embedded(address: str) -> None:
    assert _faults(_with("providers.alpha.api_base", address)) == []


@pytest.mark.parametrize(
    "name",
    [
        *("model", "custom_llm_provider", "messages", "api_key", "api_base", "base_url", "extra_headers", "headers"),
        *("max_tokens", "response_format", "timeout", "max_retries", "num_retries", "logger_fn", "stream", "n"),
        *("mock_response", "fallbacks", "cache"),
    ],
)
def test_what_each_request_sets_itself_cannot_be_added(name: str) -> None:
    (told,) = _faults(_with("providers.alpha.extra", {name: 1}))
    assert told.startswith(f"providers.alpha.extra.{name}: each request sets it itself; remove it")


def test_arguments_that_no_request_sets_itself_may_be_added() -> None:
    extra = {"api_version": "2026-01-01", "num_ctx": 8192, "extra_body": {"provider": {}}, "reasoning_effort": "low"}
    assert _faults(_with("providers.alpha.extra", extra)) == []


@pytest.mark.parametrize("key", ["sk-1\n", "sk\x00", "\N{LATIN SMALL LETTER E WITH ACUTE}", " sk", "sk ", "\t"])
def test_a_key_that_no_header_can_hold_is_refused_without_its_value(key: str) -> None:
    (told,) = missing_keys(configuration({"alpha": provider_table(api_key_env="KEY")}), {"KEY": key})
    assert told.startswith("providers.alpha.api_key_env: the environment variable KEY holds what no HTTP header can")
    assert key not in told or key.isspace()
    assert missing_keys(configuration({"alpha": provider_table(api_key_env="KEY")}), {"KEY": "sk-1 a"}) == []


def test_a_sound_configuration_has_no_faults() -> None:
    assert _faults(document()) == []


def test_a_member_to_which_an_outsider_is_preferable_is_refused() -> None:
    outsider = provider_table(strengths={"analysis": 0.9})
    changed = document({"alpha": provider_table(), "beta": provider_table(), "gamma": outsider})
    for route in changed["query_types"].values():
        route["chain"] = ["alpha", "beta"]
    assert any("query_types.analysis.chain: gamma, which is not in the chain" in line for line in _faults(changed))
    changed["providers"]["gamma"] = {**outsider, "enabled": False}
    assert _faults(changed) == []


def test_a_member_without_the_routes_schema_ability_is_refused() -> None:
    changed = _with("routes.extract", {"chain": ["alpha", "beta"], "response_schema": "x.json"})
    changed["providers"]["beta"]["supports"] = []
    assert any("routes.extract.chain: beta does not support" in line for line in _faults(changed))


def test_f25_an_unpriced_member_under_a_cost_limit_is_refused() -> None:
    changed = _with("scoring.max_cost_per_1k", 0.05)
    changed["providers"]["beta"]["price"] = None
    assert any("beta has no price, so scoring.max_cost_per_1k cannot hold" in line for line in _faults(changed))


def test_f23_a_misspelt_file_is_refused_with_every_fault(tmp_path: Path) -> None:
    path = tmp_path / "router.toml"
    path.write_text('[providers.a]\nmodel = "openai/x"\ntimeoutt = 5\n')
    with pytest.raises(ConfigurationError) as refused:
        load(path)
    assert "providers.a.timeoutt: unknown key; did you mean timeout_s?" in refused.value.faults
    assert "providers.a.tier: missing; it is required" in refused.value.faults


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[providers.a]\n[providers.a]\n", "declared twice"),
        ("= 3", "not TOML"),
    ],
)
def test_a_file_that_is_no_table_of_unique_names_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "router.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=sentence):
        load(path)


def test_a_missing_file_and_a_missing_variable_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        load(tmp_path / "nowhere.toml")
    with pytest.raises(ConfigurationError, match="POINTSMAN_CONFIG is not set"):
        from_environment({})


def test_a_missing_key_names_its_variable_for_enabled_providers_only() -> None:
    settings = configuration(
        {
            "alpha": provider_table(api_key_env="ALPHA_KEY"),
            "beta": provider_table(api_key_env="BETA_KEY", enabled=False),
        }
    )
    assert missing_keys(settings, {}) == [
        "providers.alpha.api_key_env: the environment variable ALPHA_KEY is not set; set it, or set enabled = false"
    ]
    assert missing_keys(settings, {"ALPHA_KEY": "secret"}) == []


@pytest.mark.parametrize(
    ("model", "moving"),
    [
        ("openai/gpt-5.2-2026-08-15", False),
        ("anthropic/claude-sonnet-5-20260801", False),
        ("gemini/gemini-2.5-flash-001", False),
        ("ollama_chat/llama3@sha256:0123456789ab", False),
        ("openai/gpt-5.2", True),
        ("anthropic/claude-sonnet-latest", True),
        ("simulated/provider-a", False),
    ],
)
def test_a_model_without_a_date_or_version_is_warned_about(model: str, moving: bool) -> None:  # noqa: FBT001
    settings = configuration({"alpha": provider_table(model=model), "beta": provider_table()})
    assert any("moving alias" in line for line in warnings(settings, TODAY)) is moving


def test_figures_older_than_75_days_are_warned_about() -> None:
    old = provider_table(declared_at="2026-09-10")
    settings = configuration({"alpha": old, "beta": provider_table()})
    assert any(line.startswith("providers.alpha.declared_at: 81 days old") for line in warnings(settings, TODAY))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["providers", "routes", "chain", "a", "model", "query_types"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_any_document_is_taken_or_refused_in_sentences(table: Any) -> None:
    found = _faults(table if isinstance(table, dict) else {"providers": table})
    assert all(found)


@pytest.mark.parametrize(
    "chain", [["alpha", "beta", "alpha"], ["alpha", "alpha"], ["routes", "alpha"], ["other", "alpha"]]
)
def test_f10_a_chain_can_hold_no_cycle(chain: list[str]) -> None:
    changed = _with("routes.extract", {"chain": chain})
    changed["routes"]["other"] = {"chain": ["alpha", "extract"]}
    assert any(line.startswith("routes.extract.chain: ") for line in _faults(changed))


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("query_types.analysis", None, "query_types.analysis"),
        ("providers.alpha.latency", {"p50_ms": 9, "p95_ms": 3}, "providers.alpha.latency: p95_ms is below p50_ms"),
        ("providers.alpha.model", "gpt-5", "providers.alpha.model: string should match pattern"),
        ("providers.alpha.price", {"input": -1, "output": 1}, "providers.alpha.price.input: input should be greater"),
        ("providers.alpha.timeout_s", 0, "providers.alpha.timeout_s: input should be greater than 0 (it is 0)"),
        ("providers.alpha.supports", ["telepathy"], "providers.alpha.supports.0: input should be 'json_schema'"),
        ("providers.a b", provider_table(), "providers.a b: string should match pattern"),
        ("query_types.poetry", {"chain": ["alpha", "beta"]}, "query_types.poetry: input should be 'simple_factual'"),
        ("routes.extract", {}, "routes.extract.chain: missing; it is required"),
        ("routes.extract", {"chain": []}, "routes.extract.chain: has fewer than two members"),
        ("scoring.weights.strength", -1, "scoring.weights.strength: input should be greater than or equal to 0"),
        ("scoring.weights.cost", float("nan"), "scoring.weights.cost: input should be a finite number"),
        ("scoring.weights", {"strength": 0}, "scoring.weights.strength: 0 leaves out how good an answer is; give"),
        ("scoring.weights", {"cost": 0.8}, "scoring.weights: cost and latency weigh 1 together, which no quality"),
        (
            "scoring",
            {"policy": "best", "weights": {"cost": 0.1}},
            'scoring.weights.cost: the policy "best" does not weigh it; remove it',
        ),
        ("scoring.policy", "cheapest", "scoring.policy: input should be 'source', 'balanced', 'cheapest_good' or"),
        ("scoring.good_enough", 0.2, "scoring.good_enough: input should be greater than or equal to 0.5"),
        ("classification", {"by": "llm"}, 'classification.provider: missing; by = "llm" asks it; known: alpha, beta'),
        ("retry.max_attempts_per_request", 0, "retry.max_attempts_per_request: input should be greater than or equal"),
    ],
)
def test_a_value_out_of_its_range_is_told_with_its_path(path: str, value: Any, sentence: str) -> None:
    found = _faults(_with(path, value))
    assert any(line.startswith(sentence) for line in found), found


def test_a_query_type_without_a_chain_is_missing() -> None:
    changed = document()
    del changed["query_types"]["analysis"]
    assert _faults(changed) == [
        "query_types.analysis: missing; a question without a task needs a chain for its query type"
    ]


def test_a_classifier_that_gives_no_json_is_refused() -> None:
    changed = _with("classification", {"by": "llm", "provider": "beta"})
    changed["providers"]["beta"]["supports"] = []
    assert _faults(changed) == ['classification.provider: beta does not support "json_schema"; name one that does']


def test_a_key_pasted_in_place_of_its_variable_is_not_shown() -> None:
    found = _faults(_with("providers.alpha.api_key_env", "sk-test-CANARY"))
    assert found == [
        "providers.alpha.api_key_env: not the name of an environment variable; give the variable's name, not the key"
    ]


def test_an_outsider_without_the_members_abilities_or_stronger_at_a_price_is_not_preferable() -> None:
    unable = provider_table(strengths={"analysis": 0.9}, supports=[])
    dear = provider_table(strengths={"analysis": 0.9}, price={"input": 2.0, "output": 10.0})
    unpriced = provider_table(strengths={"analysis": 0.9}, price=None)
    equal = provider_table()
    for outsider in (unable, dear, unpriced, equal):
        changed = document({"alpha": provider_table(), "beta": provider_table(), "gamma": outsider})
        for route in changed["query_types"].values():
            route["chain"] = ["alpha", "beta"]
        assert _faults(changed) == []


def test_a_preferable_member_behind_another_is_warned_about_where_the_chain_is_taken_as_written() -> None:
    listed = {"alpha": provider_table(), "beta": provider_table(strengths={"analysis": 0.9})}
    for order, expected in (
        ("chain", ["routes.r.chain: beta is preferable to alpha and yet stands behind it"]),
        ("score", []),
    ):
        route = {"chain": ["alpha", "beta"], "order": order, "require_eval": False}
        settings = configuration(listed, routes={"r": route})
        assert warnings(settings, TODAY) == expected


def test_what_has_no_effect_and_what_has_no_price_is_warned_about() -> None:
    listed = {"alpha": provider_table(), "beta": provider_table(price=None, tier="two")}
    route = {"chain": ["alpha", "beta"], "hedge": True, "stakes": "high", "require_eval": False}
    settings = configuration(listed, routes={"r": route})
    assert warnings(settings, TODAY) == [
        "providers.beta.price: missing; its costs are unknown, and questions with max_cost_usd pass it by",
        "routes.r.stakes: no two enabled members of its chain share a tier, so nothing is compared",
    ]


@pytest.mark.parametrize(("declared", "warned"), [("2026-09-17", False), ("2026-09-16", True)])
def test_figures_are_warned_about_from_their_75th_day(declared: str, warned: bool) -> None:  # noqa: FBT001
    settings = configuration({"alpha": provider_table(declared_at=declared), "beta": provider_table()})
    assert bool(warnings(settings, TODAY)) is warned


def test_a_task_without_a_suite_is_warned_about_unless_its_route_says_that_none_is_wanted() -> None:
    chain = ["alpha", "beta"]
    settings = configuration(routes={"r": {"chain": chain}, "s": {"chain": chain, "require_eval": False}})
    assert warnings(settings, TODAY) == [
        "routes.r: no evaluation suite is enforced, so that answers are tagged unvalidated",
    ]


def test_a_chain_with_one_enabled_member_is_warned_about() -> None:
    settings = configuration({"alpha": provider_table(), "beta": provider_table(enabled=False)})
    assert warnings(settings, TODAY) == [
        f"query_types.{kind}.chain: fewer than two of its members are enabled, so nothing is left to fall back on"
        for kind in QUERY_TYPES
    ]


def test_simulated_and_embedded_providers_need_no_date() -> None:
    listed = {
        "alpha": provider_table(model="simulated/a", declared_at=None),
        "beta": provider_table(api_base="embedded://scripted/b/v1", declared_at=None),
    }
    assert _faults(document(listed)) == []


@pytest.mark.parametrize("address", ["http://[::1", "http://x:99999/", "ftp://host/", "hooks.example.com"])
def test_a_webhook_that_is_no_address_is_refused(address: str) -> None:
    settings = configuration(review={"webhook": address})
    assert faults(settings) == ["review.webhook: no http or https address; give one such as https://host/path"]


@pytest.mark.parametrize(("stakes", "refused"), [("normal", True), ("high", False)])
def test_a_panel_keeps_a_vendor_that_a_slightly_better_model_would_cost_it(stakes: str, refused: bool) -> None:  # noqa: FBT001
    listed = {
        "a": provider_table(vendor="va"),
        "b": provider_table(vendor="vb"),
        "a2": provider_table(vendor="va", strengths={"analysis": 0.9}),
    }
    everyone = {"chain": list(listed)}
    settings = configuration(
        listed,
        routes={"verify": {"chain": ["a", "b"], "stakes": stakes}},
        query_types=dict.fromkeys(QUERY_TYPES, everyone),
    )
    told = [fault for fault in faults(settings) if "in place of b" in fault]
    assert bool(told) is refused
