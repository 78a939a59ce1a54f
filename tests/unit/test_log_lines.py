"""Lines of a worker's log."""

from __future__ import annotations

import logging

import pytest

from pointsman.errors import UnreadablePayload
from workers.log_lines import InOneLine


def _record(fault: BaseException) -> logging.LogRecord:
    try:
        raise RuntimeError("around it") from fault  # noqa: TRY301 - for its traceback
    except RuntimeError as around:
        told = (RuntimeError, around, around.__traceback__)
    return logging.LogRecord("temporalio.worker", logging.ERROR, "", 0, "Failed run %s", ("r-1",), told)


def test_a_payload_that_cannot_be_read_is_one_line_without_a_traceback() -> None:
    record = _record(UnreadablePayload("the key 'k2' is missing"))
    assert InOneLine().filter(record)
    assert logging.Formatter().format(record) == "Failed run r-1: the key 'k2' is missing"


@pytest.mark.parametrize("fault", [ValueError("a bug")])
def test_any_other_fault_keeps_its_traceback(fault: BaseException) -> None:
    record = _record(fault)
    assert InOneLine().filter(record)
    assert "Traceback" in logging.Formatter().format(record)
