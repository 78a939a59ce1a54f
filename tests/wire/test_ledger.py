"""The ledger against the providers' own count: every request is one row, whatever came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from activities.ledger import BackgroundLedger
from pointsman.ledger.database import Ledger
from pointsman.ledger.entry import NANO, LedgerEntry
from tests.wire.asking import LONG_S, NAME, each_dialect
from tests.wire.calling import BOUND_S, Activity
from workers.embedded.scripted.script import Hang, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders


@dataclass
class Kept:
    """A ledger in a file, and what is in it once everything is written."""

    writing: BackgroundLedger
    ledger: Ledger

    def rows(self) -> list[LedgerEntry]:
        self.writing.close(LONG_S)
        return list(self.ledger.rows())


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    ledger = Ledger.open(f"sqlite:///{tmp_path}/ledger.db")
    writing = BackgroundLedger(ledger)
    yield Kept(writing, ledger)
    writing.close(LONG_S)
    ledger.close()


@each_dialect
async def test_two_failures_and_an_answer_are_three_rows_that_sum_to_the_cost(
    providers: ScriptedProviders, kept: Kept, dialect: str
) -> None:
    steps = (Reply("not JSON"), Status(503), Reply('{"a": 1}'))
    first = Activity(providers, dialect, ledger=kept.writing)
    rows = (await first.fail(steps[0], schema={"type": "object"})).detail.attempts
    second = Activity(providers, dialect, ledger=kept.writing, attempt=2, earlier=rows)
    rows = (await second.fail(steps[1])).detail.attempts
    third = Activity(providers, dialect, ledger=kept.writing, attempt=3, earlier=rows)
    answer = await third.run(steps[2])

    found = kept.rows()
    assert len(found) == len(providers.hits()) == 3
    assert [(row.attempt, row.outcome, row.kind) for row in found] == [
        (row.attempt, row.outcome, row.kind) for row in answer.attempts
    ]
    info = third.env.info
    assert {row.key[:3] for row in found} == {(info.workflow_id, info.workflow_run_id, info.activity_id)}
    assert {row.usage_source for row in found} == {"reported"}
    cost_usd = sum(row.cost_usd or 0 for row in answer.attempts)
    assert sum(row.cost_nano_usd or 0 for row in found) == round(cost_usd * NANO) == 2 * (11 * 1000 + 7 * 10_000)


async def test_a_refusal_is_a_row(providers: ScriptedProviders, kept: Kept) -> None:
    await Activity(providers, ledger=kept.writing).run(
        Reply(refusal="I can't help with that."), task="t", tenant="blue"
    )

    (row,) = kept.rows()
    assert (row.outcome, row.usage_source, row.task, row.tenant) == ("refused", "reported", "t", "blue")


async def test_a_cancelled_call_is_an_estimated_row(providers: ScriptedProviders, kept: Kept) -> None:
    activity = Activity(providers, ledger=kept.writing)
    running = asyncio.create_task(activity.run(Hang()))
    await providers.wait_for_hits(NAME, 1, LONG_S)
    activity.env.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    (row,) = kept.rows()
    assert (row.outcome, row.error_class, row.kind, row.usage_source) == (
        "cancelled",
        "cancel",
        "cancelled",
        "estimated",
    )
    assert row.latency_ms is not None
    assert row.cost_nano_usd is not None
    assert row.cost_nano_usd > 0


async def test_a_call_that_timed_out_is_an_estimated_row(providers: ScriptedProviders, kept: Kept) -> None:
    await Activity(providers, ledger=kept.writing, timeout_s=BOUND_S).fail(Hang())

    (row,) = kept.rows()
    assert (row.outcome, row.kind, row.usage_source, row.output_tokens) == ("failed", "timeout", "estimated", 50)


async def test_a_call_under_way_is_already_a_row(providers: ScriptedProviders, kept: Kept) -> None:
    activity = Activity(providers, ledger=kept.writing)
    running = asyncio.create_task(activity.run(Hang()))
    await providers.wait_for_hits(NAME, 1, LONG_S)

    # What a worker that is killed now leaves.
    (row,) = kept.rows()
    assert (row.kind, row.latency_ms, row.usage_source, row.output_tokens) == ("worker_lost", None, "estimated", 50)
    activity.env.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_call_that_was_not_made_is_no_row(providers: ScriptedProviders, kept: Kept) -> None:
    made = Activity(providers, ledger=kept.writing)
    await made.run(Reply())
    await Activity(providers, ledger=kept.writing, attempt=2, deadline_s=0).fail(Reply())
    await Activity(providers, ledger=kept.writing, attempt=3).fail(Reply(), max_cost_usd=0.0000001)

    assert [row.attempt for row in kept.rows()] == [1]


async def test_an_unknown_price_is_an_unknown_cost_of_known_tokens(providers: ScriptedProviders, kept: Kept) -> None:
    await Activity(providers, ledger=kept.writing, price=None).run(Reply())

    (row,) = kept.rows()
    assert (row.input_tokens, row.output_tokens, row.cost_nano_usd, row.usage_source) == (11, 7, None, "reported")


async def test_a_ledger_that_is_away_fails_no_call(providers: ScriptedProviders, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    writing = BackgroundLedger(Ledger.open(f"sqlite:///{tmp_path}/file/ledger.db"), room=0)

    completion = await Activity(providers, ledger=writing).run(Reply("yes"))

    writing.close()
    assert (completion.text, writing.lost) == ("yes", 2)
