"""What a kill explains: of which calls a killed process could not write the end, or not even the beginning."""

from __future__ import annotations

from datetime import datetime, timedelta

from benchmarks.chaos.calls import worker_of
from benchmarks.chaos.witness import Evidence
from workers.embedded.scripted.request import Hit

WRITTEN_WITHIN_S = 1.0
"""Until a row is in the file, where no other process holds the file meanwhile. It takes milliseconds."""
_NOTED_WITHIN_S = 5.0
"""Until a busy provider notes a request that was sent before the kill."""
_REPORTED_WITHIN_S = 5.0
"""Until a server has on record what a worker has told it, or has given up a step that it waited for while away."""
_SENT_WITHIN = timedelta(seconds=5)
"""From the server's giving out a call until its request, which waits for a token at most."""


def unwritten(evidence: Evidence, hit: Hit, since: float | None) -> bool:
    """Whether the process that sent this was killed before a row could be in the file that it had from `since` on.

    Args:
        evidence: Which processes were killed, and when another held the file.
        hit: Names its process.
        since: Monotonic seconds; `None` for what has not come, so that each later kill of the process came before.
    """
    worker = worker_of(hit)
    moments = [killed.at for killed in evidence.killed if killed.target == "worker" and killed.worker == worker]
    if since is None:
        return bool(moments)
    return any(
        at - since >= -_NOTED_WITHIN_S and at - since - _locked_s(evidence, since, at) <= WRITTEN_WITHIN_S
        for at in moments
    )


def unsent(evidence: Evidence, given_out_at: datetime) -> bool:
    """Whether a worker was killed between a call's being given out, by Temporal's clock, and its request."""
    return any(
        killed.target == "worker" and given_out_at - _SENT_WITHIN / 5 <= killed.moment <= given_out_at + _SENT_WITHIN
        for killed in evidence.killed
    )


def unreported(evidence: Evidence, hit: Hit) -> bool:
    """Whether its worker or the server was killed before the end of this call could be in history."""
    if hit.ended is None:
        return True
    until = hit.ended + _REPORTED_WITHIN_S
    return any(
        hit.started <= killed.at <= until
        if killed.target == "worker"
        else killed.at <= until and hit.started <= killed.at + killed.away_s + _REPORTED_WITHIN_S
        for killed in evidence.killed
        if killed.target == "server" or killed.worker == worker_of(hit)
    )


def _locked_s(evidence: Evidence, since: float, until: float) -> float:
    return sum(max(0.0, min(until, end) - max(since, begin)) for begin, end in evidence.locked)
