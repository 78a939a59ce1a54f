"""The row that each attempt leaves, and its cost."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.bill import answered, failed, lost
from pointsman.faults import ProviderFault
from pointsman.outcomes import NO_USAGE, ErrorClass, Fault, Usage
from pointsman.response import ProviderResponse
from tests.builders import call

REPORTED = Usage(input_tokens=100, output_tokens=20, source="reported")
# "hello" is estimated at ceil(5 / 3) + 8 tokens; alpha costs 1 USD in and 10 USD out per million.
ESTIMATED_INPUT = 10


def _response(usage: Usage = REPORTED, **fields: Any) -> ProviderResponse:
    return ProviderResponse(content="a" * 40, latency_s=0.25, usage=usage, model_served="served", **fields)


def _fault(kind: str = "http_503", status: int | None = None, **fields: Any) -> Fault:
    return Fault(error_class=ErrorClass.FAILURE, kind=kind, summary="", status=status, **fields)


def test_an_answer_is_billed_as_reported() -> None:
    row = answered(call(), _response(), 2, refused=False)
    assert (row.provider, row.model, row.attempt, row.outcome) == ("alpha", "openai/model-2026-01-01", 2, "answered")
    assert (row.usage, row.latency_ms, row.model_served, row.finish_reason) == (REPORTED, 250.0, "served", "stop")
    assert row.cost_usd == pytest.approx((100 * 1.0 + 20 * 10.0) / 1e6)


def test_a_refusal_is_billed_like_an_answer() -> None:
    row = answered(call(), _response(), 1, refused=True)
    assert (row.outcome, row.usage) == ("refused", REPORTED)


def test_an_answer_without_usage_is_estimated_from_its_text() -> None:
    row = answered(call(), _response(Usage()), 1, refused=False)
    assert row.usage == Usage(input_tokens=ESTIMATED_INPUT, output_tokens=11, source="estimated")
    assert row.cost_usd == pytest.approx((10 * 1.0 + 11 * 10.0) / 1e6)


def test_f25_an_answer_without_a_price_has_an_unknown_cost() -> None:
    assert answered(call(price=None), _response(), 1, refused=False).cost_usd is None


def test_a_reply_that_was_no_answer_is_billed_as_reported() -> None:
    row = failed(call(), ProviderFault(_fault("empty_answer"), _response()), 1, 0.3)
    assert (row.outcome, row.error_class, row.kind) == ("failed", "failure", "empty_answer")
    assert (row.usage, row.model_served, row.latency_ms) == (REPORTED, "served", 300.0)


@pytest.mark.parametrize(
    "fault",
    [_fault(status=503), _fault("connection"), _fault("no_key"), _fault("unknown_model")],
)
def test_what_was_turned_away_is_free_even_without_a_price(fault: Fault) -> None:
    row = failed(call(price=None), ProviderFault(fault), 1, 0.1)
    assert (row.usage, row.cost_usd) == (NO_USAGE, 0.0)


@pytest.mark.parametrize(("elapsed_s", "output_tokens"), [(0.0, 0), (0.25, 225), (25.0, 450)])
def test_a_timed_out_attempt_is_estimated_by_the_share_of_its_usual_time(elapsed_s: float, output_tokens: int) -> None:
    row = failed(call(), ProviderFault(_fault("timeout")), 1, elapsed_s)
    assert row.usage == Usage(input_tokens=ESTIMATED_INPUT, output_tokens=output_tokens, source="estimated")


def test_a_row_keeps_status_and_retry_after() -> None:
    row = failed(call(), ProviderFault(_fault("rate_limited", 429, retry_after_s=7.0)), 1, 0.1)
    assert (row.status, row.retry_after_s) == (429, 7.0)


def test_a_lost_call_is_estimated_whole_and_has_no_latency() -> None:
    row = lost(call(), _fault("worker_lost"))
    assert row.usage == Usage(input_tokens=ESTIMATED_INPUT, output_tokens=450, source="estimated")
    assert (row.latency_ms, row.outcome) == (None, "failed")


def test_a_cancelled_call_is_told_apart_from_a_failed_one() -> None:
    row = lost(call(), Fault(error_class=ErrorClass.CANCEL, kind="deadline", summary=""))
    assert row.outcome == "cancelled"
