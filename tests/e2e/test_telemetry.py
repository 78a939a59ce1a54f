"""A real worker process tells how it is: metrics by their documented names and labels, health, readiness, decisions."""

from __future__ import annotations

import asyncio
import json
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pointsman.telemetry.metrics import METRICS, Metric
from tests.e2e.conftest import PATIENCE_S, Site, new_site
from tests.e2e.fleet import Fleet
from tests.observed import BY_PROMETHEUS, CLOSED_SETS, OF_PROMETHEUS, everything_asked
from tests.promql import selected
from workers.embedded.scripted.script import Reply, Status
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import free_port

LATE_S = 5.0
BAD_INPUT = 2


@dataclass(frozen=True)
class Told:
    """What a worker's listener says."""

    port: int

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as fault:
            with fault:
                return fault.code, fault.read().decode()

    def series(self) -> dict[str, list[tuple[dict[str, str], float]]]:
        """Every series by the name of its sample."""
        found: dict[str, list[tuple[dict[str, str], float]]] = {}
        for family in text_string_to_metric_families(self.get("/metrics")[1]):
            for sample in family.samples:
                found.setdefault(sample.name, []).append((sample.labels, sample.value))
        return found

    def lacking(self) -> list[str]:
        """The documented metrics of which there is no series with their labels yet."""
        found = self.series()
        return [metric.exposed for metric in METRICS if not _exposed(metric, found)]

    def value(self, name: str, **labels: str) -> float:
        """The sum of the series with these labels."""
        return sum(value for has, value in self.series().get(name, []) if labels.items() <= has.items())


def _exposed(metric: Metric, found: dict[str, list[tuple[dict[str, str], float]]]) -> bool:
    histogram = metric.kind == "histogram"
    series = found.get(f"{metric.exposed}_bucket" if histogram else metric.exposed, [])
    return any(set(labels) == {*metric.labels, *(("le",) if histogram else ())} for labels, _ in series)


@pytest.fixture(scope="module")
def fleet(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    """One process with everything switched on; each task has providers of its own."""
    with new_site(loop, providers, tmp_path_factory.mktemp("telemetry")) as site:
        fleet = Fleet(site, providers)
        latency = {"latency": {"p50_ms": 10, "p95_ms": 300}}
        names = ("plain", "spare", "first", "second", "failing", "capped", "panel-a", "panel-b", "busy")
        members = dict.fromkeys(names, latency) | {"capped": {**latency, "daily_cost_cap_usd": 5.0}}
        fleet.configure(
            members,
            {
                "plain": {"chain": ["plain", "spare"]},
                "hedged": {"chain": ["first", "second"], "hedge": True},
                "failing": {"chain": ["failing", "capped"], "max_attempts": 3},
                "busy": {"chain": ["busy", "spare"]},
                "panel": {"chain": ["panel-a", "panel-b"], "stakes": "high"},
            },
            budget={"ratio": 0.0, "capacity": 2, "trickle": 0.0},
            tenants={"blue": {"daily_cost_cap_usd": 5.0}},
            telemetry={
                "listen": f"127.0.0.1:{free_port(0)}",
                "decision_log": str(site.folder / "decisions.jsonl"),
                "sdk_metrics": True,
            },
        )
        fleet.start(1)
        yield fleet


@pytest.fixture(scope="module")
def told(fleet: Fleet) -> Told:
    """The listener of the one process."""
    listening = fleet.site.config.read_text(encoding="utf-8").partition('listen = "127.0.0.1:')[2]
    return Told(int(listening.partition('"')[0]))


@pytest.fixture(scope="module")
def busy(fleet: Fleet, providers: ScriptedProviders, told: Told) -> Told:
    """The listener, after questions with faults of every kind."""
    providers.script("first", Reply("late", delay_s=LATE_S))
    providers.script("second", Reply("in time"))
    providers.script("failing", Status(503))
    providers.script("busy", Status(429))
    providers.script("panel-a", Reply("The answer is 5."))
    providers.script("panel-b", Reply("The answer is 6."))
    fleet.ask("plain", tenant="blue")
    assert fleet.ask("hedged").answered.hedged
    fleet.ask("busy")
    # Its retries use the budget up, its failures open its breaker, and the next question passes it over.
    for _ in range(3):
        assert fleet.ask("failing").answered.provider == "capped"
    fleet.until_state("failing", "open", "half_open")
    fleet.ask("failing")
    fleet.begin("panel")
    with suppress(TimeoutError):
        fleet.until(lambda: not told.lacking(), 20)
    return told


def test_a_worker_that_serves_is_well_and_ready(fleet: Fleet, told: Told) -> None:
    assert told.get("/healthz")[0] == 200
    assert fleet.until(lambda: told.get("/readyz")[0] == 200, PATIENCE_S)
    assert json.loads(told.get("/readyz")[1])["checks"] == {
        "loop": True,
        "workers": True,
        "fleet": True,
        "catalogue": True,
    }
    assert told.get("/nothing")[0] == 404


def test_after_questions_with_faults_every_documented_metric_is_there_with_its_labels(fleet: Fleet, busy: Told) -> None:
    assert busy.lacking() == []
    asked = fleet.asked_of()
    plain = busy.value("pointsman_calls_total", provider="plain", outcome="answered", error_class="none")
    assert plain == asked["plain"]
    assert busy.value("pointsman_calls_total", provider="failing", error_class="failure") >= 3
    assert busy.value("pointsman_calls_total", provider="busy", error_class="throttle") >= 1
    assert busy.value("pointsman_hedges_total", provider="second") == 1
    assert busy.value("pointsman_budget_charges_total", charge="retry", result="denied") >= 1
    assert busy.value("pointsman_calls_turned_away_total", kind="retry_budget_exhausted") >= 1
    assert busy.value("pointsman_rejections_total", provider="failing") >= 1
    assert busy.value("pointsman_breaker_transitions_total", provider="failing", to="open") >= 1
    assert busy.value("pointsman_divergences_total", outcome="disagreed") == 1
    assert busy.value("pointsman_comparisons_total", source="panel", verdict="disagree") == 1
    assert busy.value("pointsman_calls_in_flight") == 0
    assert busy.value("pointsman_provider_daily_cap_usd") == 5
    assert busy.value("pointsman_tenant_daily_cap_usd", tenant="blue") == 5
    # What the fleet knows of a tenant's questions comes with the next snapshot.
    fleet.until(lambda: busy.value("pointsman_tenant_spent_today_usd", tenant="blue") > 0, PATIENCE_S)
    answered = busy.value("pointsman_questions_total", outcome="answered", failure="none")
    assert answered == asked.total() - asked["panel"]
    # The list of what waits is looked at each 30 s.
    fleet.until(lambda: busy.value("pointsman_reviews_waiting") == 1, PATIENCE_S)
    assert busy.value("pointsman_reviews_oldest_seconds") > 0


def test_all_that_dashboard_and_alerts_ask_for_is_told_by_this_worker(busy: Told) -> None:
    found = busy.series()
    for asked in everything_asked():
        for metric in selected(asked.expr):
            if metric.name not in OF_PROMETHEUS:
                wanted = metric.labels - BY_PROMETHEUS
                assert any(wanted <= set(labels) for labels, _ in found.get(metric.name, [])), (asked, metric)
    ours = [labels for name, series in found.items() if name.startswith("pointsman_") for labels, _ in series]
    for label in ("state", "to", "error_class", "purpose", "result", "charge", "type", "verdict"):
        values = {labels[label] for labels in ours if label in labels}
        assert values
        assert values <= CLOSED_SETS[label]


def test_temporals_own_metrics_stand_beside_ours_each_worker_with_its_own_series(told: Told) -> None:
    slots = told.series()["temporal_worker_task_slots_available"]
    queues = {labels["task_queue"] for labels, _ in slots}
    assert {"pointsman", "pointsman-catalogue", "pointsman-provider-plain", "pointsman-provider-spare"} <= queues


def test_each_decision_is_one_line_and_holds_no_prompt(fleet: Fleet, providers: ScriptedProviders) -> None:
    providers.script("plain", Reply("hello"))
    asked = fleet.ask("plain")

    def lines() -> list[str]:
        text = (fleet.site.folder / "decisions.jsonl").read_text(encoding="utf-8")
        return [line for line in text.splitlines() if json.loads(line)["workflow_id"] == asked.id]

    (line,) = fleet.until(lines)
    assert json.loads(line)["choice"]["provider"] == "plain"
    assert "What becomes of" not in line


def test_a_port_that_is_taken_ends_the_start_with_one_sentence_and_status_2(fleet: Fleet, told: Told) -> None:
    second = fleet.site.start_worker(wait=False)
    assert second.process.wait(PATIENCE_S) == BAD_INPUT
    said = [line for line in second.said().splitlines() if "telemetry.listen" in line]
    assert said == [line for line in said if f"cannot listen at 127.0.0.1:{told.port}" in line]
    assert len(said) == 1
    assert "Traceback" not in second.said()


def test_a_worker_without_telemetry_listens_nowhere_and_says_nothing_of_it(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, unserved: Site
) -> None:
    worker = unserved.start_worker("--log-level", "DEBUG")
    assert "telemetry" not in worker.said()
    assert worker.signal(signal.SIGTERM) == 0
