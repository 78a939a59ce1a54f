"""`Retry-After` in all its forms."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.retry_after import retry_after_s

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=30))}, 30.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=30))}, None),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "NaN"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_a_hint_is_read_and_garbage_is_none(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, "", NOW) == seconds


def test_a_date_counts_from_the_replys_own_clock() -> None:
    theirs = NOW + timedelta(hours=3)
    headers = {"date": format_datetime(theirs), "retry-after": format_datetime(theirs + timedelta(seconds=20))}
    assert retry_after_s(headers, "", NOW) == 20.0


def test_googles_retry_delay_is_read_from_the_body() -> None:
    assert retry_after_s({}, '{"error": {"details": [{"retryDelay": "12.5s"}]}}', NOW) == 12.5


@given(st.text(), st.text())
def test_no_header_breaks_it(header: str, body: str) -> None:
    found = retry_after_s({"retry-after": header, "date": header}, body, NOW)
    assert found is None or found > 0
