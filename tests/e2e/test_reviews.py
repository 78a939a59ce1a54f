"""A person decides: from the command line, and with nothing but the signal form of Temporal's own tools."""

from __future__ import annotations

import json
import re
import signal

import pytest

from pointsman.cli.exits import Exit
from tests.e2e.conftest import Ended, Site, sentence
from workers.embedded.scripted.script import Reply
from workers.embedded.scripted.server import ScriptedProviders

FIVE, SIX = "They are five.\nThe answer is 5.", "They are six.\nThe answer is 6."


@pytest.fixture(autouse=True)
def _differing(providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(FIVE))
    providers.script("beta", Reply(SIX))


def _ask(site: Site, question_id: str, *options: str) -> Ended:
    return site.cli("ask", "How many apples are left?", "--stakes", "high", "--id", question_id, *options)


def _answer(site: Site, question_id: str, *options: str) -> dict[str, object]:
    ended = site.cli("answer", question_id, "--json", *options)
    assert ended.returncode == Exit.DONE, ended.stderr
    answer: dict[str, object] = json.loads(ended.stdout)
    return answer


def test_a_question_on_which_two_differ_is_listed_shown_and_decided(pointsman: Site) -> None:
    asked = _ask(pointsman, "review-cli")
    assert asked.returncode == Exit.AWAITING_REVIEW
    told = sentence(asked)
    assert "pointsman reviews show review-cli" in told
    assert json.loads(pointsman.cli("status", "review-cli", "--json").stdout)["status"] == "awaiting_review"

    assert "review-cli" in pointsman.listed("PointsmanStatus = 'awaiting_review'")
    listed = pointsman.cli("reviews", "list")
    assert re.search(r"^\d+ min \d+ s +review-cli +- +How many apples are left\?", listed.stdout, re.MULTILINE)

    shown = pointsman.cli("reviews", "show", "review-cli").stdout
    assert max(map(len, shown.splitlines())) <= 100
    assert "≠ The answer is 5." in shown
    assert "≠ The answer is 6." in shown
    assert "the numbers differ" in shown

    decided = pointsman.cli("reviews", "decide", "review-cli", "--choose", "beta", "--reviewer", "ada")
    assert (decided.returncode, decided.stdout) == (Exit.DONE, "decided: review-cli\n")
    answer = _answer(pointsman, "review-cli")
    assert (answer["status"], answer["text"], answer["route_reason"]) == ("reviewed", SIX, "review")
    again = pointsman.cli("reviews", "decide", "review-cli", "--reject")
    assert again.returncode == Exit.BAD_INPUT
    assert "does not wait for a review" in sentence(again)


def test_the_details_in_the_ui_hold_the_signal_that_decides(pointsman: Site) -> None:
    assert _ask(pointsman, "review-ui").returncode == Exit.AWAITING_REVIEW
    described = json.loads(pointsman.temporal("workflow", "metadata", "-w", "review-ui", "--output", "json").stdout)
    (found,) = described["queryResult"]
    details = found["currentDetails"]
    (offered,) = re.findall(r'^    (\{"choose".*\})$', details, re.MULTILINE)
    assert "The answer is 5." in details
    sent = pointsman.temporal("workflow", "signal", "-w", "review-ui", "--name", "submit_review", "--input", offered)
    assert sent.returncode == 0, sent.stderr
    answer = _answer(pointsman, "review-ui")
    assert (answer["text"], answer["provider"]) == (FIVE, "alpha")


def test_a_review_outlives_every_worker(unattended: Site) -> None:
    first = unattended.start_worker()
    assert _ask(unattended, "review-restart").returncode == Exit.AWAITING_REVIEW
    first.signal(signal.SIGKILL)
    # Sent while nobody is there to take it: a signal is the server's to keep.
    decision = '{"choose": "beta", "reviewer": "ada"}'
    sent = unattended.temporal(
        *("workflow", "signal", "-w", "review-restart", "--name", "submit_review", "--input", decision)
    )
    assert sent.returncode == 0, sent.stderr
    second = unattended.start_worker()
    assert _answer(unattended, "review-restart", "--wait-review")["text"] == SIX
    second.signal(signal.SIGTERM)


def test_a_choice_that_nobody_gave_and_a_decision_that_is_none_are_refused_in_a_sentence(pointsman: Site) -> None:
    assert _ask(pointsman, "review-wrong").returncode == Exit.AWAITING_REVIEW
    unknown = pointsman.cli("reviews", "decide", "review-wrong", "--choose", "gamma")
    assert unknown.returncode == Exit.BAD_INPUT
    assert sentence(unknown) == "review-wrong: choose: 'gamma' gave no answer; choose alpha or beta"
    nothing = pointsman.cli("reviews", "decide", "review-wrong")
    assert nothing.returncode == Exit.BAD_INPUT
    assert "--choose" in nothing.stderr
    rejected = pointsman.cli("reviews", "decide", "review-wrong", "--reject", "--reviewer", "ada", "--note", "neither")
    assert rejected.returncode == Exit.DONE
    failed = pointsman.cli("answer", "review-wrong")
    assert failed.returncode == Exit.FAILED
    assert "ReviewRejected: The answers were rejected by ada" in sentence(failed)


def test_an_unknown_question_and_one_that_waits_for_nobody_are_said_in_a_sentence(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("beta", Reply(FIVE))
    assert _ask(pointsman, "review-agreed").returncode == Exit.DONE
    agreed = pointsman.cli("reviews", "show", "review-agreed")
    assert (agreed.returncode, "it has ended (answered)" in sentence(agreed)) == (Exit.BAD_INPUT, True)
    unknown = pointsman.cli("reviews", "show", "never-asked")
    assert (unknown.returncode, "no question has the id" in sentence(unknown)) == (Exit.BAD_INPUT, True)


def test_a_question_of_the_largest_kind_goes_to_three_providers_at_once(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    """The three calls together do not fit into one workflow task: DESIGN ruling 9."""
    for name in ("alpha", "beta", "gamma"):
        providers.script(name, Reply(FIVE))
    large = "x " * 700_000
    ended = pointsman.cli("ask", "-", "--task", "verify", "--id", "large-panel", "--json", stdin=f"How many? {large}")
    assert ended.returncode == Exit.DONE, ended.stderr
    answer = json.loads(ended.stdout)
    assert sorted(answer["divergence"]["votes"][0]) == ["alpha", "beta", "gamma"]
