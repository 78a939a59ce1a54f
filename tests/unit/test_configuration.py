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
from tests.builders import configuration, document, provider_table

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
    ],
)
def test_a_fault_is_one_sentence_with_its_path(path: str, value: Any, sentence: str | None) -> None:
    found = _faults(_with(path, value))
    if sentence is not None:
        assert any(line.startswith(sentence) for line in found), found


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
