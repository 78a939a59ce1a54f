"""The activity that tells a webhook of a review that waits."""

from __future__ import annotations

from typing import Protocol

from temporalio import activity
from temporalio.exceptions import ApplicationError

from pointsman.announcement import Announcement

TIMEOUT_S = 10.0
_FIRST_FAULT = 400
_SERVER_FAULT = 500
_TOO_MANY = 429


class Post(Protocol):
    """The port to the network: posts JSON and gives the status of the reply."""

    async def __call__(self, url: str, body: str) -> int:
        """Post.

        Raises:
            OSError: nobody was reached.
        """
        ...


class Announce:
    """Tells one address; Temporal repeats what did not arrive."""

    def __init__(self, url: str | None, post: Post) -> None:
        """`url` is None where nobody is to be told."""
        self._url = url
        self._post = post

    @activity.defn
    async def announce_review(self, announcement: Announcement) -> None:
        """Post the announcement.

        Raises:
            ApplicationError: it was not taken; one that would not be taken again either is not retried.
        """
        if self._url is None:
            return
        try:
            status = await self._post(self._url, announcement.model_dump_json())
        except OSError as fault:
            why = str(fault) or type(fault).__name__
            raise ApplicationError(f"the webhook was not reached ({why})", type="Webhook") from None
        if status >= _FIRST_FAULT:
            final = status < _SERVER_FAULT and status != _TOO_MANY
            raise ApplicationError(f"the webhook answered with status {status}", type="Webhook", non_retryable=final)
