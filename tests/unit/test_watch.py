"""When a client gives up on workers: never while one may be there, and soon when none is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from temporalio.api.deployment.v1 import WorkerDeploymentOptions, WorkerDeploymentVersion
from temporalio.api.enums.v1 import VersioningBehavior, WorkerVersioningMode
from temporalio.api.taskqueue.v1 import PollerInfo, TaskQueueVersioningInfo
from temporalio.api.workflow.v1 import WorkflowExecutionVersioningInfo
from temporalio.api.workflowservice.v1 import DescribeTaskQueueResponse

from pointsman.watch import NOBODY, NOT_TAKEN_S, SILENT_S, Vigil, unserved

SCHEDULED = 1_000
BEFORE, AFTER = SCHEDULED - 1, SCHEDULED + 1


def _sentences(looks: Sequence[tuple[float, int | None, int | None]]) -> list[str | None]:
    vigil = Vigil(_asked_seen_at=looks[0][0])
    return [vigil.abandoned(*look) for look in looks]


def test_a_step_that_nobody_takes_is_told_once_another_worker_would_have_taken_it() -> None:
    early, late = _sentences([(0.0, SCHEDULED, BEFORE), (NOT_TAKEN_S, SCHEDULED, BEFORE)])
    assert early is None
    assert late is not None
    assert "no worker has taken the question for 12 s" in late


def test_a_step_that_the_server_hands_to_any_worker_after_its_own_goes_on_waiting() -> None:
    looks = [(0.0, SCHEDULED, BEFORE), (10.0, SCHEDULED + 100, BEFORE), (NOT_TAKEN_S, SCHEDULED + 100, BEFORE)]
    assert [told is None for told in _sentences(looks)] == [True, True, False]


def test_a_worker_that_asked_since_is_busy_and_not_gone() -> None:
    assert _sentences([(0.0, SCHEDULED, BEFORE), (NOT_TAKEN_S * 5, SCHEDULED, AFTER)]) == [None, None]


def test_a_step_that_is_taken_meanwhile_begins_anew() -> None:
    looks = [(0.0, SCHEDULED, BEFORE), (6.0, None, BEFORE), (NOT_TAKEN_S, SCHEDULED + 50, BEFORE)]
    assert _sentences(looks) == [None, None, None]


def test_a_server_that_lists_no_workers_is_believed_about_its_steps_alone() -> None:
    assert _sentences([(0.0, None, None), (SILENT_S * 2, None, None)]) == [None, None]
    assert _sentences([(0.0, SCHEDULED, None), (NOT_TAKEN_S, SCHEDULED, None)])[1] is not None


@pytest.mark.parametrize(("scheduled", "asked"), [(None, AFTER), (SCHEDULED, AFTER), (None, NOBODY)])
def test_workers_that_fall_silent_are_told_although_the_server_lists_them(scheduled: int | None, asked: int) -> None:
    looks = [(0.0, scheduled, asked), (SILENT_S - 1, scheduled, asked), (SILENT_S, scheduled, asked)]
    early, later, late = _sentences(looks)
    assert (early, later) == (None, None)
    assert late is not None
    assert "no worker has asked for work for 80 s" in late


def test_workers_that_ask_now_and_then_are_there() -> None:
    assert _sentences([(70.0 * n, None, SCHEDULED + n) for n in range(10)]) == [None] * 10


def test_workers_have_time_to_come_back_to_a_server_that_restarted() -> None:
    looks = [(0.0, None, AFTER), (5.0, SCHEDULED, NOBODY), (10.0, SCHEDULED, NOBODY), (15.0, None, SCHEDULED + 99)]
    assert _sentences(looks) == [None] * 4


OLD, NEW = WorkerDeploymentVersion(build_id="old"), WorkerDeploymentVersion(build_id="new")
VERSIONED = WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED
UNVERSIONED = WorkerVersioningMode.WORKER_VERSIONING_MODE_UNVERSIONED
UNSAID = VersioningBehavior.VERSIONING_BEHAVIOR_UNSPECIFIED
PINNED, MOVING = VersioningBehavior.VERSIONING_BEHAVIOR_PINNED, VersioningBehavior.VERSIONING_BEHAVIOR_AUTO_UPGRADE


@pytest.mark.parametrize(
    ("builds", "current", "behavior", "began_with", "said"),
    [
        ([""], None, UNSAID, None, None),
        (["old", "new"], NEW, UNSAID, None, None),
        (["old", "new"], NEW, PINNED, OLD, None),
        (["new"], NEW, MOVING, OLD, None),
        ([], NEW, PINNED, OLD, None),
        (["new", "old"], None, UNSAID, None, "workers of the builds new, old are there and none is the current one"),
        (["new"], NEW, PINNED, OLD, "no worker of the build 'old' is there, whose turn it is with the question"),
        (["old"], NEW, MOVING, OLD, "no worker of the build 'new' is there"),
        ([""], NEW, UNSAID, None, "no worker of the build 'new' is there"),
    ],
)
def test_workers_of_other_builds_are_told_from_the_one_whose_turn_it_is(
    builds: list[str],
    current: WorkerDeploymentVersion | None,
    behavior: VersioningBehavior.ValueType,
    began_with: WorkerDeploymentVersion | None,
    said: str | None,
) -> None:
    modes = {build: VERSIONED if build else UNVERSIONED for build in builds}
    pollers = [
        PollerInfo(deployment_options=WorkerDeploymentOptions(build_id=build or "a hash", worker_versioning_mode=mode))
        for build, mode in modes.items()
    ]
    queue = DescribeTaskQueueResponse(
        pollers=pollers, versioning_info=TaskQueueVersioningInfo(current_deployment_version=current)
    )
    question = WorkflowExecutionVersioningInfo(behavior=behavior, deployment_version=began_with)
    found = unserved(question, queue)
    assert (found or "").startswith(said or "")
    assert (found is None) == (said is None)
