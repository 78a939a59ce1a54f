"""What the Temporal SDK logs with a traceback though it is no bug, as one line."""

from __future__ import annotations

import logging

from pointsman.errors import UnreadablePayload


class InOneLine(logging.Filter):
    """For a handler: a payload that this worker cannot read is said in its sentence, at each try."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let everything through, some of it shortened."""
        told = _unreadable(record.exc_info[1] if record.exc_info else None)
        if told is not None:
            record.msg, record.args = f"{record.getMessage().splitlines()[0]}: {told}", ()
            record.exc_info = record.exc_text = None
        return True


def _unreadable(fault: BaseException | None) -> UnreadablePayload | None:
    while fault is not None and not isinstance(fault, UnreadablePayload):
        fault = fault.__cause__
    return fault
