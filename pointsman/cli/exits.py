"""Exit statuses of the console command."""

from __future__ import annotations

from enum import IntEnum

from pointsman.errors import IdTaken, InvalidQuestion, NoServer, NoWorker, UnknownProvider, UnknownQuestion
from pointsman.sentences import ConfigurationError


class Exit(IntEnum):
    """What a script can tell by the status."""

    DONE = 0
    FAILED = 1
    BAD_INPUT = 2
    NOT_REACHED = 3
    AWAITING_REVIEW = 4
    INTERRUPTED = 130


def status_of(fault: Exception) -> Exit:
    """The status that an error ends with."""
    if isinstance(fault, InvalidQuestion | IdTaken | UnknownQuestion | UnknownProvider | ConfigurationError):
        return Exit.BAD_INPUT
    if isinstance(fault, NoServer | NoWorker):
        return Exit.NOT_REACHED
    return Exit.FAILED
