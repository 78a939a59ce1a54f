"""`pointsman explain` on the real thing: from the server's history alone, whatever became of the question."""

from __future__ import annotations

import json

from tests.e2e.conftest import PATIENCE_S, Site, sentence
from workers.embedded.scripted.script import Hang, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders


def test_an_answered_question_is_explained(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Status(500))
    providers.script("beta", Reply("4"))
    assert pointsman.cli("ask", "What is 2 + 2?", "--id", "explained").returncode == 0

    told = pointsman.cli("explain", "explained")
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("explained: answered by beta in ")
    for part in ("What is 2 + 2?", "1. alpha (openai/", "alpha has failed: ", "[http_500]", "What it cost: $0.0000"):
        assert part in told.stdout, part

    as_json = json.loads(pointsman.cli("explain", "explained", "--json").stdout)
    assert (as_json["status"], as_json["decision"]["candidates"][0]["provider"]) == ("answered", "alpha")
    assert [row["provider"] for row in as_json["attempts"]][-1] == "beta"
    assert as_json["steps"][0]["text"].startswith("classified as ")


def test_a_question_is_explained_while_it_runs_and_after_it_was_cancelled(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Hang())
    pointsman.cli("ask", "What is 2 + 2?", "--id", "explained-hanging", "--no-wait")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    told = pointsman.cli("explain", "explained-hanging")
    assert told.stdout.startswith("explained-hanging: under way, ")
    assert "\n  waits for alpha, asked " in told.stdout

    pointsman.cli("cancel", "explained-hanging")
    pointsman.cli("answer", "explained-hanging")
    told = pointsman.cli("explain", "explained-hanging")
    assert told.stdout.startswith("explained-hanging: cancelled after ")
    assert "somebody asks for it to be cancelled" in told.stdout


def test_what_is_no_question_is_refused_in_a_sentence(pointsman: Site) -> None:
    unknown = pointsman.cli("explain", "no-such-question")
    assert (unknown.returncode, "no question has the id 'no-such-question'" in sentence(unknown)) == (2, True)
    entity = pointsman.cli("explain", "provider-health")
    assert (entity.returncode, sentence(entity)) == (
        2,
        "the workflow 'provider-health' is no question but a ProviderHealth",
    )


def test_without_a_server_there_is_a_sentence(pointsman: Site) -> None:
    away = pointsman.cli("explain", "explained", TEMPORAL_ADDRESS="127.0.0.1:9")
    assert (away.returncode, "127.0.0.1:9" in sentence(away)) == (3, True)
