"""Under tracing every recorded history replays as before, and tells nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from temporalio.worker import Replayer

from activities.process_telemetry import ProcessTelemetry
from pointsman.connection import DATA_CONVERTER
from pointsman.telemetry.span import FinishedSpan
from pointsman.telemetry.tracing import tracing_interceptor
from tests.replay.test_replay import HISTORIES, WORKFLOWS, history_of
from workers.wiring import SANDBOX


class _Kept:
    def __init__(self) -> None:
        self.spans: list[FinishedSpan] = []

    def emit(self, span: FinishedSpan) -> None:
        self.spans.append(span)


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
async def test_a_history_from_before_there_were_traces_replays_and_tells_nothing(path: Path) -> None:
    kept = _Kept()
    replayer = Replayer(
        workflows=list(WORKFLOWS),
        data_converter=DATA_CONVERTER,
        workflow_runner=SANDBOX,
        interceptors=[tracing_interceptor(ProcessTelemetry(spans=kept))],
    )
    await replayer.replay_workflow(history_of(path))
    assert kept.spans == []
