"""The ledger against the providers' own books: mixed questions with faults, two workers, and a real PostgreSQL.

Every request is one row; what is reported is what the provider billed, to the nano-USD; the rest stands apart. By
default a few hundred questions; RECONCILED_QUESTIONS sets how many (`make reconcile`: a thousand).
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from benchmarks.chaos.calls import CALL, Call, is_probe
from pointsman.ledger.database import Ledger
from pointsman.ledger.entry import NANO, LedgerEntry
from tests.e2e.conftest import new_site
from tests.e2e.fleet import Ended, Fleet
from workers.embedded.scripted.request import Hit, Request
from workers.embedded.scripted.script import (
    Behaviour,
    ErrorInside,
    Hang,
    Raw,
    Reply,
    Reset,
    Status,
    Tokens,
)
from workers.embedded.scripted.server import ScriptedProviders

_log = logging.getLogger(__name__)

QUESTIONS = int(os.environ.get("RECONCILED_QUESTIONS", "200"))
SEED = 20261130
AT_ONCE = 12
TIMEOUT_S = 3.0
MEMBERS = {
    "north": ("openai", "openai/gpt-5.2-2026-08-15"),
    "south": ("anthropic", "anthropic/claude-sonnet-5-20260801"),
    "east": ("gemini", "gemini/gemini-2.5-flash-001"),
    "west": ("openai", "openai/gpt-5.2-mini-2026-08-15"),
}
PRICE = {"input": 1.0, "output": 10.0, "cached_input": 0.125}
TASKS = ("plain", "schema", "plain", "verify")
TENANTS = (None, "blue", "red")
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
FAULTS: tuple[Behaviour, ...] = (
    Status(503),
    Status(500),
    Status(429, headers={"retry-after": "0.2"}),
    Reset(),
    ErrorInside(),
    Raw(b"<html>busy</html>", content_type="text/html"),
)

UNUSABLE: tuple[Callable[[Tokens], Reply], ...] = (
    lambda tokens: Reply("", usage=tokens),
    lambda tokens: Reply("half an", finish="length", usage=tokens),
    lambda tokens: Reply("", finish="content_filter", usage=tokens),
)
"""Replies that are paid for and answer nothing."""


@dataclass
class Books:
    """What each request cost by the provider's own count, in nano-USD; it is billed once its reply is out."""

    bills: dict[Call, int] = field(default_factory=dict[Call, int])

    def step(self, request: Request) -> Behaviour:
        """What becomes of a request, drawn from its name alone, so that a run can be repeated."""
        name = request.headers[CALL]
        chance = random.Random(f"{SEED}/{name}")
        draw = chance.random()
        if draw < 0.14:
            return Hang() if draw < 0.02 else chance.choice(FAULTS)
        if draw < 0.18:
            # It does the work and bills nothing that its reply tells of.
            return Reply(_text(name, chance), usage=None)
        tokens = Tokens(input=chance.randint(1, 400), output=chance.randint(1, 300))
        if chance.random() < 0.3:
            tokens = Tokens(input=tokens.input, output=tokens.output, cached=chance.randint(0, tokens.input))
        self.bills[_call(name)] = (tokens.input - tokens.cached) * 1000 + tokens.cached * 125 + tokens.output * 10_000
        if draw < 0.28:
            return chance.choice(UNUSABLE)(tokens)
        # Now and then late enough for a hedge, and for a race between both replies.
        return Reply(_text(name, chance), usage=tokens, delay_s=chance.uniform(0.2, 1.5) if draw < 0.45 else 0.0)


def _text(name: str, chance: random.Random) -> str:
    if name.startswith("schema"):
        return '{"a": 1}' if chance.random() < 0.7 else '{"b": 1}'
    if name.startswith("verify"):
        return "The answer is 4." if chance.random() < 0.7 else "The answer is 5."
    return "I cannot help with that." if chance.random() < 0.1 else "The answer is 4."


def _call(name: str) -> Call:
    workflow, activity, attempt = name.rsplit("/", 2)
    return Call(workflow, activity, int(attempt))


@pytest.fixture
def fleet(
    loop: asyncio.AbstractEventLoop,
    providers: ScriptedProviders,
    tmp_path_factory: pytest.TempPathFactory,
    postgresql: str,
) -> Iterator[Fleet]:
    """Two workers whose breakers and detectors keep still, so that every provider goes on being asked."""
    with new_site(loop, providers, tmp_path_factory.mktemp("reconciliation")) as site:
        fleet = Fleet(site, providers)
        usual = {"timeout_s": TIMEOUT_S, "price": PRICE, "supports": ["json_schema"]}
        latency = {"latency": {"p50_ms": 100, "p95_ms": 300}}
        members = {
            name: {"dialect": dialect, "model": model, **usual, **latency} for name, (dialect, model) in MEMBERS.items()
        }
        chain = {"chain": list(MEMBERS), "order": "chain", "hedge": True}
        verify = {"stakes": "high", "reconcile": "highest_confidence", "hedge": False}
        routes = {"plain": chain, "schema": chain, "verify": {**chain, **verify}}
        fleet.configure(
            members,
            routes,
            breaker={"consecutive": 50, "min_calls": 100_000},
            budget={"ratio": 1.0, "capacity": 10_000},
            # Where two answers differ a person is waited for, and then the surer one is given.
            review={"timeout": 1, "remind_after": 1},
            **{"tenants.blue": {"daily_cost_cap_usd": 1000.0}},
        )
        text = site.config.read_text(encoding="utf-8")
        site.config.write_text(text.replace(f"sqlite:///{site.folder}/ledger.db", postgresql), encoding="utf-8")
        fleet.start(2)
        yield fleet


def _ask(fleet: Fleet, number: int) -> list[Ended]:
    async def together() -> list[Ended]:
        room = asyncio.Semaphore(AT_ONCE)

        async def one(place: int) -> Ended:
            task = TASKS[place % len(TASKS)]
            schema = SCHEMA if task == "schema" else None
            async with room:
                return await fleet.asked(task, tenant=TENANTS[place % len(TENANTS)], response_schema=schema)

        return list(await asyncio.gather(*(one(place) for place in range(number))))

    return fleet.run(together(), 5.0 * number)


def _rows(url: str) -> dict[Call, LedgerEntry]:
    ledger = Ledger.open(url)
    rows = list(ledger.rows())
    ledger.close()
    found = {Call(row.workflow_id, row.leg, row.attempt): row for row in rows if row.purpose != "probe"}
    assert len(found) == sum(row.purpose != "probe" for row in rows), "two rows of one request"
    return found


@pytest.mark.timeout(3600)
def test_reported_rows_reconcile_to_the_nano_usd_with_the_providers_books(
    fleet: Fleet, providers: ScriptedProviders, postgresql: str
) -> None:
    books = Books()
    for name in MEMBERS:
        providers.script(name, books.step)
    ended = _ask(fleet, QUESTIONS)
    # Before they end they write what waits.
    assert [worker.signal(signal.SIGTERM) for worker in fleet.site.started] == [0, 0]

    rows = _rows(postgresql)
    hits = {_call(hit.headers[CALL]): hit for hit in providers.hits() if not is_probe(hit)}
    assert rows.keys() - hits.keys() == _unsent(rows, hits)
    assert hits.keys() - rows.keys() == set()

    billed = {call: books.bills.get(call, 0) for call, hit in hits.items() if hit.outcome == "answered"}
    reported = {call: row for call, row in rows.items() if row.usage_source == "reported"}
    assert {
        call: (row.cost_nano_usd, billed.get(call, 0))
        for call, row in reported.items()
        if row.cost_nano_usd != billed.get(call, 0)
    } == {}
    # What a provider billed and no row reports: replies that came when their call had been cut off, or told no tokens.
    apart = {call: rows[call] for call in billed if billed[call] and call not in reported}
    assert {row.error_class for row in apart.values()} <= {"cancel", "failure"}
    assert {row.usage_source for row in apart.values()} <= {"estimated"}

    _the_command_agrees(fleet, rows)
    _the_answers_agree(ended, rows)
    counts = Counter((row.usage_source, row.outcome) for row in rows.values())
    sums = [sum(row.cost_nano_usd or 0 for row in reported.values()), sum(billed.values())]
    late = [billed[call] for call in apart]
    _log.warning(
        "%d questions, %d answered; %d requests, %d rows, %d hedges; reported $%.9f, billed $%.9f; of that $%.9f in %d "
        "replies to calls that had been cut off; rows: %s",
        *(QUESTIONS, sum(one.answer is not None for one in ended), len(hits), len(rows)),
        *(sum(row.hedge for row in rows.values()), *(nano / NANO for nano in sums), sum(late) / NANO, len(late)),
        ", ".join(f"{count} {source} {outcome}" for (source, outcome), count in sorted(counts.items())),
    )
    assert sums[0] == sums[1] - sum(late)
    # What was to be mixed has been.
    assert counts["reported", "answered"] > QUESTIONS / 2
    assert all(counts[source, "failed"] for source in ("reported", "estimated"))
    assert sum(row.hedge for row in rows.values()) > 0
    assert {row.outcome for row in rows.values()} >= {"answered", "failed", "cancelled"}


def _unsent(rows: dict[Call, LedgerEntry], hits: dict[Call, Hit]) -> set[Call]:
    """Rows of calls that were cut off between their row and their request."""
    return {
        call
        for call, row in rows.items()
        if call not in hits and (row.outcome == "cancelled" or row.kind in {"timeout", "worker_lost"})
    }


def _the_command_agrees(fleet: Fleet, rows: dict[Call, LedgerEntry]) -> None:
    """`pointsman costs` sums what the rows hold."""
    for by in ("provider", "tenant", "task", "outcome"):
        told = fleet.site.cli("costs", "--by", by, "--json")
        assert told.returncode == 0, told.stderr
        report = json.loads(told.stdout)
        sums: Counter[str | None] = Counter()
        for row in rows.values():
            if row.usage_source == "reported":
                sums[getattr(row, by)] += row.cost_nano_usd or 0
        # Probes are nobody's question; they are estimated.
        assert {row["name"]: row["reported_nano_usd"] for row in report["rows"] if row["name"] in sums} == dict(sums)
        assert report["total"]["reported_nano_usd"] == sum(sums.values())
        assert report["total"]["at_least"] is False


def _the_answers_agree(ended: list[Ended], rows: dict[Call, LedgerEntry]) -> None:
    """A question whose attempts are all reported costs what its rows sum to."""
    sums: Counter[str] = Counter()
    for call, row in rows.items():
        sums[call.workflow] += row.cost_nano_usd or 0
    compared = 0
    for one in ended:
        if one.answer is not None and one.answer.usage.source == "reported":
            compared += 1
            assert abs(sums[one.id] - (one.answer.cost_usd or 0.0) * NANO) < 1, one.id
    assert compared > len(ended) / 4
