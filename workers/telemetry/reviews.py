"""How many questions wait for a person, and for how long the oldest does: read from the server's list, by no worker."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from opentelemetry.metrics import Observation
from temporalio.client import Client
from temporalio.service import RPCError

from pointsman.review import MEMO_OPENED_AT
from pointsman.review_client import WAITING
from pointsman.telemetry import metrics
from workers.telemetry.readings import Readings

EVERY_S = 30.0
"""The shortest time between two looks of one process."""
_LOOKS_A_SECOND = 2.0
"""Of a fleet of any size."""
_PAGE = 200
_MOST = 1000

_log = logging.getLogger(__name__)


def interval_s(processes: int) -> float:
    """How often one process of a fleet looks: each 30 s, and in a large fleet less often."""
    return max(EVERY_S, processes / _LOOKS_A_SECOND)


async def waiting_reviews(client: Client) -> Readings | None:
    """The backlog and its age; `None` where the server does not tell.

    One call as a rule: a page holds 200. Of more than 1,000 the newest are looked at for their age, and all counted.
    """
    now, count, oldest_s = datetime.now(UTC), 0, 0.0
    try:
        async for execution in client.list_workflows(WAITING, page_size=_PAGE, limit=_MOST):
            opened_at = (await execution.memo()).get(MEMO_OPENED_AT)
            since = datetime.fromisoformat(opened_at) if isinstance(opened_at, str) else execution.start_time
            count, oldest_s = count + 1, max(oldest_s, (now - since).total_seconds())
        if count == _MOST:
            count = (await client.count_workflows(WAITING)).count
    except (RPCError, ValueError) as fault:
        _log.debug("the reviews that wait could not be counted: %s", fault)
        return None
    return {
        metrics.REVIEWS_WAITING.name: (Observation(count),),
        metrics.REVIEWS_OLDEST.name: (Observation(oldest_s),),
    }
