"""Providers as declared."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from pointsman.catalogue.served import matches
from pointsman.provider import task_queue
from pointsman.query_types import QueryType
from tests.builders import provider


@pytest.mark.parametrize(
    "model",
    [
        "openai/gpt-5.2-2026-08-15",
        "anthropic/claude-sonnet-5-20260801",
        "azure/gpt-4-0613",
        "gemini/gemini-2.5-flash-001",
        "gemini/gemini-2.5-pro-preview-05-20",
        "bedrock/anthropic.claude-v1.2.3",
        "ollama_chat/llama3@sha256:0123456789ab",
        "simulated/anything",
    ],
)
def test_a_model_string_with_a_date_version_or_digest_is_pinned(model: str) -> None:
    assert not provider(model=model).moving_alias


@pytest.mark.parametrize("model", ["openai/gpt-5.2", "anthropic/claude-latest", "ollama/llama3:8b", "openai/o3-mini"])
def test_a_model_string_without_one_is_a_moving_alias_unless_pinned_by_word(model: str) -> None:
    assert provider(model=model).moving_alias
    assert not provider(model=model, pinned=True).moving_alias


def test_the_vendor_is_declared_or_the_first_part_of_the_model() -> None:
    assert provider(model="openai/openai/x-20260101").vendor_name == "openai"
    assert provider(model="openai/x-20260101", vendor="local").vendor_name == "local"


def test_a_strength_that_is_not_declared_is_one_half() -> None:
    declared = provider(strengths={"analysis": 0.9})
    assert declared.strength(QueryType.ANALYSIS) == 0.9
    assert declared.strength(QueryType.CODE_TASK) == 0.5


def test_only_the_simulation_is_simulated() -> None:
    assert provider(model="simulated/x").simulated
    assert not provider(model="openai/simulated").simulated


def test_the_task_queue_is_named_after_the_provider() -> None:
    assert task_queue("frontier-a") == "pointsman-provider-frontier-a"


@pytest.mark.parametrize("pasted", ["sk-test-CANARY", "sk ant", "1KEY", ""])
def test_a_key_in_place_of_its_variable_is_refused_without_being_shown(pasted: str) -> None:
    with pytest.raises(ValidationError) as refused:
        provider(api_key_env=pasted)
    (detail,) = refused.value.errors()
    assert detail["msg"].endswith("not the name of an environment variable; give the variable's name, not the key")


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        ("openai/gpt-5-mini-2026-06-01", "gpt-5", False),
        ("openai/gpt-5-mini-2026-06-01", "gpt-5-mini", False),
        ("openai/gpt-5-mini-2026-06-01", "", False),
        ("openai/gpt-5-mini-2026-06-01", "gpt-5-mini-2026-06-01", True),
        ("openai/gpt-5-mini-2026-06-01", "openai/gpt-5-mini-2026-06-01-eu", True),
        ("bedrock/anthropic.claude-sonnet-5-20260801-v1:0", "claude-sonnet-5-20260801", True),
        ("azure/gpt-4-0613-preview", "gpt-4-0613", True),
    ],
)
def test_a_part_of_a_pinned_name_is_the_model_only_if_it_names_a_version_itself(
    asked: str, served: str, *, same: bool
) -> None:
    assert matches(asked, served) is same
