"""Texts of every size and script on their way from a command line to a provider and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from temporalio.worker import Replayer

from pointsman import Question
from pointsman.connection import DATA_CONVERTER
from pointsman.messages import MAX_QUESTION_BYTES
from tests.e2e.conftest import Site, run, sentence
from workers.embedded.scripted.script import Reply, Status
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import binary
from workers.wiring import SANDBOX
from workflows.route_and_answer import RouteAndAnswer

SCRIPTS = {
    "combining": "e\N{COMBINING ACUTE ACCENT} is not \N{LATIN SMALL LETTER E WITH ACUTE}",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u202e\u0645\u0631\u062d\u0628\u0627\u202c",
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f4\U000e0067\U000e0062\U000e007f \u2764\ufe0f",
    "beyond the basic plane": "\U00020000 \U0001d54f \U0010ffff",
    "spaces": "no-break\u00a0thin\u2009zero\u200bline\u2028paragraph\u2029next\u0085end",
    "quotes and markup": "\"quoted\" \\ [bold]not bold[/bold] {braces} <tag> 'x' $(true) `x` %s",
    "controls": "nul \x00 bell \x07 escape \x1b[31m delete \x7f tab \t return \r line\nend",
    "noncharacters": "\ufffe \uffff \ufdd0 \ufffd \ufeff",
}
LONE_SURROGATE = b"what is \xed\xa0\x80?"
NO_UTF8 = b"caf\xe9"


def _longest_prompt(wanted_bytes: int) -> str:
    """A prompt that makes a question of exactly so many bytes."""
    around = len(Question(prompt="x").model_dump_json()) - 1
    return "\N{LATIN SMALL LETTER E WITH ACUTE}" * ((wanted_bytes - around) // 2) + "x" * ((wanted_bytes - around) % 2)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_text_arrives_unchanged_at_the_provider_and_back(
    pointsman: Site, providers: ScriptedProviders, script: str
) -> None:
    text = SCRIPTS[script]
    providers.script("alpha", Reply(text=lambda request: request.prompt))
    ended = pointsman.cli("ask", "-", "--json", stdin=text)
    assert ended.returncode == 0, ended.stderr
    assert [hit.prompt for hit in providers.hits()] == [text]
    assert json.loads(ended.stdout)["text"] == text


def test_an_answer_is_printed_where_the_terminal_lacks_its_letters(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Reply(text="caf\N{LATIN SMALL LETTER E WITH ACUTE}"))
    ended = pointsman.cold_cli("ask", "Where to?", PYTHONIOENCODING="ascii")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("caf\\xe9\n")


def test_a_question_that_is_large_by_its_schema_is_answered(
    pointsman: Site, providers: ScriptedProviders, tmp_path: Path
) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"type": "object", "description": "x" * 1_400_000}), encoding="utf-8")
    providers.script("alpha", Reply(text='{"large": true}'))
    ended = pointsman.cli("ask", "How large?", "--schema", str(schema), "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["parsed"] == {"large": True}


def test_a_question_of_the_largest_size_falls_back_is_answered_and_replays(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Status(401))
    prompt = _longest_prompt(MAX_QUESTION_BYTES)
    assert len(Question(prompt=prompt).model_dump_json().encode()) == MAX_QUESTION_BYTES
    ended = pointsman.cli("ask", "-", "--id", "largest", "--json", stdin=prompt)
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert (answer["provider"], answer["route_reason"]) == ("beta", "fallback:config")
    assert [hit.prompt == prompt for hit in providers.hits()] == [True, True]

    async def replay() -> None:
        history = await pointsman.server.client.get_workflow_handle("largest").fetch_history()
        replayer = Replayer(workflows=[RouteAndAnswer], data_converter=DATA_CONVERTER, workflow_runner=SANDBOX)
        await replayer.replay_workflow(history)

    pointsman.wait_for(replay())


def test_a_question_above_the_largest_size_is_refused_before_anything_is_scheduled(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    ended = pointsman.cli("ask", "-", "--id", "too-large", stdin=_longest_prompt(MAX_QUESTION_BYTES + 1))
    assert ended.returncode == 2
    assert "1,500,001 bytes as JSON and at most 1,500,000 fit" in sentence(ended)
    assert pointsman.cli("status", "too-large").returncode == 2
    assert providers.hits() == []


@pytest.mark.parametrize("text", [NO_UTF8, LONE_SURROGATE], ids=["latin-1", "surrogate"])
@pytest.mark.parametrize("words", [("ask",), ("ask", "x", "--system"), ("ask", "x", "--id"), ("status",)], ids=" ".join)
def test_an_argument_that_is_no_unicode_is_refused(
    pointsman: Site, providers: ScriptedProviders, words: tuple[str, ...], text: bytes
) -> None:
    command = [binary("pointsman"), *words, text.decode(errors="surrogateescape")]
    ended = run(command, pointsman.environment())
    assert ended.returncode == 2
    assert "not valid Unicode" in sentence(ended)
    assert providers.hits() == []


@pytest.mark.parametrize("text", [NO_UTF8, LONE_SURROGATE], ids=["latin-1", "surrogate"])
def test_standard_input_that_is_no_utf8_is_refused(pointsman: Site, text: bytes) -> None:
    ended = pointsman.cli("ask", "-", stdin=text)
    assert ended.returncode == 2
    assert "not UTF-8" in sentence(ended)
