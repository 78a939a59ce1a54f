"""What the Temporal SDK logs with a traceback though it is no bug, as one line, and not again and again."""

from __future__ import annotations

import logging
from collections import OrderedDict

from pointsman.errors import stored_elsewhere, unreadable_payload
from pointsman.server_faults import NO_FOLDER

QUIET_S = 10.0
"""For so long a workflow that cannot be read is not told of again: two entities are asked for news every second."""
_FOLLOWS = "Missing initialize workflow"
"""What the SDK makes of a query whose workflow could not be read the moment before."""
_REMEMBERED = 10_000


class InOneLine(logging.Filter):
    """For all handlers of a process: a payload that this worker cannot read is said in its sentence.

    What the SDK logs in consequence of it is left out.
    """

    def __init__(self) -> None:
        """Nothing has been said yet."""
        super().__init__()
        self._said: OrderedDict[str, float] = OrderedDict()
        """When each line was last let through, by the SDK's own words, which name the run."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let everything else through."""
        fault = record.exc_info[1] if record.exc_info else None
        if fault is None:
            return True
        words = record.getMessage().splitlines()[0]
        if _FOLLOWS in str(fault) and words in self._said:
            return False
        told = _unread(fault)
        if told is None:
            return True
        if record.created - self._said.get(words, float("-inf")) < QUIET_S:
            return False
        self._remember(words, record.created)
        record.msg, record.args = f"{words}: {told}", ()
        record.exc_info = record.exc_text = None
        return True

    def _remember(self, words: str, at: float) -> None:
        self._said[words] = at
        self._said.move_to_end(words)
        if len(self._said) > _REMEMBERED:
            self._said.popitem(last=False)


def _unread(fault: BaseException) -> str | None:
    told = unreadable_payload(fault)
    if told is not None:
        return str(told)
    return NO_FOLDER if isinstance(fault, RuntimeError | ValueError) and stored_elsewhere(str(fault)) else None
