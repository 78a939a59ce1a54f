"""What needs no server: checking a configuration, and seeing where questions would go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import CANARY, KEY_VARIABLE, Ended, environment, run, sentence, toml
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import binary

TERMS = {"strength", "reasoning_match", "fit", "cost_penalty", "latency_penalty"}


class Alone:
    """A configuration, and commands that know of no server."""

    def __init__(self, folder: Path, text: str) -> None:
        self.config = folder / "router.toml"
        self.config.write_text(text, encoding="utf-8")

    def change(self, old: str, new: str) -> None:
        text = self.config.read_text(encoding="utf-8")
        assert old in text
        self.config.write_text(text.replace(old, new, 1), encoding="utf-8")

    def cli(self, *arguments: str, **env: str | None) -> Ended:
        nowhere = {"TEMPORAL_ADDRESS": "127.0.0.1:1"}
        variables = {"POINTSMAN_CONFIG": str(self.config), KEY_VARIABLE: CANARY, **nowhere, **env}
        return run([binary("pointsman"), *arguments], environment(variables))


@pytest.fixture
def alone(tmp_path: Path, providers: ScriptedProviders) -> Alone:
    return Alone(tmp_path, toml(providers))


def test_check_prints_the_configuration_with_its_defaults_and_no_key(alone: Alone) -> None:
    ended = alone.cli("check")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert 'providers.alpha.model = "openai/gpt-5.2-2026-08-15"' in ended.stdout
    assert "providers.alpha.timeout_s = 25.0" in ended.stdout
    assert CANARY not in ended.stdout
    document = json.loads(alone.cli("check", "--json").stdout)
    assert document["routes"]["extract"]["max_attempts"] == 2


def test_check_takes_a_file_and_warns_on_standard_error(alone: Alone) -> None:
    alone.change("gpt-5.2-2026-08-15", "gpt-5.2")
    ended = alone.cli("check", "--config", str(alone.config), POINTSMAN_CONFIG=None)
    assert ended.returncode == 0
    assert ended.stderr.startswith("warning: providers.alpha.model: openai/gpt-5.2 is a moving alias")


def test_check_prints_every_fault_with_its_path(alone: Alone) -> None:
    alone.change("[routes.extract]\n", '[routes.alone]\nchain = ["alpha"]\n\n[routes.extract]\n')
    alone.change(
        '"delta"]\norder = "chain"\n\n[query_types.complex', '"omega"]\norder = "chain"\n\n[query_types.complex'
    )
    ended = alone.cli("check")
    assert (ended.returncode, ended.stdout) == (2, "")
    paths = {line.partition(":")[0] for line in ended.stderr.splitlines()}
    assert {"routes.alone.chain", "query_types.simple_factual.chain"} <= paths


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[retry]\n", "[retry]\ninitial = 1\n", "retry.initial: unknown key"),
        ("[retry]\n", "[retry\n", "not TOML"),
        ("[providers.beta]", "[providers.alpha]", "declared twice"),
        ("[routes.extract]\n", '[routes.x]\nchain = ["extract", "alpha"]\n\n[routes.extract]\n', "could form a cycle"),
    ],
)
def test_a_faulty_configuration_is_refused_in_a_sentence(alone: Alone, old: str, new: str, said: str) -> None:
    alone.change(old, new)
    for verb in (("check",), ("route", "x")):
        ended = alone.cli(*verb)
        assert ended.returncode == 2
        assert said in sentence(ended)


def test_no_configuration_and_a_missing_one_are_said_in_a_sentence(alone: Alone) -> None:
    assert "POINTSMAN_CONFIG is not set" in sentence(alone.cli("check", POINTSMAN_CONFIG=None))
    missing = alone.cli("check", "--config", "not-there.toml")
    assert missing.returncode == 2
    assert "not-there.toml: no such file" in sentence(missing)


def test_check_names_the_variable_of_a_key_that_is_not_set(alone: Alone) -> None:
    ended = alone.cli("check", **{KEY_VARIABLE: None})
    assert ended.returncode == 2
    assert all(f"providers.{name}.api_key_env" in ended.stderr for name in ("alpha", "beta", "gamma", "delta"))
    assert KEY_VARIABLE in ended.stderr


def test_route_shows_the_decision_and_calls_nobody(alone: Alone, providers: ScriptedProviders) -> None:
    ended = alone.cli("route", "Explain why the sky is blue", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    document = json.loads(ended.stdout)
    assert document.keys() >= {"query_type", "confidence", "complexity", "candidates", "rejected"}
    assert document["query_type"] == "complex_reasoning"
    assert [candidate["provider"] for candidate in document["candidates"]] == ["alpha", "beta", "gamma", "delta"]
    assert all(candidate.keys() >= {"provider", "score", "terms"} for candidate in document["candidates"])
    assert all(candidate["terms"].keys() >= TERMS for candidate in document["candidates"])
    in_words = alone.cli("route", "Explain why the sky is blue").stdout
    assert "chain query_types.complex_reasoning" in " ".join(in_words.split())
    assert providers.hits() == []


def test_route_gives_each_rejected_provider_a_reason(alone: Alone) -> None:
    alone.change('tier = "one"', 'tier = "one"\nenabled = false')
    document = json.loads(alone.cli("route", "x", "--task", "extract", "--json").stdout)
    (rejected,) = document["rejected"]
    assert rejected.keys() >= {"provider", "reason"}
    assert (rejected["provider"], rejected["reason"]) == ("alpha", "disabled")


def test_route_refuses_a_task_that_no_route_has(alone: Alone) -> None:
    ended = alone.cli("route", "x", "--task", "extrakt")
    assert ended.returncode == 2
    assert "extrakt" in sentence(ended)


def test_route_decides_a_file_line_by_line(alone: Alone, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    asked = [
        {"prompt": "What is 1 + 1?"},
        {"prompt": "Explain it\u2028in two paragraphs", "deny": ["alpha"]},
        {"prompt": "x", "task": "extract"},
    ]
    lines = [json.dumps(question, ensure_ascii=False) for question in asked]
    questions.write_text("\r\n\r\n".join(lines), encoding="utf-8")
    ended = alone.cli("route", "--file", str(questions))
    assert ended.returncode == 0, ended.stderr
    decided = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [line["query_type"] for line in decided] == ["simple_factual", "complex_reasoning", "analysis"]
    assert [line["candidates"][0]["provider"] for line in decided] == ["alpha", "beta", "alpha"]
    assert decided[1]["rejected"][0]["reason"] == "denied"


@pytest.mark.parametrize("line", ["not JSON", "[]", '{"prompt": ""}', '{"prompt": "x", "task": "extrakt"}'])
def test_route_names_the_line_that_it_cannot_decide(alone: Alone, tmp_path: Path, line: str) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(f'{{"prompt": "fine"}}\n{line}\n', encoding="utf-8")
    ended = alone.cli("route", "--file", str(questions))
    assert ended.returncode == 2
    assert ended.stderr.startswith("line 2: ")
    assert "Traceback" not in ended.stderr


def test_route_wants_a_prompt_or_a_file(alone: Alone, tmp_path: Path) -> None:
    for arguments in ((), ("x", "--file", str(tmp_path / "questions.jsonl"))):
        ended = alone.cli("route", *arguments)
        assert ended.returncode == 2
        assert "give a PROMPT or --file" in sentence(ended)
