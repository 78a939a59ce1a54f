"""When a provider says when to come back: `Retry-After` in all its forms (resilience specification, section 9)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_RETRY_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"', re.IGNORECASE)


def retry_after_s(headers: Mapping[str, str], body: str, now: datetime) -> float | None:
    """Seconds until the provider wants to be asked again; `None` for no hint, 0, a past date or garbage.

    Reads `retry-after-ms`, then `retry-after` as a number or an HTTP date (against the reply's own `date` where it has
    one, so that a wrong clock here does no harm), then Google's `retryDelay` in the body.
    """
    lowered = {name.lower(): value for name, value in headers.items()}
    hints = (
        _number(lowered.get("retry-after-ms"), scale=0.001),
        _number(lowered.get("retry-after"), scale=1.0),
        _until(lowered.get("retry-after"), _date(lowered.get("date")) or now),
        _number(match.group(1), scale=1.0) if (match := _RETRY_DELAY.search(body)) else None,
    )
    return next((hint for hint in hints if hint is not None), None)


def _number(text: str | None, *, scale: float) -> float | None:
    try:
        seconds = float(text or "") * scale
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds > 0 else None


def _until(text: str | None, now: datetime) -> float | None:
    date = _date(text)
    return None if date is None else _number(str((date - now).total_seconds()), scale=1.0)


def _date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except (TypeError, ValueError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
