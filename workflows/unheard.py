"""What Python says of a failure that nobody looked at, where it belongs to a call that was cut off."""

from __future__ import annotations

import asyncio
from typing import Any

from temporalio.exceptions import ActivityError


def unheard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Pass on everything but the failure of an activity.

    One that fails in the same step in which it is cancelled ends as cancelled; the SDK leaves its failure unread, which
    would be an error with a traceback in the worker's log. The failure itself is in the history.
    """
    if not isinstance(context.get("exception"), ActivityError):
        loop.default_exception_handler(context)
