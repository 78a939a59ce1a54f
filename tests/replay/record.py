"""Record the histories that are still missing: `python -m tests.replay.record`.

A recorded history is never written again: it stands for the questions that were under way when it was made, and every
later version must replay it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from temporalio.client import Client

from pointsman import PointsmanError, Question, RouterClient
from pointsman.configuration import Configuration
from pointsman.leaving import leave
from pointsman.outcomes import ErrorClass
from pointsman.search_attributes import register
from tests.fakes import HANG, Fleet, failing, reply
from tests.workflows.conftest import PROVIDERS, configuration
from workers.embedded.scripted.script import Hang, Reply
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import TemporalServer, temporal_server
from workers.settings import Settings
from workers.wiring import build, make_completers

HISTORIES = Path(__file__).parent / "histories"
ROOT = Path(__file__).parents[2]

Scenario = Callable[[TemporalServer], Awaitable[str]]


async def _asked(
    server: TemporalServer, fleet: Fleet, question: Question, settings: Configuration | None = None
) -> str:
    """Ask with scripted providers in this process; returns the question's id."""
    used = Settings(settings or configuration(), {})
    workers = await build(server.client, used, make_completers(used, fleet.make))
    running = [asyncio.create_task(worker.run()) for worker in workers]
    client = RouterClient(server.client)
    question_id = await client.start(question, id=f"recorded-{uuid.uuid4()}")
    with suppress(PointsmanError):
        await client.answer(question_id)
    await asyncio.gather(*(worker.shutdown() for worker in workers))
    await asyncio.gather(*running)
    return question_id


async def plain(server: TemporalServer) -> str:
    return await _asked(server, Fleet(), Question(prompt="What is 1 + 1?"))


async def retry(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", failing(), reply("second"))
    return await _asked(server, fleet, Question(prompt="What is 1 + 1?"))


async def fallback(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", failing(ErrorClass.QUOTA, "out_of_quota", status=429))
    return await _asked(server, fleet, Question(prompt="What is 1 + 1?"))


async def all_failed(server: TemporalServer) -> str:
    fleet = Fleet()
    for provider in PROVIDERS:
        fleet.script(provider, failing())
    return await _asked(server, fleet, Question(prompt="What is 1 + 1?"))


async def deadline(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", HANG)
    return await _asked(server, fleet, Question(prompt="What is 1 + 1?", deadline_s=1.0))


async def waited(server: TemporalServer) -> str:
    fleet = Fleet()
    for provider in PROVIDERS:
        fleet.script(provider, failing(ErrorClass.THROTTLE, "rate_limited", status=429, retry_after_s=1.5), reply("ok"))
    settings = configuration(retry={"max_sleep_s": 0.5})
    return await _asked(server, fleet, Question(prompt="What is 1 + 1?", on_exhausted="wait"), settings)


async def second_opinion(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("gamma", reply('{"query_type": "code_task", "confidence": 0.9}'))
    settings = configuration(classification={"by": "llm", "provider": "gamma"})
    return await _asked(server, fleet, Question(prompt="What is 1 + 1?"), settings)


async def killed_worker(server: TemporalServer) -> str:
    """The worker process dies by SIGKILL while the provider holds its request; another one finishes the question."""
    async with ScriptedProviders() as providers:
        providers.script("alpha", Hang(), Reply(text="after the kill"))
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "router.toml"
            config.write_text(_toml(providers.api_base("alpha", "openai"), providers.api_base("beta", "openai")))
            environment = {**os.environ, "TEMPORAL_ADDRESS": server.address, "POINTSMAN_CONFIG": str(config)}
            first = _worker(environment)
            client = RouterClient(server.client)
            question = Question(prompt="What is 1 + 1?", deadline_s=300)
            question_id = await client.start(question, id=f"recorded-{uuid.uuid4()}")
            await providers.wait_for_hits("alpha", 1, 60)
            first.send_signal(signal.SIGKILL)
            second = _worker(environment)
            await client.answer(question_id)
            second.send_signal(signal.SIGTERM)
            await asyncio.to_thread(second.wait)
            return question_id


def _worker(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "workers"], cwd=ROOT, env=environment)


def _toml(alpha: str, beta: str) -> str:
    tables = "".join(
        f"""
[providers.{name}]
model = "openai/model-2026-01-01"
api_base = "{address}"
tier = "one"
reasoning_depth = 3
context_tokens = 100000
rate_limit_per_minute = 600
price = {{ input = 1.0, output = 1.0 }}
latency = {{ p50_ms = 500, p95_ms = 1000 }}
declared_at = 2026-11-30
"""
        for name, address in (("alpha", alpha), ("beta", beta))
    )
    types = ("simple_factual", "complex_reasoning", "creative_generation", "code_task", "analysis")
    chains = "".join(f'\n[query_types.{kind}]\nchain = ["alpha", "beta"]\norder = "chain"\n' for kind in types)
    return tables + chains


SCENARIOS: dict[str, Scenario] = {
    "plain": plain,
    "retry": retry,
    "fallback": fallback,
    "all_failed": all_failed,
    "deadline": deadline,
    "waited": waited,
    "second_opinion": second_opinion,
    "killed_worker": killed_worker,
}
VERSION = "0.1.0"


async def main() -> None:
    missing = {name: run for name, run in SCENARIOS.items() if not list(HISTORIES.glob(f"{name}-*.json"))}
    with tempfile.TemporaryDirectory() as folder:
        async with temporal_server(Path(folder) / "temporal.db") as server:
            await register(server.client)
            for name, run in missing.items():
                await _record(server.client, name, await run(server))


async def _record(client: Client, name: str, question_id: str) -> None:
    history = await client.get_workflow_handle(question_id).fetch_history()
    path = HISTORIES / f"{name}-{VERSION}.json"
    # Stack traces name the folder that the recorder ran in, which is nobody's business.
    text = history.to_json().replace(str(ROOT), ".")
    await asyncio.to_thread(path.write_text, f"{text}\n", encoding="utf-8")
    sys.stderr.write(f"recorded {path.name}: {len(history.events)} events\n")


if __name__ == "__main__":
    asyncio.run(main())
    leave(0)
