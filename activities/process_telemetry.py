"""What the activities of one process tell about what they do. None of it waits, and none of it can fail a question."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from temporalio import activity

from pointsman.call import ProviderCall
from pointsman.decision import Decision
from pointsman.faults import CONSEQUENCES
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.outcomes import Attempt, Fault
from pointsman.reconciliation import Reconciliation
from pointsman.response import ProviderResponse
from pointsman.steps import ScoringRequest
from pointsman.telemetry.call_span import call_span
from pointsman.telemetry.decision_line import decision_line
from pointsman.telemetry.instruments import Instruments
from pointsman.telemetry.span import CURRENT, FinishedSpan, Spans
from pointsman.telemetry.tracing import QUESTION, WorkflowEnd, spans_of

_REMEMBERED = 1000
"""Questions that ended here last."""
_log = logging.getLogger(__name__)


class DecisionLog(Protocol):
    """Where lines are written; it neither waits nor raises."""

    def write(self, line: str) -> None:
        """Take a line, which has no end yet."""
        ...


@dataclass
class ProcessTelemetry:
    """The telemetry of one process; by default it is off."""

    instruments: Instruments = field(default_factory=Instruments)
    spans: Spans | None = None
    sampling_ratio: float = 1.0
    decisions: DecisionLog | None = None
    record_content: bool = False
    _told: set[str] = field(default_factory=set[str])
    _ended: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])
    _lock: Lock = field(default_factory=Lock)

    def decided(self, request: ScoringRequest, decision: Decision) -> None:
        """A question was routed, by the activity that runs here."""
        with self._harmless():
            self.instruments.decided(decision)
        if self.decisions is None:
            return
        with self._harmless():
            run_id = activity.info().workflow_run_id or ""
            line = decision_line(request, decision, run_id=run_id, with_prompt=self.record_content)
            self.decisions.write(line)

    def queued(self, provider: str, seconds: float) -> None:
        """An attempt waited so long for a worker."""
        with self._harmless():
            self.instruments.queued(provider, seconds)

    def ended(self, call: ProviderCall, row: Attempt, response: ProviderResponse | None = None) -> None:
        """A request has ended, with a reply or without."""
        with self._harmless():
            self.instruments.ended(call, row)
            counts = row.error_class is not None and CONSEQUENCES[row.error_class].health != "neutral"
            if counts and not call.measures:
                self.instruments.failed(row.provider, time.time())

        place = CURRENT.get()
        if not self.traces or place is None or not place.context.sampled:
            return
        with self._harmless():
            told = call_span(
                place,
                call,
                row,
                response,
                workflow_id=activity.info().workflow_id or "",
                ended_ns=time.time_ns(),
                with_content=self.record_content,
            )
            self.emit(told)

    @property
    def traces(self) -> bool:
        """Whether spans go anywhere."""
        return self.spans is not None

    def emit(self, span: FinishedSpan) -> None:
        """A span has ended."""
        if self.spans is not None:
            with self._harmless():
                self.spans.emit(span)

    def workflow_ended(self, end: WorkflowEnd) -> None:
        """A question or a shadow has ended; its last task may have had to be done again, which tells it again."""
        with self._harmless():
            if not self._first(end.run_id):
                return
            now_ns = time.time_ns()
            if end.workflow_type == QUESTION:
                seconds = max(0.0, (now_ns - end.started_ns) / 1e9)
                self.instruments.question_ended(end.outcome, end.failure, seconds)
            for span in spans_of(end, now_ns):
                self.emit(span)

    def turned_away(self, call: ProviderCall, fault: Fault) -> None:
        """An attempt was not sent."""
        with self._harmless():
            self.instruments.turned_away(call, fault)

    def cooled(self, provider: str, reason: str) -> None:
        """A provider is set aside for a while."""
        with self._harmless():
            self.instruments.cooled(provider, reason)

    def probed(self, request: ProbeRequest, result: ProbeResult) -> None:
        """A probe has ended."""
        with self._harmless():
            self.instruments.probed(request, result)
            if result.outcome is ProbeOutcome.FAILURE:
                self.instruments.failed(request.provider, time.time())

    def reconciled(self, found: Reconciliation, verdicts: Sequence[str], *, outstanding: int) -> None:
        """A panel's answers were compared; only the last time counts, when nothing is to come that could change it."""
        if outstanding and not found.settled:
            return
        with self._harmless():
            self.instruments.reconciled(divergent=found.divergent)
            for verdict in verdicts:
                self.instruments.compared("panel", verdict)

    def shadow_compared(self, verdict: str | None) -> None:
        """A new model's answer was held against the one that was given."""
        if verdict is not None:
            with self._harmless():
                self.instruments.compared("shadow", verdict)

    def _first(self, run_id: str) -> bool:
        with self._lock:
            first = run_id not in self._ended
            self._ended[run_id] = None
            if len(self._ended) > _REMEMBERED:
                self._ended.popitem(last=False)
        return first

    @contextmanager
    def _harmless(self) -> Generator[None]:
        """Whatever goes wrong in telling is told once in the log, and nowhere else."""
        try:
            yield
        except Exception as fault:  # noqa: BLE001 - telemetry must not cost a question
            name = type(fault).__name__
            if name not in self._told:
                self._told.add(name)
                _log.warning("telemetry is incomplete: %s", name)
