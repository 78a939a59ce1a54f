"""Commands that need no server, and the stack that brings its own."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.processes.conftest import KEY_VARIABLE, ROOT, Ended, environment, python, run, sentence, start
from workers.embedded.scripted.server import ScriptedProviders

NOWHERE = "127.0.0.1:9"


def _offline(*arguments: str, **env: str) -> Ended:
    return run(
        python("-m", "pointsman.cli", *arguments),
        environment({"POINTSMAN_CONFIG": "config/demo.toml", "TEMPORAL_ADDRESS": NOWHERE, KEY_VARIABLE: None, **env}),
    )


def test_check_prints_the_effective_configuration_without_a_server() -> None:
    words, document = _offline("check"), _offline("check", "--json")
    assert (words.returncode, document.returncode) == (0, 0)
    assert 'providers.small-openai.model = "openai/gpt-5-mini-2026-06-01"' in words.stdout.splitlines()
    assert "retry.initial_s = 0.5" in words.stdout.splitlines()
    assert json.loads(document.stdout)["retry"]["initial_s"] == 0.5


def test_route_shows_the_decision_without_a_server_or_a_call(providers: ScriptedProviders) -> None:
    ended = _offline("route", "Write a Python function that adds two numbers", "--json")
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert document.keys() >= {"query_type", "confidence", "complexity", "candidates", "rejected"}
    assert document["query_type"] == "code_task"
    assert all(candidate.keys() >= {"provider", "score", "terms"} for candidate in document["candidates"])
    assert all(rejection.keys() >= {"provider", "reason"} for rejection in document["rejected"])
    words = _offline("route", "Write a Python function that adds two numbers", COLUMNS="200")
    assert words.returncode == 0, words.stderr
    assert all(candidate["provider"] in words.stdout for candidate in document["candidates"])
    assert providers.hits() == []


def test_route_decides_a_file_line_by_line(tmp_path: Path) -> None:
    prompts = ["What is the capital of France?", "Write a Python function that adds two numbers"]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(f"{json.dumps({'prompt': prompt})}\n" for prompt in prompts), encoding="utf-8")
    ended = _offline("route", "--file", str(questions))
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    singly = [json.loads(_offline("route", prompt, "--json").stdout) for prompt in prompts]
    assert [json.loads(line) for line in ended.stdout.splitlines()] == singly


def test_route_names_the_line_that_is_wrong(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text("not JSON\n", encoding="utf-8")
    ended = _offline("route", "--file", str(questions))
    assert ended.returncode == 2
    assert sentence(ended).startswith("line 1: ")


def test_what_the_embedded_stack_was_asked_is_still_there_after_a_restart(tmp_path: Path) -> None:
    asked = ("ask", "What is the capital of France?", "--id", "kept", "--deny", "local-small")
    said: list[str] = []
    for number, arguments in enumerate((asked, ("answer", "kept"))):
        clean = environment({"PYTHONPATH": str(ROOT)})
        stack = start(["-m", "workers", "dev"], clean, tmp_path / f"dev-{number}.log", cwd=tmp_path)
        try:
            stack.until_said("  stop     Ctrl-C")
            address = stack.said().split("TEMPORAL_ADDRESS=")[1].split()[0]
            ended = run(python("-m", "pointsman.cli", *arguments), environment({"TEMPORAL_ADDRESS": address}))
            assert ended.returncode == 0, ended.stderr
            said.append(ended.stdout)
            assert stack.signal(signal.SIGINT) == 0
        finally:
            stack.end()
    assert said[0] == said[1]
    assert "Traceback" not in "".join(log.read_text(encoding="utf-8") for log in tmp_path.glob("dev-*.log"))
