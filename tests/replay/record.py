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
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from temporalio.client import Client

from activities.process_health import ProcessHealth
from pointsman import Question, RouterClient
from pointsman.configuration import Configuration
from pointsman.health.breaker import BreakerState
from pointsman.health.snapshot import KeyHealth, Snapshot
from pointsman.leaving import leave
from pointsman.outcomes import ErrorClass
from pointsman.search_attributes import register
from tests.builders import QUERY_TYPES
from tests.fakes import HANG, Fleet, Later, failing, reply
from tests.replay import entities, measuring, panels, upgrades
from tests.replay.asking import VERSION, Scenario, asked
from tests.workflows.conftest import PROVIDERS, configuration
from workers.embedded.scripted.script import Hang, Reply
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import TemporalServer, temporal_server

HISTORIES = Path(__file__).parent / "histories"
ROOT = Path(__file__).parents[2]
TODAY = datetime.now(UTC).date().isoformat()


async def plain(server: TemporalServer) -> str:
    return await asked(server, Fleet(), Question(prompt="What is 1 + 1?"))


async def retry(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", failing(), reply("second"))
    return await asked(server, fleet, Question(prompt="What is 1 + 1?"))


async def fallback(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", failing(ErrorClass.QUOTA, "out_of_quota", status=429))
    return await asked(server, fleet, Question(prompt="What is 1 + 1?"))


async def all_failed(server: TemporalServer) -> str:
    fleet = Fleet()
    for provider in PROVIDERS:
        fleet.script(provider, failing())
    return await asked(server, fleet, Question(prompt="What is 1 + 1?"))


async def deadline(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", HANG)
    return await asked(server, fleet, Question(prompt="What is 1 + 1?", deadline_s=1.0))


async def waited(server: TemporalServer) -> str:
    fleet = Fleet()
    for provider in PROVIDERS:
        fleet.script(provider, failing(ErrorClass.THROTTLE, "rate_limited", status=429, retry_after_s=1.5), reply("ok"))
    settings = configuration(retry={"max_sleep_s": 0.5})
    return await asked(server, fleet, Question(prompt="What is 1 + 1?", on_exhausted="wait"), settings)


async def second_opinion(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("gamma", reply('{"query_type": "code_task", "confidence": 0.9}'))
    settings = configuration(classification={"by": "llm", "provider": "gamma"})
    return await asked(server, fleet, Question(prompt="What is 1 + 1?"), settings)


def _hedging(delay_ms: float = 300.0, **changes: Any) -> Configuration:
    return configuration(
        providers={name: {"latency": {"p50_ms": 10, "p95_ms": delay_ms}} for name in PROVIDERS},
        query_types={query_type: {"hedge": True} for query_type in QUERY_TYPES},
        **changes,
    )


async def hedge_not_needed(server: TemporalServer) -> str:
    return await asked(server, Fleet(), Question(prompt="What is 1 + 1?"), _hedging(20_000))


async def hedge_won_by_second(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", HANG)
    return await asked(server, fleet, Question(prompt="What is 1 + 1?"), _hedging())


async def hedge_won_by_first(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", Later(1.0, reply("first")))
    fleet.script("beta", HANG)
    return await asked(server, fleet, Question(prompt="What is 1 + 1?"), _hedging())


async def hedge_lost_by_both(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", Later(1.0, failing()))
    fleet.script("beta", failing())
    return await asked(server, fleet, Question(prompt="What is 1 + 1?"), _hedging())


async def hedge_denied(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", Later(1.0, reply("first")))
    settings = _hedging(budget={"ratio": 0.0, "capacity": 2, "trickle": 0})
    question = Question(prompt="What is 1 + 1?")
    return await asked(server, fleet, question, settings, before=lambda health: health.budget.take_retry(0.0))


async def breaker_open_at_start(server: TemporalServer) -> str:
    question = Question(prompt="What is 1 + 1?")
    return await asked(server, Fleet(), question, before=lambda health: _open(health, "alpha", 300.0))


async def throttled(server: TemporalServer) -> str:
    """A short Retry-After is waited for, a long one leads to the next, and the last gives a degraded answer."""
    fleet = Fleet()
    short, long = (failing(ErrorClass.THROTTLE, "rate_limited", status=429, retry_after_s=s) for s in (0.3, 30.0))
    fleet.script("alpha", short, long)
    return await asked(server, fleet, Question(prompt="What is 1 + 1?"))


async def charged_fallback(server: TemporalServer) -> str:
    fleet = Fleet()
    for provider in ("alpha", "beta"):
        fleet.script(provider, failing(ErrorClass.QUOTA, "out_of_quota", status=402))
    return await asked(server, fleet, Question(prompt="What is 1 + 1?"))


async def waited_for_a_breaker(server: TemporalServer) -> str:
    """Everything is open at first; after the sleep one is back."""

    def once(health: ProcessHealth) -> None:
        for provider in PROVIDERS:
            _open(health, provider, 1.5)
        # The process's own breakers serve without a snapshot; the feed's probes are not running here.
        asyncio.get_running_loop().call_later(1.0, health.view.accept, _well(), time.time() + 1000)

    question = Question(prompt="What is 1 + 1?", on_exhausted="wait")
    return await asked(server, Fleet(), question, before=once)


def _open(health: ProcessHealth, provider: str, seconds: float) -> None:
    held = health.view.snapshot
    opened = KeyHealth(state=BreakerState.OPEN, gen=2, k=1, open_until=time.time() + seconds)
    keys = {**(held.keys if held else {}), health.key(provider): opened}
    version = held.version + 1 if held else 1
    health.view.accept(Snapshot(epoch=1, version=version, issued_at=time.time(), keys=keys), time.time() + 1000)


def _well() -> Snapshot:
    return Snapshot(epoch=2, version=1, issued_at=time.time())


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
declared_at = {TODAY}
"""
        for name, address in (("alpha", alpha), ("beta", beta))
    )
    types = ("simple_factual", "complex_reasoning", "creative_generation", "code_task", "analysis")
    chains = "".join(f'\n[query_types.{kind}]\nchain = ["alpha", "beta"]\norder = "chain"\n' for kind in types)
    return f'[catalogue]\nadmission = "declared"\n{tables}{chains}'


SCENARIOS: dict[str, Scenario] = {
    "plain": plain,
    "retry": retry,
    "fallback": fallback,
    "all_failed": all_failed,
    "deadline": deadline,
    "waited": waited,
    "second_opinion": second_opinion,
    "killed_worker": killed_worker,
    "hedge_not_needed": hedge_not_needed,
    "hedge_won_by_second": hedge_won_by_second,
    "hedge_won_by_first": hedge_won_by_first,
    "hedge_lost_by_both": hedge_lost_by_both,
    "hedge_denied": hedge_denied,
    "breaker_open_at_start": breaker_open_at_start,
    "throttled": throttled,
    "charged_fallback": charged_fallback,
    "waited_for_a_breaker": waited_for_a_breaker,
    **entities.SCENARIOS,
    **panels.SCENARIOS,
    **measuring.SCENARIOS,
    **upgrades.SCENARIOS,
}


async def main() -> None:
    missing = {name: run for name, run in SCENARIOS.items() if not list(HISTORIES.glob(f"{name}-*.json"))}
    with tempfile.TemporaryDirectory() as folder:
        async with temporal_server(Path(folder) / "temporal.db") as server:
            await register(server.client)
            for name, run in missing.items():
                await _record(server.client, name, await run(server))


async def _record(client: Client, name: str, question_id: str) -> None:
    workflow_id, _, run_id = question_id.partition(" ")
    history = await client.get_workflow_handle(workflow_id, run_id=run_id or None).fetch_history()
    path = HISTORIES / f"{name}-{VERSION}.json"
    # Stack traces name the folders that the recorder ran in, which are nobody's business.
    text = history.to_json().replace(sys.prefix, "./.venv").replace(str(ROOT), ".")
    await asyncio.to_thread(path.write_text, f"{text}\n", encoding="utf-8")
    sys.stderr.write(f"recorded {path.name}: {len(history.events)} events\n")


if __name__ == "__main__":
    asyncio.run(main())
    leave(0)
