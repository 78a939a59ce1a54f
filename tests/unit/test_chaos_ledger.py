"""The ledger beside the providers: each row that is missing, unfinished or untrue is found."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from benchmarks.chaos import accounts
from benchmarks.chaos.verdict import verdict
from benchmarks.chaos.witness import Killed
from tests.chaos_evidence import BEGAN, PRICED, evidence, hit, row, run_of
from workers.embedded.scripted.script import Hang, Status

LOST: dict[str, Any] = {
    "outcome": "failed",
    "error_class": "infrastructure",
    "kind": "worker_lost",
    "usage_source": "estimated",
}
AWAY = Killed("worker", 10.5, 1.0, "worker-1", BEGAN + timedelta(seconds=1))


def faults(**changes: Any) -> list[str]:
    return accounts.accounts(evidence(**changes)).faults


def test_reported_usage_must_be_the_providers_own_count() -> None:
    assert len(accounts.accounts(evidence(rows=[row(output_tokens=6)])).faults) == 1
    assert len(accounts.accounts(evidence(rows=[row(cost_nano_usd=70_001)])).faults) == 1
    refused = evidence(behaviours={"north": {1: Status(503)}})
    assert any("the provider counted" in fault for fault in accounts.accounts(refused).faults)


def test_an_answer_that_was_heard_may_not_be_an_estimate() -> None:
    assert len(faults(rows=[row(usage_source="estimated")])) == 1
    silent = {"north": {1: replace(PRICED, usage=None)}}
    assert faults(rows=[row(usage_source="estimated", cost_nano_usd=70_000)], behaviours=silent) == []
    assert len(faults(rows=[row()], behaviours=silent)) == 1
    hung: dict[str, Any] = {
        "outcome": "failed",
        "error_class": "failure",
        "kind": "timeout",
        "usage_source": "estimated",
    }
    hanging = evidence(rows=[row(**hung)], behaviours={"north": {1: Hang()}}, runs=[run_of(recorded=())])
    found = accounts.accounts(hanging)
    assert (found.faults, found.estimated, found.unheard) == ([], 1, 0)


def test_a_row_may_be_missing_only_where_its_own_process_was_killed_before_it_was_written() -> None:
    assert len(faults(rows=[])) == 1
    found = accounts.accounts(evidence(rows=[], killed=[AWAY]))
    assert (found.faults, found.lost, found.at_risk) == ([], 1, 1)
    figures = {figure.key: figure for figure in verdict(evidence(rows=[], killed=[AWAY])).figures}
    assert figures["kill_rows_lost"].holds is True
    for other in (replace(AWAY, worker="worker-2"), replace(AWAY, at=12.0), replace(AWAY, at=4.0)):
        assert len(faults(rows=[], killed=[other])) == 1
    assert len(faults(rows=[], killed=[Killed("server", 10.5, 1.0)])) == 1
    # Under way for 2 s already: its first row was due before the request.
    slow = hit(ended=13.0)
    assert len(faults(rows=[], hits=[slow], killed=[replace(AWAY, at=12.0)])) == 1


def test_a_row_may_be_late_for_as_long_as_another_process_held_the_file() -> None:
    late = evidence(rows=[], killed=[replace(AWAY, at=14.0)])
    assert len(accounts.accounts(late).faults) == 1
    assert accounts.accounts(replace(late, locked=[(10.5, 13.8)])).faults == []
    assert len(accounts.accounts(replace(late, locked=[(10.5, 12.0)])).faults) == 1


def test_a_row_is_left_at_worker_lost_only_where_its_own_process_was_killed_before_its_end_was_written() -> None:
    left = row(**LOST)
    assert len(faults(rows=[left])) == 1
    found = accounts.accounts(evidence(rows=[left], killed=[AWAY]))
    assert (found.faults, found.estimated, found.unheard) == ([], 1, 1)
    for other in (replace(AWAY, worker="worker-2"), replace(AWAY, at=20.0), Killed("server", 10.5, 1.0)):
        assert len(faults(rows=[left], killed=[other])) == 1
    under_way = hit(outcome="open", ended=None)
    assert faults(rows=[left], hits=[under_way], killed=[replace(AWAY, at=12.0)]) == []


def test_a_completion_that_is_in_history_is_an_answer_in_the_ledger() -> None:
    cut = row(outcome="cancelled", error_class="cancel", kind="cancelled", usage_source="estimated")
    assert len(faults(rows=[cut])) == 1
    assert faults(rows=[cut], runs=[run_of(recorded=())]) == []


def test_a_row_names_who_was_asked_and_says_what_came_of_it() -> None:
    (fault,) = faults(rows=[row(provider="south")])
    assert "north was asked" in fault
    assert len(faults(rows=[row(model="openai/gpt-4")])) == 1
    failed = row(outcome="failed", error_class="failure", kind="unparsable")
    assert any("the row says failed" in fault for fault in faults(rows=[failed]))
    free = row(input_tokens=0, output_tokens=0, cost_nano_usd=0)
    (fault,) = faults(rows=[free], behaviours={"north": {1: Status(503)}})
    assert "the row says answered" in fault
    silent = {"north": {1: replace(PRICED, usage=None)}}
    estimated = failed.model_copy(update={"usage_source": "estimated"})
    asked = {"rows": [estimated], "behaviours": silent, "runs": [run_of(recorded=())]}
    assert len(faults(**asked)) == 1
    aborted = faults(hits=[hit(outcome="aborted")])
    assert any("the row says answered" in fault for fault in aborted)


def test_an_estimate_is_what_its_tokens_cost_and_no_more_than_the_call_may_cost() -> None:
    refused = {"north": {1: Status(503)}}
    cut: dict[str, Any] = {
        "outcome": "failed",
        "error_class": "failure",
        "kind": "timeout",
        "usage_source": "estimated",
    }
    calls: dict[str, Any] = {"behaviours": refused, "runs": [run_of(recorded=())]}
    assert faults(rows=[row(**cut)], **calls) == []
    absurdities: tuple[dict[str, Any], ...] = (
        {"cost_nano_usd": 10**15},
        {"cost_nano_usd": None},
        {"output_tokens": 1025, "cost_nano_usd": 10_270_000},
        {"input_tokens": 10**6, "cost_nano_usd": 1_000_050_000},
        {"input_tokens": 0, "cost_nano_usd": 50_000},
        {"usage_source": "unknown"},
    )
    for absurd in absurdities:
        assert len(faults(rows=[row(**{**cut, **absurd})], **calls)) == 1


def test_a_probe_costs_what_its_provider_counted_or_next_to_nothing() -> None:
    probe = hit(workflow="provider-health", number=1)
    told: dict[str, Any] = {
        "workflow_id": "provider-health",
        "purpose": "probe",
        "usage_source": "estimated",
        "input_tokens": 0,
    }
    kept: dict[str, Any] = {**told, "output_tokens": 0}
    assert faults(hits=[probe], rows=[row(**kept)]) == []
    wrongs: tuple[dict[str, Any], ...] = (
        {"cost_nano_usd": 10**15},
        {"cost_nano_usd": 70_001},
        {"cost_nano_usd": None},
        {"usage_source": "unknown"},
        {"provider": "south"},
        {"outcome": "failed", "kind": "timeout", "cost_nano_usd": 10**15},
        {"outcome": "failed", "kind": "http_503", "cost_nano_usd": 0},
    )
    for wrong in wrongs:
        assert len(faults(hits=[probe], rows=[row(**{**kept, **wrong})])) == 1


def test_a_row_without_a_request_must_have_been_cut_off() -> None:
    assert len(faults(hits=[], rows=[row(cost_nano_usd=0)])) == 1
    cut: dict[str, Any] = {"outcome": "cancelled", "error_class": "cancel", "usage_source": "estimated"}
    unsent = accounts.accounts(evidence(hits=[], rows=[row(**cut)]))
    assert (unsent.faults, unsent.unsent) == ([], 1)
    wrongs: tuple[dict[str, Any], ...] = (
        {"outcome": "answered"},
        {"cost_nano_usd": 10**15},
        {"usage_source": "reported"},
    )
    for wrong in wrongs:
        assert len(faults(hits=[], rows=[row(**{**cut, **wrong})])) == 1


def test_a_row_that_is_left_at_worker_lost_without_a_request_needs_a_kill_at_that_time() -> None:
    left = row(**LOST)
    assert len(faults(hits=[], rows=[left])) == 1
    assert faults(hits=[], rows=[left], killed=[AWAY]) == []
    assert len(faults(hits=[], rows=[left], killed=[replace(AWAY, moment=BEGAN + timedelta(minutes=1))])) == 1
