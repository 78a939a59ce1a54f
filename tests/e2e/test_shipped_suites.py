"""The suites and the benchmark that ship: a good model stands them, a careless one does not.

What runs here is what an owner's own CI would run: `pointsman eval run` for each task, whose status decides.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from pointsman.cli.exits import Exit
from tests.e2e.conftest import ROOT, UNMOVED, Site, new_site
from workers.embedded.answer_key import answer_key
from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import Behaviour, Reply
from workers.embedded.scripted.server import ScriptedProviders

CHAIN = 'chain = ["alpha", "beta", "gamma", "delta"]\norder = "chain"\n'
ROUTES = f"\n[routes.classify]\n{CHAIN}\n[routes.synthesise]\n{CHAIN}"
TASKS = ("classify", "extract", "synthesise")


def _good(request: Request) -> Behaviour:
    if '"rubric"' in request.prompt:
        return Reply(json.dumps({"passed": True, "reason": "It does."}))
    return Reply(answer_key()[request.prompt])


def _careless(request: Request) -> Behaviour:
    return Reply("I do not know.") if request.number % 3 == 0 else _good(request)


@pytest.fixture(scope="module")
def site(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    with new_site(loop, providers, tmp_path_factory.mktemp("shipped"), f"{UNMOVED}{ROUTES}") as running:
        text = running.config.read_text(encoding="utf-8")
        text = text.replace("[catalogue]\n", f'[catalogue]\nevals = "{ROOT}/evals"\n')
        schema = f'response_schema = "{ROOT}/config/schemas/extract.json"\n'
        running.config.write_text(text.replace("[routes.extract]\n", f"[routes.extract]\n{schema}"), encoding="utf-8")
        running.start_worker()
        yield running


@pytest.mark.parametrize("task", TASKS)
def test_a_good_model_stands_every_case(site: Site, providers: ScriptedProviders, task: str) -> None:
    for name in ("alpha", "beta"):
        providers.script(name, _good)
    ended = site.cli("eval", "run", "--task", task, "--provider", "alpha", "--json")
    (model,) = json.loads(ended.stdout)["models"]
    assert [case for case in model["results"] if case["outcome"] != "passed"] == []
    assert (ended.returncode, model["cases"] >= 20) == (Exit.DONE, True)


@pytest.mark.parametrize("task", TASKS)
def test_a_careless_one_is_below_the_threshold(site: Site, providers: ScriptedProviders, task: str) -> None:
    providers.script("alpha", _careless)
    providers.script("beta", _good)
    ended = site.cli("eval", "run", "--task", task, "--provider", "alpha", "--json")
    (model,) = json.loads(ended.stdout)["models"]
    assert (ended.returncode, model["verdict"]) == (Exit.FAILED, "failed")


def test_a_good_model_is_right_in_the_whole_benchmark(site: Site, providers: ScriptedProviders) -> None:
    providers.script("gamma", _good)
    ended = site.cli("profile", "run", "gamma", "--json")
    assert ended.returncode == Exit.DONE, ended.stderr
    told = json.loads(ended.stdout)
    (profile,) = told["profiles"]
    assert {kind: (one["samples"], one["passed"]) for kind, one in profile["figures"].items()} == dict.fromkeys(
        ("simple_factual", "complex_reasoning", "creative_generation", "code_task", "analysis"), (12, 12)
    )
