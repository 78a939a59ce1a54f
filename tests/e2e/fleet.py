"""A fleet under test: configuration, worker processes, questions from the typed client, and whose each request is."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from temporalio.api.history.v1 import HistoryEvent

from benchmarks.chaos.calls import CALL, is_probe, off_record, sent_twice
from benchmarks.warm import PATIENCE_S, WorkerProcess
from pointsman import Answer, NoWorker, PointsmanError, QuestionFailed, RouterClient
from pointsman.health.events import HealthEvent
from pointsman.health.overview import HealthOverview, KeyOverview
from pointsman.health_client import HealthClient
from pointsman.outcomes import Attempt
from tests.e2e.conftest import KEY_VARIABLE, QUERY_TYPES, TODAY, Site
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.server import ScriptedProviders

OPEN_S = 3
"""Breakers stay open for so long here (and a tenth more at most)."""
_LOOKED_S = 2.5

_Found = TypeVar("_Found")
Table = Mapping[str, Any]

_PROVIDER: dict[str, Any] = {
    "model": "openai/gpt-5.2-2026-08-15",
    "dialect": "openai",
    "api_key_env": KEY_VARIABLE,
    "tier": "one",
    "reasoning_depth": 3,
    "context_tokens": 200_000,
    "rate_limit_per_minute": 60_000,
    "price": {"input": 1.0, "output": 10.0},
    "latency": {"p50_ms": 500, "p95_ms": 1000},
    "extra_headers": {CALL: "{workflow_id}/{activity_id}/{attempt}"},
}
_TABLES: dict[str, Table] = {
    "catalogue": {"admission": "declared"},
    "retry": {"initial_s": 0.01},
    "breaker": {"open_s": OPEN_S, "probe_interval": 1},
    # Scripts make answers late on purpose: here that is not held against them.
    "throttling": {"latency_factor": 1000, "length_ratio": 0, "density_drop": 1},
}


@dataclass(frozen=True)
class Ended:
    """A question with what became of it: an answer or a typed failure."""

    id: str
    answer: Answer | None = None
    failure: QuestionFailed | None = None
    lost_sight: int = 0
    """How often its client was told that no worker is there."""

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Every attempt on record."""
        told = self.answer or self.failure
        assert told is not None, f"{self.id} has no end"
        return told.attempts

    @property
    def answered(self) -> Answer:
        """The answer, where there is one."""
        assert self.answer is not None, f"{self.id}: {self.failure}"
        return self.answer

    @property
    def asked(self) -> list[str]:
        """The providers of its attempts, in order."""
        return [row.provider for row in self.attempts]


@dataclass
class Fleet:
    """Worker processes of one server, and a person who asks them."""

    site: Site
    providers: ScriptedProviders
    _numbers: Counter[str] = field(default_factory=Counter[str])

    @property
    def client(self) -> RouterClient:
        """The typed client, for use on the site's loop."""
        return RouterClient(self.site.server.client)

    @property
    def health(self) -> HealthClient:
        """The health of the providers, for use on the site's loop."""
        return HealthClient(self.site.server.client)

    def configure(self, members: Mapping[str, Table], routes: Mapping[str, Table], **tables: Table) -> None:
        """Write the configuration that workers start with."""
        text = configuration(self.providers, members, routes, tables)
        ledger = f'\n[ledger]\nurl = "sqlite:///{self.site.folder}/ledger.db"\n'
        self.site.config.write_text(text + ledger, encoding="utf-8")

    def start(self, count: int) -> list[WorkerProcess]:
        """Start worker processes and wait until the fleet knows of all of them."""
        started = [self.site.start_worker(wait=False) for _ in range(count)]
        for worker in started:
            worker.until_said("Pointsman takes questions.")
        running = sum(worker.process.poll() is None for worker in self.site.started)
        self.until(lambda: self.overview().active_workers >= running)
        # Each process knows of it too once it has looked at the fleet again, which it does about once a second.
        time.sleep(_LOOKED_S)
        return started

    def ask(self, task: str, **fields: Any) -> Ended:
        """Ask one question and wait for its end."""
        return self.ask_all([{"task": task, **fields}])[0]

    def ask_all(self, questions: Sequence[Table], patience_s: float = PATIENCE_S) -> list[Ended]:
        """Ask questions at once and wait for the end of all."""

        async def together() -> list[Ended]:
            return list(await asyncio.gather(*(self.asked(**question) for question in questions)))

        return self.run(together(), patience_s)

    def begin(self, task: str, **fields: Any) -> str:
        """Ask a question without waiting; returns its id."""
        question_id = self.next_id(task)
        return self.run(self.client.start(_prompt(question_id), id=question_id, task=task, **fields))

    def end_of(self, question_id: str) -> Ended:
        """Wait for the end of a question that was asked before."""
        return self.run(self._end(question_id))

    def cancel(self, question_ids: Iterable[str]) -> None:
        """Cancel questions."""
        for question_id in question_ids:
            self.run(self.client.cancel(question_id))

    async def asked(self, task: str | None, prompt: str = "", **fields: Any) -> Ended:
        """Ask one question and wait for its end, on the site's loop."""
        question_id = self.next_id(task or "untold")
        await self.client.start(prompt or _prompt(question_id), id=question_id, task=task, **fields)
        return await self._end(question_id)

    async def _end(self, question_id: str) -> Ended:
        lost_sight = 0
        while True:
            try:
                return Ended(question_id, answer=await self.client.answer(question_id), lost_sight=lost_sight)
            except QuestionFailed as failure:
                return Ended(question_id, failure=failure, lost_sight=lost_sight)
            except NoWorker:
                lost_sight += 1

    def next_id(self, name: str) -> str:
        """An id that says whose it is, and the how manieth."""
        self._numbers[name] += 1
        return f"{name}-{self._numbers[name]}"

    def asked_of(self) -> Counter[str]:
        """How many questions were asked so far of each task."""
        return self._numbers.copy()

    def overview(self) -> HealthOverview:
        """The fleet's health."""
        return self.run(self.health.overview())

    def row(self, provider: str) -> KeyOverview:
        """How one provider stands."""
        (row,) = self.overview().of(provider)
        return row

    def events(self, provider: str) -> list[HealthEvent]:
        """The changes of state of a provider's breaker, oldest first."""
        log = self.run(self.health.events())
        return [event for event in log.events if event.target.startswith(f"{provider}/") and event.state is not None]

    def until_state(self, provider: str, *states: str) -> KeyOverview:
        """Wait until the provider's breaker is in one of these states."""
        return self.until(lambda: row if (row := self.row(provider)).state in states else None)

    def until(self, look: Callable[[], _Found | None], patience_s: float = PATIENCE_S) -> _Found:
        """Look until there is something to see."""
        give_up, fault = time.monotonic() + patience_s, "nothing was there"
        while time.monotonic() < give_up:
            try:
                found = look()
            except PointsmanError as error:
                found, fault = None, str(error)
            if found:
                return found
            time.sleep(0.1)
        raise TimeoutError(f"waited in vain: {fault}")

    def history(self, question_id: str) -> list[HistoryEvent]:
        """The events of a workflow's history so far."""

        async def fetch() -> list[HistoryEvent]:
            return list((await self.site.server.client.get_workflow_handle(question_id).fetch_history()).events)

        return self.run(fetch())

    def run(self, coroutine: Coroutine[Any, Any, _Found], patience_s: float = PATIENCE_S) -> _Found:
        """Run a coroutine on the site's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.site.loop).result(patience_s)

    def questions(self, name: str) -> list[Hit]:
        """The requests at a provider that are questions'."""
        return [hit for hit in self.providers.hits(name) if not is_probe(hit)]

    def probes(self, name: str) -> list[Hit]:
        """The requests at a provider that are probes."""
        return [hit for hit in self.providers.hits(name) if is_probe(hit)]


def configuration(
    providers: ScriptedProviders,
    members: Mapping[str, Table],
    routes: Mapping[str, Table],
    tables: Mapping[str, Table],
) -> str:
    """Providers that differ from each other as told, routes by task, and a chain of all for every query type."""
    lines = [
        line
        for name, changes in members.items()
        for line in _table(f"providers.{name}", _declared(providers, name, {**_PROVIDER, **changes}))
    ]
    for task, route in routes.items():
        lines += _table(f"routes.{task}", {"order": "chain", **route})
    for query_type in QUERY_TYPES:
        lines += _table(f"query_types.{query_type}", {"chain": list(members)})
    for name, table in {**_TABLES, **tables}.items():
        lines += _table(name, table)
    return "\n".join(lines)


def _declared(providers: ScriptedProviders, name: str, provider: dict[str, Any]) -> dict[str, Any]:
    dialect = provider.pop("dialect")
    return {**provider, "api_base": providers.api_base(name, dialect)}


def _table(name: str, values: Table) -> list[str]:
    declared = [f"{key} = {_value(value)}" for key, value in values.items()]
    dated = [f"declared_at = {TODAY}"] if name.startswith("providers.") else []
    return [f"\n[{name}]", *declared, *dated]


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f'"{key}" = {_value(inner)}' for key, inner in value.items()) + " }"
    return json.dumps(value)


def _prompt(question_id: str) -> str:
    return f"What becomes of {question_id}?"


def most_in_flight(hits: Iterable[Hit]) -> int:
    """How many requests were open at one moment at most."""
    changes: list[tuple[float, int]] = []
    for hit in hits:
        changes.append((hit.started, 1))
        if hit.ended is not None:
            changes.append((hit.ended, -1))
    most = open_now = 0
    for _, change in sorted(changes):
        open_now += change
        most = max(most, open_now)
    return most


def every_request_is_on_record(hits: Iterable[Hit], ended: Iterable[Ended]) -> None:
    """One request, one attempt on record; who is on record without a request was cut off before it was sent."""
    asked = [hit for hit in hits if not is_probe(hit)]
    assert sent_twice(asked) == []
    assert off_record(asked, {one.id: one.attempts for one in ended}) == []
