"""Lines of a worker's log."""

from __future__ import annotations

import logging

import pytest

from pointsman.errors import UnreadablePayload
from workers.log_lines import InOneLine


def _around(cause: BaseException) -> RuntimeError:
    fault = RuntimeError("around it")
    fault.__cause__ = cause
    return fault


def _record(fault: RuntimeError, run: str = "r-1") -> logging.LogRecord:
    try:
        raise fault
    except RuntimeError as raised:
        told = (RuntimeError, raised, raised.__traceback__)
    return logging.LogRecord("temporalio.worker", logging.ERROR, "", 0, "Failed run %s", (run,), told)


def test_a_payload_that_cannot_be_read_is_one_line_without_a_traceback() -> None:
    record = _record(_around(UnreadablePayload("the key 'k2' is missing")))
    assert InOneLine().filter(record)
    assert logging.Formatter().format(record) == "Failed run r-1: the key 'k2' is missing"


def test_a_store_that_this_worker_does_not_know_is_one_line_too() -> None:
    record = _record(RuntimeError("[TMPRL1105] Detected externally stored payload(s)"))
    assert InOneLine().filter(record)
    assert logging.Formatter().format(record).startswith("Failed run r-1: a payload is kept outside of the server")


def test_what_follows_from_such_a_payload_is_left_out_and_of_another_run_kept() -> None:
    lines, missing = InOneLine(), RuntimeError("Missing initialize workflow, workflow could have unexpectedly …")
    assert lines.filter(_record(missing))
    assert lines.filter(_record(_around(UnreadablePayload("the key 'k2' is missing"))))
    assert not lines.filter(_record(missing))
    assert lines.filter(_record(missing, run="r-2"))


def test_a_workflow_that_is_tried_again_and_again_is_told_of_every_ten_seconds() -> None:
    lines, told = InOneLine(), []
    for second in range(25):
        record = _record(_around(UnreadablePayload("the key 'k2' is missing")))
        record.created = 1000.0 + second
        told.append(lines.filter(record))
    assert [second for second, shown in enumerate(told) if shown] == [0, 10, 20]


@pytest.mark.parametrize("fault", [ValueError("a bug")])
def test_any_other_fault_keeps_its_traceback(fault: BaseException) -> None:
    record = _record(_around(fault))
    assert InOneLine().filter(record)
    assert "Traceback" in logging.Formatter().format(record)
