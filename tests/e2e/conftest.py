"""The real thing: a Temporal server, worker processes and command lines, against scripted providers over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Coroutine, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest
from temporalio.service import RPCError

from benchmarks import warm
from benchmarks.warm import WorkerProcess
from pointsman import HealthClient, NoWorker, QuestionFailed, RouterClient
from pointsman.health.events import AdminCommand
from pointsman.health_contract import HEALTH_ENTITY_ID, ProviderHealth
from workers.embedded.scripted.script import Status, Step
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.scripted.thread import background_loop
from workers.embedded.temporal_server import TemporalServer, binary, free_port, temporal_server

ROOT = Path(__file__).parents[2]
CANARY = "sk-canary-8d1f5c3e"
KEY_VARIABLE = "E2E_PROVIDER_KEY"
READY, PATIENCE_S = warm.READY, warm.PATIENCE_S

DIALECTS = {
    "alpha": ("openai", "openai/gpt-5.2-2026-08-15"),
    "beta": ("anthropic", "anthropic/claude-sonnet-5-20260801"),
    "gamma": ("gemini", "gemini/gemini-2.5-flash-001"),
    "delta": ("ollama", "ollama_chat/llama4.1-8b-20260301"),
}
TODAY = datetime.now(UTC).date().isoformat()
DECLARED = '[catalogue]\nadmission = "declared"\n'
QUERY_TYPES = ("simple_factual", "complex_reasoning", "creative_generation", "code_task", "analysis")

Ended = subprocess.CompletedProcess[str]
_Result = TypeVar("_Result")


def toml(providers: ScriptedProviders) -> str:
    """Four equal providers, one per protocol, in one chain for everything."""
    tables = "".join(
        f"""
[providers.{name}]
model = "{model}"
api_base = "{providers.api_base(name, dialect)}"
api_key_env = "{KEY_VARIABLE}"
tier = "one"
reasoning_depth = 3
context_tokens = 2000000
rate_limit_per_minute = 6000
supports = ["json_schema"]
price = {{ input = 1.0, output = 10.0 }}
latency = {{ p50_ms = 500, p95_ms = 1000 }}
declared_at = {TODAY}
extra_headers = {{ "x-pointsman-call" = "{{workflow_id}}/{{activity_id}}/{{attempt}}" }}
"""
        for name, (dialect, model) in DIALECTS.items()
    )
    chain = 'chain = ["alpha", "beta", "gamma", "delta"]\norder = "chain"\n'
    task = f"{chain}require_eval = false\n"
    verify = f'\n[routes.verify]\n{task}stakes = "high"\nfan_out = 3\nreconcile = "highest_confidence"\n'
    types = "".join(f"\n[query_types.{kind}]\n{chain}" for kind in QUERY_TYPES)
    # The rules: where a question goes does not hang on how the classifier was trained.
    rules = '[classification]\nby = "rules"\n'
    return f"{tables}\n{DECLARED}{rules}\n[retry]\ninitial_s = 0.01\n\n[routes.extract]\n{task}{types}{verify}"


UNMOVED = """
[breaker]
consecutive = 50
min_calls = 100000

[throttling]
latency_factor = 1e9
cooldown_calls = 0
length_ratio = 0.0
density_drop = 1.0

[health]
flush = 0.2
snapshot_interval = 0.5
overdue_cooldown = 0.001
"""
"""For a site that many tests share: neither breaker nor detector moves by what one test's providers do to the next."""
COOLING = (401, 402, 403, 404, 405, 429)
"""Replies for which a provider is passed over for a while."""
_LOOK_EVERY_S = 0.2


@dataclass
class Site:
    """One Temporal server, and processes that are told about it."""

    server: TemporalServer
    loop: asyncio.AbstractEventLoop
    config: Path
    folder: Path
    started: list[WorkerProcess] = field(default_factory=list[WorkerProcess])

    def environment(self, changes: dict[str, str | None] | None = None) -> dict[str, str]:
        """The environment of a process; `None` takes a variable away."""
        return environment(
            {
                "TEMPORAL_ADDRESS": self.server.address,
                "POINTSMAN_CONFIG": str(self.config),
                KEY_VARIABLE: CANARY,
                **(changes or {}),
            }
        )

    def cli(self, *arguments: str, stdin: str | bytes | None = None, **env: str | None) -> Ended:
        """Run `pointsman` to its end, started warm."""
        text = stdin.encode() if isinstance(stdin, str) else stdin or b""
        return _as_text(warm.run_cli(list(arguments), self.environment(env), ROOT, text, PATIENCE_S))

    def cold_cli(self, *arguments: str, **env: str | None) -> Ended:
        """Run the console script `pointsman` to its end."""
        return run([binary("pointsman"), *arguments], self.environment(env))

    def temporal(self, *arguments: str) -> Ended:
        """Run Temporal's own command line to its end."""
        return run([binary("temporal"), *arguments, "--address", self.server.address], self.environment())

    def start_cli(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `pointsman` and leave it running."""
        return subprocess.Popen(
            [binary("pointsman"), *arguments],
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def start_worker(self, *arguments: str, wait: bool = True, **env: str | None) -> WorkerProcess:
        """Start `python -m workers` and wait until it takes questions."""
        log = self.folder / f"worker-{len(self.started)}.log"
        worker = WorkerProcess(warm.start(list(arguments), self.environment(env), log, ROOT), log)
        self.started.append(worker)
        if wait:
            worker.until_said(READY)
        return worker

    def forget(self, provider: str) -> None:
        """Let a provider's health begin anew with the next worker."""
        key = f"{provider}/{DIALECTS[provider][1]}"
        entity = self.server.client.get_workflow_handle_for(ProviderHealth.run, HEALTH_ENTITY_ID)
        command = AdminCommand(target=key, operator="a test")
        with suppress(RPCError):
            self.wait_for(entity.signal(ProviderHealth.reset, command))

    def recover(self, provider: str) -> None:
        """Forget what a test's provider did, a wrong key say, for which it would be passed over for a minute."""

        async def until_asked_again() -> None:
            health, router = HealthClient(self.server.client), RouterClient(self.server.client)
            while True:
                try:
                    await health.reset(provider, operator="a test")
                    await router.ask("Are you back?", allow=[provider], deadline_s=5)
                except (QuestionFailed, NoWorker):
                    # A busy machine may keep the entity from answering in its five seconds.
                    await asyncio.sleep(_LOOK_EVERY_S)
                else:
                    return

        self.wait_for(until_asked_again())

    def listed(self, query: str) -> list[str]:
        """Ids of the questions that a query finds; waits for the first one, since visibility follows events."""
        give_up = time.monotonic() + PATIENCE_S
        while True:
            ended = self.temporal("workflow", "list", "--query", query, "--output", "json")
            assert ended.returncode == 0, ended.stderr
            found = [row["execution"]["workflowId"] for row in json.loads(ended.stdout or "[]")]
            if found or time.monotonic() > give_up:
                return found
            time.sleep(0.2)

    def history(self, question_id: str) -> list[bytes]:
        """The events of a question's history, serialised."""

        async def fetch() -> list[bytes]:
            history = await self.server.client.get_workflow_handle(question_id).fetch_history()
            return [event.SerializeToString() for event in history.events]

        return self.wait_for(fetch())

    def wait_for(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine on the loop that the server's client belongs to."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(PATIENCE_S)


def environment(changes: dict[str, str | None]) -> dict[str, str]:
    """This process's environment without anything about Temporal or Pointsman, and with the changes."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TEMPORAL_", "POINTSMAN_")) and name not in {"PYTHONPATH", "COLUMNS"}
    }
    return kept | {name: value for name, value in changes.items() if value is not None}


def run(command: list[str], env: dict[str, str], *, stdin: str | bytes | None = None, cwd: Path | None = ROOT) -> Ended:
    """Run a command to its end."""
    ended = subprocess.run(
        command,
        env=env,
        cwd=cwd,
        input=stdin.encode() if isinstance(stdin, str) else stdin or b"",
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return _as_text(ended)


def _as_text(ended: subprocess.CompletedProcess[bytes]) -> Ended:
    return Ended(ended.args, ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def python(*arguments: str) -> list[str]:
    """The command line of a Python process in this environment."""
    return [sys.executable, *arguments]


def start(arguments: list[str], env: dict[str, str], log: Path, cwd: Path = ROOT) -> WorkerProcess:
    """Start a Python process whose output goes to a file."""
    with log.open("wb") as output:
        process = subprocess.Popen(python(*arguments), env=env, cwd=cwd, stdout=output, stderr=subprocess.STDOUT)
    return WorkerProcess(process, log)


def sentence(ended: Ended) -> str:
    """What a process that refused said: one sentence on standard error, nothing else, no traceback."""
    said = ended.stderr.strip()
    assert "Traceback" not in said
    assert said
    assert said.count("\n") == 0
    assert ended.stdout == ""
    return said


@pytest.fixture(scope="session")
def providers() -> Iterator[ScriptedProviders]:
    with ScriptedProviders.in_thread() as running:
        yield running


@pytest.fixture(autouse=True)
def _scripts_of_its_own(
    providers: ScriptedProviders, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """No test sees the scripts or hits of another, nor what these did to the health of providers."""
    cooled: set[str] = set()
    script = providers.script

    def noting(name: str, *steps: Step) -> None:
        if any(callable(step) or (isinstance(step, Status) and step.status in COOLING) for step in steps):
            cooled.add(name)
        script(name, *steps)

    monkeypatch.setattr(providers, "script", noting)
    providers.reset()
    yield
    providers.reset()
    for shared in {"pointsman", "unattended", "sealed_server"} & set(request.fixturenames):
        site = request.getfixturevalue(shared)
        assert isinstance(site, Site)
        for name in sorted(cooled & set(DIALECTS)):
            site.forget(name)
            if shared == "pointsman":
                site.recover(name)


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with background_loop("temporal-client") as running:
        yield running


@contextmanager
def new_site(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, folder: Path, further: str = ""
) -> Generator[Site]:
    """A server of its own, without a worker yet; `further` tables go into its configuration."""
    config = folder / "router.toml"
    ledger = f'[ledger]\nurl = "sqlite:///{folder}/ledger.db"\n'
    config.write_text(f"{toml(providers)}\n{ledger}{further}", encoding="utf-8")
    context = temporal_server(folder / "temporal.db", port=free_port(0), ui_port=free_port(0))
    server = asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result(PATIENCE_S)
    site = Site(server, loop, config, folder)
    try:
        yield site
    finally:
        for worker in site.started:
            worker.end()
        asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result(PATIENCE_S)


@pytest.fixture(scope="package")
def pointsman(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """A server with one worker that all tests share; its log holds all that it can say."""
    with new_site(loop, providers, tmp_path_factory.mktemp("attended"), UNMOVED) as site:
        site.start_worker("--log-level", "DEBUG")
        yield site


@pytest.fixture(scope="package")
def unattended(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """A server whose workers the tests start and end themselves."""
    with new_site(loop, providers, tmp_path_factory.mktemp("unattended"), UNMOVED) as site:
        yield site


@pytest.fixture
def unserved(loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path: Path) -> Iterator[Site]:
    """A server that no worker has polled yet: Temporal remembers one for minutes after it has gone."""
    with new_site(loop, providers, tmp_path) as site:
        yield site
