"""The worker's listener: what it says where, and that a taken port is told."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from pointsman.sentences import ConfigurationError
from pointsman.telemetry.settings import ListenAt
from workers.telemetry.condition import LOOP_PATIENCE_S, Condition
from workers.telemetry.listener import Listener

ANY = ListenAt("127.0.0.1", 0, 0)


def get(listener: Listener, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://{listener.address}{path}", timeout=5) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as fault:
        with fault:
            return fault.code, fault.read().decode()


def test_a_process_that_starts_is_well_and_not_ready_yet() -> None:
    condition = Condition()
    listener = Listener(ANY, condition, lambda: b"a 1\n")
    assert get(listener, "/healthz")[0] == 200
    status, body = get(listener, "/readyz")
    assert (status, json.loads(body)["checks"]["workers"]) == (503, False)
    condition.serving = condition.fleet_heard = condition.catalogue_read = True
    assert get(listener, "/readyz?verbose")[0] == 200
    listener.close()


@pytest.mark.parametrize("lacking", ["serving", "fleet_heard", "catalogue_read", "workers_run"])
def test_readiness_needs_each_of_its_conditions(lacking: str) -> None:
    condition = Condition(serving=True, fleet_heard=True, catalogue_read=True)
    assert condition.readiness.well
    setattr(condition, lacking, False)
    assert not condition.readiness.well


def test_a_worker_that_has_ended_or_a_loop_that_hangs_is_not_well() -> None:
    now = 100.0
    condition = Condition(monotonic=lambda: now)
    assert condition.health.well
    now += LOOP_PATIENCE_S
    assert json.loads(condition.health.body)["checks"] == {"loop": False, "workers": True}
    condition.turn()
    condition.workers_run = False
    assert json.loads(condition.health.body)["checks"] == {"loop": True, "workers": False}


def test_metrics_are_told_as_text_and_other_paths_are_not_found() -> None:
    listener = Listener(ANY, Condition(), lambda: b"a 1\n")
    assert get(listener, "/metrics") == (200, "a 1\n")
    assert get(listener, "/")[0] == 404
    listener.close()


def test_a_taken_port_is_refused_in_one_sentence_and_the_next_of_a_range_is_taken() -> None:
    first = Listener(ANY, Condition(), lambda: b"")
    port = int(first.address.rpartition(":")[2])
    with pytest.raises(ConfigurationError) as refused:
        Listener(ListenAt("127.0.0.1", port, port), Condition(), lambda: b"")
    (sentence,) = refused.value.faults
    assert sentence.startswith(f"telemetry.listen: cannot listen at 127.0.0.1:{port} (Address already in use); give")
    second = Listener(ListenAt("127.0.0.1", port, port + 50), Condition(), lambda: b"")
    assert int(second.address.rpartition(":")[2]) > port
    first.close()
    second.close()


def test_a_host_that_is_none_of_this_machine_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no name of this machine"):
        Listener(ListenAt("no.such.host.invalid", 0, 0), Condition(), lambda: b"")
