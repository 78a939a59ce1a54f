"""Calls whose worker was lost: each is on record, and on the bill of its question."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from activities import complete
from pointsman.configuration import Retry
from pointsman.decision import CallLimits, RetrySchedule
from tests.builders import QUERY_TYPES
from tests.fakes import HANG, Later, Step, failing, reply
from tests.workflows.conftest import Pointsman, configuration

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def lost_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the server a worker that sends no heartbeat is a lost one."""

    @asynccontextmanager
    async def silence(*_: object, **__: object) -> AsyncGenerator[None]:
        yield

    def impatient(_: Retry) -> CallLimits:
        return CallLimits(heartbeat_timeout_s=0.2, retry=RetrySchedule(initial_s=0.01))

    monkeypatch.setattr(complete, "heartbeats", silence)
    monkeypatch.setattr(Retry, "limits", impatient)


@pytest.mark.usefixtures("lost_soon")
@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param(
            (failing(), HANG, reply("at last")),
            [(1, "http_503"), (2, "worker_lost"), (1, None)],
            id="after an attempt that left its row",
        ),
        pytest.param(
            (HANG, HANG, reply("at last")),
            [(1, "worker_lost"), (2, "worker_lost"), (1, None)],
            id="after one whose worker was lost too",
        ),
    ],
)
async def test_every_attempt_whose_worker_was_lost_is_on_record_under_its_number(
    pointsman: Pointsman, script: tuple[Step, ...], expected: list[tuple[int, str | None]]
) -> None:
    pointsman.fleet.script("alpha", *script)
    await pointsman.serve()
    answer = await pointsman.ask()
    assert answer.text == "at last"
    assert [(row.attempt, row.kind) for row in answer.attempts] == expected
    assert pointsman.fleet.calls("alpha") == 3


@pytest.mark.usefixtures("lost_soon")
async def test_a_leg_that_loses_after_its_worker_was_lost_keeps_that_on_its_bill(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", HANG)
    pointsman.fleet.script("beta", Later(0.1, reply("second")), reply("second"))
    await pointsman.serve(
        configuration(
            providers={"alpha": {"latency": {"p50_ms": 10, "p95_ms": 400}}},
            query_types={query_type: {"hedge": True} for query_type in QUERY_TYPES},
        )
    )
    answer = await pointsman.ask()
    assert (answer.text, answer.hedge_won) == ("second", True)
    kinds = [row.kind for row in answer.attempts if row.provider == "alpha"]
    assert kinds[-1] == "hedge_lost"
    # The last attempt may be cut off before it has asked anybody.
    calls = pointsman.fleet.calls("alpha")
    assert kinds.count("worker_lost") in (calls - 1, calls)
    assert calls > 1


@pytest.mark.usefixtures("lost_soon")
async def test_the_fifth_worker_lost_under_one_call_leads_to_the_next_provider(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", HANG)
    await pointsman.serve(configuration(query_types={key: {"max_attempts": 1} for key in QUERY_TYPES}))
    answer = await pointsman.ask()
    assert (answer.provider, answer.route_reason) == ("beta", "fallback:infrastructure")
    assert [row.kind for row in answer.attempts] == [*["worker_lost"] * 5, None]
    assert pointsman.fleet.calls("alpha") == 5
