"""Questions as JSON by the workflow's name, as any Temporal SDK can ask them: here with Temporal's own command line."""

from __future__ import annotations

import json

import pytest

from tests.e2e.conftest import Site
from workers.embedded.scripted.script import Reply
from workers.embedded.scripted.server import ScriptedProviders

BAD_QUESTIONS = {
    "empty prompt": ('{"prompt": " "}', "prompt is empty"),
    "nothing": ("{}", "prompt is missing"),
    "both": ('{"prompt": "x", "messages": [{"role": "user", "content": "x"}]}', "both given"),
    "misspelt field": ('{"prompt": "x", "dedline_s": 5}', "dedline_s: unknown key; did you mean deadline_s?"),
    "wrong type": ('{"prompt": 5}', "prompt: input should be a valid string"),
    "negative deadline": ('{"prompt": "x", "deadline_s": -1}', "deadline_s: input should be greater than 0"),
    "negative cost": ('{"prompt": "x", "max_cost_usd": -1}', "max_cost_usd: input should be greater than 0"),
    "no JSON Schema": ('{"prompt": "x", "response_schema": {"type": "poem"}}', "response_schema: not a JSON Schema"),
    "unknown task": ('{"prompt": "x", "task": "extrakt"}', "extrakt"),
    "unknown provider": ('{"prompt": "x", "allow": ["alhpa"]}', "alhpa"),
    "lone surrogate": ('{"prompt": "\\ud800"}', "not valid Unicode (a lone surrogate)"),
    "a tenant of 128 bytes": (json.dumps({"prompt": "x", "tenant": "\u00e9" * 64}), "tenant: is 128 bytes as UTF-8"),
    "a task of 3,000 bytes": (json.dumps({"prompt": "x", "task": "y" * 3000}), "task: is 3,000 bytes as UTF-8"),
    "a provider of 1.4 MB": (json.dumps({"prompt": "x", "allow": ["y" * 1_400_000]}), "at most 64 fit; shorten it"),
    "a field of 1.4 MB": (json.dumps({"prompt": "x", "y" * 1_400_000: 1}), "unknown key"),
    "many unknown providers": (json.dumps({"prompt": "x", "deny": [f"p{n}" for n in range(90_000)]}), "deny: p0, p1"),
    "no object": ("5", "input"),
    "null": ("null", "input"),
    "a list": ("[]", "input"),
    "too large": (json.dumps({"prompt": "x" * 100, "metadata": {"pad": "y" * 1_500_000}}), "at most 1,500,000 fit"),
}


def _start(site: Site, question_id: str, *inputs: str) -> None:
    start = ["workflow", "start", "--type", "RouteAndAnswer", "--task-queue", "pointsman"]
    # By file, since the operating system bounds an argument's length.
    paths = [site.folder / f"input-{number}.json" for number in range(len(inputs))]
    for path, text in zip(paths, inputs, strict=True):
        path.write_text(text, encoding="utf-8")
    given = [part for path in paths for part in ("--input-file", str(path))]
    started = site.temporal(*start, "--workflow-id", question_id, *given)
    assert started.returncode == 0, started.stderr


def _failure(site: Site, question_id: str) -> tuple[str, str]:
    """Type and message of the failure that ended the workflow; waits for its end."""
    ended = site.temporal("workflow", "result", "--workflow-id", question_id, "--output", "json")
    assert ended.returncode != 0
    failure = json.loads(ended.stdout)["closeEvent"]["workflowExecutionFailedEventAttributes"]["failure"]
    return failure["applicationFailureInfo"]["type"], failure["message"]


def test_a_question_as_json_is_answered(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(text="Paris"))
    _start(pointsman, "as-json", '{"prompt": "What is the capital of France?"}')
    ended = pointsman.temporal("workflow", "result", "--workflow-id", "as-json", "--output", "json")
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)["result"]
    assert (answer["text"], answer["provider"], answer["query_type"]) == ("Paris", "alpha", "simple_factual")
    assert [attempt["outcome"] for attempt in answer["attempts"]] == ["answered"]
    assert pointsman.cli("answer", "as-json").stdout.startswith("Paris\n")


@pytest.mark.parametrize("case", BAD_QUESTIONS)
def test_a_bad_question_fails_its_workflow_with_a_sentence(
    pointsman: Site, providers: ScriptedProviders, case: str
) -> None:
    text, sentence = BAD_QUESTIONS[case]
    question_id = f"bad {case}"
    _start(pointsman, question_id, text)
    kind, message = _failure(pointsman, question_id)
    assert kind == "InvalidQuestion"
    assert sentence in message
    assert "\n" not in message
    assert len(message) < 2000
    assert providers.hits() == []


@pytest.mark.parametrize("inputs", [(), ('{"prompt": "a"}', '{"prompt": "b"}')], ids=["none", "two"])
def test_a_workflow_started_with_no_question_or_two_ends(
    pointsman: Site, providers: ScriptedProviders, inputs: tuple[str, ...]
) -> None:
    question_id = f"{len(inputs)} inputs"
    _start(pointsman, question_id, *inputs)
    kind, message = _failure(pointsman, question_id)
    assert kind
    assert message
    assert providers.hits() == []


def test_a_bad_question_that_another_sdk_asked_is_a_sentence_for_the_command_line_too(pointsman: Site) -> None:
    _start(pointsman, "bad-elsewhere", '{"prompt": ""}')
    ended = pointsman.cli("answer", "bad-elsewhere")
    assert ended.returncode == 2
    assert ended.stderr.strip() == "prompt is empty; give the question's text"
