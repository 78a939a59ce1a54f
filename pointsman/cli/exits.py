"""Exit statuses of the console command."""

from __future__ import annotations

from enum import IntEnum

from pointsman.errors import (
    AwaitingReview,
    IdTaken,
    InvalidOutcomes,
    InvalidQuestion,
    InvalidUpgrade,
    NoServer,
    NoWorker,
    ReviewRefused,
    RunRefused,
    UnknownProvider,
    UnknownQuestion,
    UnknownRun,
)
from pointsman.sentences import ConfigurationError


class Exit(IntEnum):
    """What a script can tell by the status."""

    DONE = 0
    FAILED = 1
    BAD_INPUT = 2
    NOT_REACHED = 3
    AWAITING_REVIEW = 4
    INTERRUPTED = 130


_BAD_INPUT = (
    InvalidQuestion,
    InvalidOutcomes,
    InvalidUpgrade,
    IdTaken,
    ReviewRefused,
    UnknownQuestion,
    UnknownProvider,
    RunRefused,
    UnknownRun,
    ConfigurationError,
)


def status_of(fault: Exception) -> Exit:
    """The status that an error ends with."""
    if isinstance(fault, _BAD_INPUT):
        return Exit.BAD_INPUT
    if isinstance(fault, AwaitingReview):
        return Exit.AWAITING_REVIEW
    if isinstance(fault, NoServer | NoWorker):
        return Exit.NOT_REACHED
    return Exit.FAILED
