"""What a probe makes of each reply and each fault."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.probe import Probe
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.outcomes import ErrorClass, Usage
from tests.builders import provider
from tests.fakes import HANG, Fleet, Step, failing, reply

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
