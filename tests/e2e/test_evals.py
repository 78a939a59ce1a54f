"""Suites and profiles from the command line, with scripted providers on real sockets."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pointsman.cli.exits import Exit
from tests.e2e.conftest import UNMOVED, Site, new_site, sentence
from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import Behaviour, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

CASES = 20
WRONG = ("sum-02", "sum-05", "sum-07", "sum-11", "sum-13", "sum-17", "sum-19")
SUMS = '\n[routes.sums]\nchain = ["alpha", "beta", "gamma", "delta"]\norder = "chain"\n'
JUDGED = '\n[routes.judges]\nchain = ["alpha", "beta"]\norder = "chain"\n'


def _suites(folder: Path) -> None:
    sums = folder / "evals" / "sums"
    sums.mkdir(parents=True)
    (sums / "suite.toml").write_text(
        'description = "sums of two"\nthreshold = 0.9\nsystem = "Reckon."\nchecks = [{ check = "number" }]\n'
    )
    lines = (
        json.dumps({"id": f"sum-{number:02}", "prompt": f"What is 100 + {number}?", "expected": 100 + number})
        for number in range(1, CASES + 1)
    )
    (sums / "cases.jsonl").write_text("\n".join(lines))


def _sum(request: Request, *, wrong: tuple[str, ...] = ()) -> Behaviour:
    (number,) = re.findall(r"What is 100 \+ (\d+)\?", json.dumps(request.body))
    return Reply("The answer is 1." if f"sum-{int(number):02}" in wrong else f"It comes to {100 + int(number)}.")


def _errs_in_seven(request: Request) -> Behaviour:
    return _sum(request, wrong=WRONG)


@pytest.fixture(scope="module")
def site(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("evals")
    _suites(folder)
    with new_site(loop, providers, folder, f"{UNMOVED}{SUMS}{JUDGED}") as running:
        text = running.config.read_text(encoding="utf-8")
        running.config.write_text(text.replace("[catalogue]\n", '[catalogue]\nevals = "evals"\n'), encoding="utf-8")
        running.start_worker()
        yield running


def test_a_provider_that_errs_in_seven_cases_is_caught_in_exactly_those(
    site: Site, providers: ScriptedProviders, tmp_path: Path
) -> None:
    providers.script("alpha", _errs_in_seven)
    out = tmp_path / "alpha.json"
    ended = site.cli("eval", "run", "--task", "sums", "--provider", "alpha", "--out", str(out))
    assert ended.returncode == Exit.FAILED, ended.stderr
    table, _, cases = ended.stdout.partition("alpha  sum-")
    row = next(line for line in table.splitlines() if line.startswith("alpha"))
    assert re.search(r"13/20 +65 % +43 % to 82 % +0 ", row), row
    assert row.rstrip().endswith("failed")
    failing = re.findall(
        r"^alpha  (\S+)  failed: number: it comes to 1, expected 1\d\d$", f"alpha  sum-{cases}", re.MULTILINE
    )
    assert tuple(failing) == WRONG
    assert "20 of 20 questions: alpha 20/20" in ended.stderr or "run eval-" in ended.stderr
    report = json.loads(out.read_text())
    assert [case["id"] for case in report["models"][0]["results"] if case["outcome"] != "passed"] == list(WRONG)
    # Each case was asked once, under the suite's system prompt.
    assert len(providers.hits("alpha")) == CASES


def test_all_members_are_asked_by_default_and_a_result_is_compared_with_an_earlier_one(
    site: Site, providers: ScriptedProviders, tmp_path: Path
) -> None:
    for name in ("alpha", "beta", "gamma", "delta"):
        providers.script(name, _sum)
    out = tmp_path / "before.json"
    before = site.cli("eval", "run", "--task", "sums", "--out", str(out), "--json")
    assert before.returncode == Exit.DONE, before.stderr
    told = json.loads(before.stdout)
    assert [(model["provider"], model["passed"]) for model in told["models"]] == [
        (name, CASES) for name in ("alpha", "beta", "gamma", "delta")
    ]
    assert told["unrecorded"] == []

    same = site.cli("eval", "run", "--task", "sums", "--provider", "beta", "--against", str(out))
    assert (same.returncode, "beta against the earlier beta: not significantly worse (0 lost" in same.stdout) == (
        0,
        True,
    )

    providers.script("beta", _errs_in_seven)
    worse = site.cli("eval", "run", "--task", "sums", "--provider", "beta", "--against", str(out))
    assert worse.returncode == Exit.FAILED
    assert (
        "beta against the earlier beta: significantly worse (7 lost, 0 won of 20 cases, chance 0.008)" in worse.stdout
    )
    assert tuple(re.findall(r"^  lost  (\S+)$", worse.stdout, re.MULTILINE)) == WRONG


def test_an_outage_is_told_apart_from_bad_answers(site: Site, providers: ScriptedProviders) -> None:
    providers.script("gamma", Status(503))
    ended = site.cli("eval", "run", "--task", "sums", "--provider", "gamma", "--json")
    assert ended.returncode == Exit.FAILED
    (model,) = json.loads(ended.stdout)["models"]
    assert (model["verdict"], model["errors"]) == ("inconclusive", CASES)
    site.forget("gamma")


def test_ctrl_c_leaves_the_run_going_and_says_how_to_fetch_it(site: Site, providers: ScriptedProviders) -> None:
    providers.script("delta", lambda request: _slowly(_sum(request)))
    running = site.start_cli("eval", "run", "--task", "sums", "--provider", "delta")
    assert running.stderr is not None
    first = running.stderr.readline()
    run_id = first.removeprefix("run ").strip()
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == Exit.INTERRUPTED
    assert f"fetch it with `pointsman eval show {run_id}`" in errors
    fetched = site.cli("eval", "show", run_id)
    assert fetched.returncode == Exit.DONE, fetched.stderr
    assert "20/20" in fetched.stdout


def _slowly(behaviour: Behaviour) -> Behaviour:
    assert isinstance(behaviour, Reply)
    return Reply(behaviour.text, delay_s=0.3)


def test_a_killed_worker_loses_no_case_and_no_answer_is_paid_twice(site: Site, providers: ScriptedProviders) -> None:
    providers.script("delta", lambda request: _slowly(_sum(request)))
    running = site.start_cli("eval", "run", "--task", "sums", "--provider", "delta", "--json")
    providers.wait_for_hits_blocking("delta", 6, 60)
    site.started[-1].signal(signal.SIGKILL)
    site.start_worker()
    told, errors = running.communicate(timeout=100)
    assert running.returncode == Exit.DONE, errors
    (model,) = json.loads(told)["models"]
    assert (model["passed"], model["errors"]) == (CASES, 0)
    # At most the four that were under way were asked again.
    assert len(providers.hits("delta")) <= CASES + 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--task", "gossip"), "'gossip' is not a route; known: extract, judges, sums, verify"),
        (("--task", "verify"), "there is no evaluation suite for 'verify'; there are: sums"),
        (("--task", "sums", "--provider", "omega"), "'omega' is no provider; known: alpha, beta, gamma, delta"),
        (("--task", "sums", "--against", "/nowhere.json"), "--against: /nowhere.json cannot be read"),
        (("--task", "sums", "--out", "/nowhere/x.json"), "--out: /nowhere/x.json cannot be written"),
    ],
)
def test_what_cannot_be_evaluated_is_said_in_a_sentence(site: Site, arguments: tuple[str, ...], said: str) -> None:
    ended = site.cli("eval", "run", *arguments)
    assert ended.returncode == Exit.BAD_INPUT
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_unknown_run_is_said_in_a_sentence(site: Site) -> None:
    ended = site.cli("eval", "show", "eval-never")
    assert ended.returncode == Exit.BAD_INPUT
    assert "no run has the id 'eval-never'" in ended.stderr


def test_a_schedule_says_when_it_runs_next_and_can_be_removed(site: Site) -> None:
    none = site.cli("profile", "schedule")
    assert (none.returncode, none.stdout) == (
        0,
        "no schedule; make one with `pointsman profile schedule --every 30d`\n",
    )
    made = site.cli("profile", "schedule", "--every", "30d")
    assert made.returncode == 0, made.stderr
    assert re.fullmatch(r"pointsman-profile runs next at \d{4}-\d\d-\d\d \d\d:\d\d UTC\n", made.stdout)
    again = site.cli("profile", "schedule", "--every", "2w", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(site.cli("profile", "schedule", "--json").stdout)["next"] == json.loads(again.stdout)["next"]
    removed = site.cli("profile", "schedule", "--remove")
    assert (removed.returncode, removed.stdout) == (0, "pointsman-profile is removed\n")
    assert site.cli("profile", "schedule", "--remove").stdout == "there was no schedule\n"
    wrong = site.cli("profile", "schedule", "--every", "often")
    assert wrong.returncode == Exit.BAD_INPUT
    assert "give a number and m, h, d or w, such as 30d" in sentence(wrong)


def test_without_a_worker_a_run_is_not_started(unserved: Site) -> None:
    for command in (("eval", "run", "--task", "sums"), ("profile", "run")):
        ended = unserved.cli(*command)
        assert ended.returncode == Exit.NOT_REACHED
        assert sentence(ended).startswith("no worker polls the task queue 'pointsman-catalogue'; start one with")


def test_a_profile_asks_each_type_and_the_catalogue_shows_it(site: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply("42"))
    ended = site.cli("profile", "run", "alpha", "--samples", "3")
    assert ended.returncode == Exit.DONE, ended.stderr
    rows = re.findall(r"^alpha +\S+ +(\S+) +3/3 ", ended.stdout, re.MULTILINE)
    assert rows == ["simple_factual", "complex_reasoning", "creative_generation", "code_task", "analysis"]
    shown = json.loads(site.cli("catalogue", "show", "--json").stdout)
    assert "alpha/openai/gpt-5.2-2026-08-15" in json.dumps(shown)
    run_id = re.findall(r"^run (\S+)$", ended.stderr, re.MULTILINE)[0]
    fetched = json.loads(site.cli("profile", "show", run_id, "--json").stdout)
    assert fetched["profiles"][0]["figures"]["code_task"]["answered"] == 3


def test_a_provider_that_answers_too_little_to_join_is_told(site: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply("42"))
    ended = site.cli("profile", "run", "alpha", "--samples", "2")
    assert ended.returncode == Exit.FAILED
    told = "alpha/openai/gpt-5.2-2026-08-15 has answered fewer than 3 questions of simple_factual, complex_reasoning"
    assert told in ended.stdout
