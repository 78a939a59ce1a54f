"""Every recorded history replays with today's code; one that must not, does not."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer
from temporalio.workflow import NondeterminismError

from pointsman.connection import DATA_CONVERTER
from tests.replay.reordered import Reordered
from workers.wiring import SANDBOX
from workflows.eval_run import EvalRun
from workflows.model_upgrade import ModelUpgrade
from workflows.profile_run import ProfileRun
from workflows.provider_catalogue import ProviderCatalogue
from workflows.provider_health import ProviderHealth
from workflows.provider_sitting import ProviderSitting
from workflows.route_and_answer import RouteAndAnswer
from workflows.shadow_question import ShadowQuestion

HISTORIES = sorted((Path(__file__).parent / "histories").glob("*.json"))
WORKFLOWS = (
    RouteAndAnswer,
    ProviderHealth,
    ProviderCatalogue,
    EvalRun,
    ProfileRun,
    ProviderSitting,
    ShadowQuestion,
    ModelUpgrade,
)
PROMISED = {
    "cancelled_as_its_call_failed",
    *("plain", "retry", "fallback", "all_failed", "deadline", "killed_worker", "waited", "second_opinion"),
    *("hedge_not_needed", "hedge_won_by_second", "hedge_won_by_first", "hedge_lost_by_both", "hedge_denied"),
    *("breaker_open_at_start", "throttled", "charged_fallback", "waited_for_a_breaker", "entity_goes_on"),
    "catalogue_goes_on",
    *("panel_agrees", "panel_margin", "panel_majority", "panel_leg_failed", "panel_unverifiable"),
    *("review_chosen", "review_own_text", "review_timed_out"),
    *("eval_run", "provider_sitting", "profile_run"),
    *("shadowed_question", "shadow", "model_upgrade"),
}


def history_of(path: Path) -> WorkflowHistory:
    text = path.read_text(encoding="utf-8")
    # Children are named for the workflow that starts them, so it is replayed under its own id.
    started = json.loads(text)["events"][0]["workflowExecutionStartedEventAttributes"]
    return WorkflowHistory.from_json(started["workflowId"], text)


def _replayer(*workflows: type) -> Replayer:
    return Replayer(workflows=list(workflows), data_converter=DATA_CONVERTER, workflow_runner=SANDBOX)


def test_every_promised_path_has_a_recorded_history() -> None:
    assert {path.stem.rpartition("-")[0] for path in HISTORIES} >= PROMISED


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
async def test_the_recorded_history_replays(path: Path) -> None:
    await _replayer(*WORKFLOWS).replay_workflow(history_of(path))


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_a_recorded_history_names_no_folder_of_a_machine(path: Path) -> None:
    assert 'File \\"/' not in path.read_text(encoding="utf-8")


async def test_a_workflow_that_scores_before_it_classifies_does_not_replay() -> None:
    plain = next(path for path in HISTORIES if path.stem.startswith("plain-"))
    with pytest.raises(NondeterminismError):
        await _replayer(Reordered).replay_workflow(history_of(plain))


async def test_a_call_that_fails_as_it_is_cancelled_leaves_no_error_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cancelled = next(path for path in HISTORIES if path.stem.startswith("cancelled_as_its_call_failed-"))
    await _replayer(RouteAndAnswer).replay_workflow(history_of(cancelled))
    # Python tells of a failure that nobody looked at when it is thrown away.
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


def test_the_killed_worker_history_holds_a_heartbeat_timeout() -> None:
    killed = next(path for path in HISTORIES if path.stem.startswith("killed_worker-"))
    assert "TIMEOUT_TYPE_HEARTBEAT" in killed.read_text(encoding="utf-8")
