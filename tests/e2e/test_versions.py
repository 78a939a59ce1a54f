"""An upgrade of the application, rehearsed as docs/upgrading.md tells it: two builds side by side, nothing fails."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionRequest
from temporalio.worker import Replayer

from benchmarks.warm import WorkerProcess
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID
from pointsman.cli.exits import Exit
from pointsman.connection import DATA_CONVERTER
from pointsman.health_contract import HEALTH_ENTITY_ID
from tests.e2e.conftest import PATIENCE_S, UNMOVED, Site, new_site, sentence
from workers.embedded.scripted.script import Reply, Status
from workers.embedded.scripted.server import ScriptedProviders
from workers.wiring import SANDBOX
from workflows.provider_catalogue import ProviderCatalogue
from workflows.provider_health import ProviderHealth
from workflows.route_and_answer import RouteAndAnswer

pytestmark = pytest.mark.timeout(400)
OLD, NEW = "2026-11-01", "2026-12-01"
PROMPT = "What is the capital of France?"
ENTITIES = (HEALTH_ENTITY_ID, CATALOGUE_ENTITY_ID)


@pytest.fixture
def site(loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path: Path) -> Iterator[Site]:
    with new_site(loop, providers, tmp_path, UNMOVED) as running:
        yield running


def _make_current(site: Site, build_id: str) -> None:
    """As docs/upgrading.md says; a version is known to the server a moment after its first worker has polled."""
    give_up = time.monotonic() + PATIENCE_S
    words = ("--deployment-name", "pointsman", "--build-id", build_id, "--yes")
    while True:
        ended = site.temporal("worker", "deployment", "set-current-version", *words)
        if ended.returncode == 0:
            return
        assert time.monotonic() < give_up, ended.stderr
        time.sleep(0.5)


def _version(site: Site, workflow_id: str) -> str:
    """The build that a workflow's last task was done by."""

    async def fetch() -> str:
        client = site.server.client
        execution = WorkflowExecution(workflow_id=workflow_id)
        request = DescribeWorkflowExecutionRequest(namespace=client.namespace, execution=execution)
        described = await client.workflow_service.describe_workflow_execution(request)
        return described.workflow_execution_info.versioning_info.deployment_version.build_id

    return site.wait_for(fetch())


def _until_on(site: Site, workflow_id: str, build_id: str) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while _version(site, workflow_id) != build_id:
        assert time.monotonic() < give_up, f"{workflow_id} stays on {_version(site, workflow_id)}"
        time.sleep(0.2)


def _callers(site: Site, workflow_id: str) -> set[str]:
    """Who made a question's calls, by process."""
    events = [HistoryEvent.FromString(event) for event in site.history(workflow_id)]
    started = [event.activity_task_started_event_attributes for event in events]
    return {attributes.identity.partition("@")[0] for attributes in started if attributes.identity}


def _pid(worker: WorkerProcess) -> str:
    return str(worker.process.pid)


def _answer(site: Site, question_id: str) -> dict[str, Any]:
    ended = site.cli("answer", question_id, "--json")
    assert ended.returncode == Exit.DONE, ended.stderr
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def test_an_upgrade_loses_no_question_and_each_ends_where_it_began(site: Site, providers: ScriptedProviders) -> None:
    old = site.start_worker(POINTSMAN_BUILD_ID=OLD)
    nobody = site.cli("ask", PROMPT, "--id", "too-early", "--deadline", "300")
    assert nobody.returncode == Exit.NOT_REACHED
    assert f"workers of the builds {OLD} are there and none is the current one; make one so" in sentence(nobody)
    _make_current(site, OLD)
    assert _answer(site, "too-early")["provider"] == "alpha"
    assert site.cli("ask", PROMPT, "--id", "before").returncode == Exit.DONE
    for entity in ENTITIES:
        _until_on(site, entity, OLD)
    # One waits for a person, and one has its first provider still to fail when the new version comes.
    providers.script("alpha", Reply("They are five. The answer is 5."))
    providers.script("beta", Reply("They are six. The answer is 6."))
    words = ("--stakes", "high", "--allow", "alpha,beta", "--id", "reviewed")
    assert site.cli("ask", "How many apples are left?", *words).returncode == Exit.AWAITING_REVIEW
    providers.script("alpha", Status(401, delay_s=15))
    providers.script("beta", Reply("from the old build"))
    site.cli("ask", PROMPT, "--id", "under-way", "--no-wait", "--deadline", "120")
    providers.wait_for_hits_blocking("alpha", 4, PATIENCE_S)

    new = site.start_worker(POINTSMAN_BUILD_ID=NEW)
    _make_current(site, NEW)
    providers.script("gamma", Reply("from the new build"))
    assert site.cli("ask", PROMPT, "--id", "after", "--allow", "gamma").returncode == Exit.DONE
    assert (_version(site, "after"), _callers(site, "after")) == (NEW, {_pid(new)})
    # The pinned question falls back on the old build, though the new one is there for every provider.
    assert _answer(site, "under-way")["text"] == "from the old build"
    assert (_version(site, "under-way"), _callers(site, "under-way")) == (OLD, {_pid(old)})
    for entity in ENTITIES:
        _until_on(site, entity, NEW)
    assert site.cli("reviews", "decide", "reviewed", "--choose", "beta").returncode == Exit.DONE
    assert _answer(site, "reviewed")["provider"] == "beta"
    assert _version(site, "reviewed") == OLD

    assert old.signal(signal.SIGTERM) == 0
    assert site.cli("ask", PROMPT, "--id", "alone", "--allow", "gamma").returncode == Exit.DONE
    assert site.cli("health").returncode == Exit.DONE
    assert new.signal(signal.SIGTERM) == 0
    assert "Traceback" not in old.said() + new.said()

    async def replay() -> None:
        kinds = [RouteAndAnswer, ProviderHealth, ProviderCatalogue]
        replayer = Replayer(workflows=kinds, data_converter=DATA_CONVERTER, workflow_runner=SANDBOX)
        for workflow_id in ("before", "under-way", "reviewed", "after", *ENTITIES):
            await replayer.replay_workflow(await site.server.client.get_workflow_handle(workflow_id).fetch_history())

    site.wait_for(replay())


def test_workers_without_a_version_hand_over_to_the_first_one_that_has(
    site: Site, providers: ScriptedProviders
) -> None:
    plain = site.start_worker()
    providers.script("alpha", Reply("They are five. The answer is 5."))
    providers.script("beta", Reply("They are six. The answer is 6."))
    words = ("--stakes", "high", "--allow", "alpha,beta", "--id", "reviewed")
    assert site.cli("ask", "How many apples are left?", *words).returncode == Exit.AWAITING_REVIEW
    first = site.start_worker(POINTSMAN_BUILD_ID=OLD)
    _make_current(site, OLD)
    assert plain.signal(signal.SIGTERM) == 0
    assert site.cli("reviews", "decide", "reviewed", "--choose", "beta").returncode == Exit.DONE
    assert _answer(site, "reviewed")["provider"] == "beta"
    providers.script("gamma", Reply("Paris"))
    assert site.cli("ask", PROMPT, "--id", "after", "--allow", "gamma").returncode == Exit.DONE
    for workflow_id in ("after", *ENTITIES):
        _until_on(site, workflow_id, OLD)
    assert first.signal(signal.SIGTERM) == 0
