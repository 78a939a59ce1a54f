"""What a probe makes of each reply and each fault."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.probe import Probe
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.ledger.entry import LedgerEntry
from pointsman.outcomes import ErrorClass, Usage
from tests.builders import configuration, provider
from tests.fakes import HANG, Fleet, Step, failing, reply
from workers.settings import Settings
from workers.wiring import make_completers, probes

REQUEST = ProbeRequest(key="alpha/openai/model-2026-01-01", epoch=1, gen=3, n=1, timeout_s=1.0)


async def _probe(step: Step, request: ProbeRequest = REQUEST, **changes: Any) -> ProbeResult:
    fleet = Fleet()
    fleet.script("alpha", step)
    probe = Probe(fleet.make("alpha", None, None), provider(**changes))
    return await ActivityEnvironment().run(probe.probe_provider, request)


@pytest.mark.parametrize(
    "answer",
    [
        reply("ok"),
        reply("", finish_reason="length"),
        reply("", finish_reason="content_filter"),
        reply("I cannot help with that."),
        reply("no", refused=True),
    ],
)
async def test_any_well_formed_answer_is_a_success(answer: Step) -> None:
    assert (await _probe(answer)).outcome is ProbeOutcome.SUCCESS


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (failing(), "http_503"),
        (reply(""), "empty_answer"),
        (reply("ok", finish_reason="missing"), "truncated"),
        (reply("ok", finish_reason="unknown"), "stop_reason"),
        (RuntimeError("key sk-CANARY"), "unexpected"),
    ],
)
async def test_a_fault_of_the_provider_is_a_failure(step: Step, kind: str) -> None:
    result = await _probe(step)
    assert (result.outcome, result.kind) == (ProbeOutcome.FAILURE, kind)
    assert "CANARY" not in result.model_dump_json()


@pytest.mark.parametrize(
    "error_class", [ErrorClass.CLIENT, ErrorClass.CONFIG, ErrorClass.QUOTA, ErrorClass.LOCAL, ErrorClass.CANCEL]
)
async def test_every_other_fault_tells_nothing(error_class: ErrorClass) -> None:
    result = await _probe(failing(error_class, "http_4xx", status=400))
    assert (result.outcome, result.throttled) == (ProbeOutcome.INCONCLUSIVE, False)


async def test_a_throttled_probe_tells_how_long_the_provider_asks_for() -> None:
    result = await _probe(failing(ErrorClass.THROTTLE, "http_429", status=429, retry_after_s=7.0))
    assert (result.outcome, result.throttled, result.retry_after_s) == (ProbeOutcome.INCONCLUSIVE, True, 7.0)


async def test_a_hang_is_a_failure_before_temporal_ends_the_attempt() -> None:
    async with asyncio.timeout(0.3):
        result = await _probe(HANG, REQUEST.model_copy(update={"timeout_s": 0.1}))
    assert (result.outcome, result.kind) == (ProbeOutcome.FAILURE, "timeout")
    assert result.cost_usd is not None
    assert result.cost_usd > 0


async def test_the_cost_is_what_was_billed_and_an_estimate_where_that_is_not_told() -> None:
    billed = Usage(input_tokens=10, output_tokens=5, source="reported")
    assert (await _probe(reply("ok", usage=billed))).cost_usd == pytest.approx(60e-6)
    unknown = (await _probe(reply("ok", usage=Usage(source="unknown")))).cost_usd
    assert unknown is not None
    assert unknown > 0
    assert (await _probe(failing())).cost_usd == 0.0
    assert (await _probe(reply("ok"), price=None)).cost_usd is None


async def test_a_model_that_this_process_knows_no_price_of_costs_an_unknown_amount() -> None:
    other = REQUEST.model_copy(update={"key": "alpha/openai/another"})
    assert (await _probe(reply("ok"), other)).cost_usd is None


class Kept:
    """A ledger that shows what it was given; a later row takes the place of an earlier one with its key."""

    def __init__(self) -> None:
        self.given: list[LedgerEntry] = []

    def record(self, entry: LedgerEntry) -> None:
        self.given.append(entry)

    @property
    def rows(self) -> list[LedgerEntry]:
        return list({entry.key: entry for entry in self.given}.values())


def _told(rows: list[LedgerEntry]) -> list[tuple[str, str | None, bool]]:
    assert {row.purpose for row in rows} == {"probe"}
    return [(row.outcome, row.kind, bool(row.cost_nano_usd)) for row in rows]


async def test_a_probe_is_one_row_from_before_its_request_to_its_end() -> None:
    fleet, kept, env = Fleet(), Kept(), ActivityEnvironment()
    fleet.script("alpha", HANG)
    probing = Probe(fleet.make("alpha", None, None), provider(), kept)
    running = asyncio.create_task(env.run(probing.probe_provider, REQUEST.model_copy(update={"timeout_s": 60.0})))
    await fleet.make("alpha", None, None).called.wait()
    # What a worker that is killed now leaves.
    assert _told(kept.rows) == [("failed", "worker_lost", True)]
    env.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert _told(kept.rows) == [("cancelled", "cancelled", True)]

    fleet.script("alpha", failing())
    await ActivityEnvironment().run(Probe(fleet.make("alpha", None, None), provider(), kept).probe_provider, REQUEST)
    assert _told(kept.rows) == [("failed", "http_503", False)]


async def test_probes_that_a_cut_off_process_sends_itself_are_rows_of_their_own() -> None:
    settings, fleet, kept = Settings(configuration(), {}), Fleet(), Kept()
    send = probes(settings, make_completers(settings, fleet.make), "worker-1", kept)["alpha"]
    for _ in range(2):
        assert (await send(REQUEST)).outcome is ProbeOutcome.SUCCESS
    assert _told(kept.rows) == [("answered", None, True)] * 2
    assert [row.key for row in kept.rows] == [("provider-health/worker-1", "", leg, 1) for leg in ("1", "2")]
    # Each was on record before its request too.
    assert [row.kind for row in kept.given] == ["worker_lost", None] * 2
