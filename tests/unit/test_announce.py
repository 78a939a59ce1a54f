"""A webhook is told of a review that waits."""

from __future__ import annotations

import json

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.announce import Announce
from pointsman.announcement import Announcement
from tests.builders import NOON

TOLD = Announcement(
    question_id="q-1", run_id="r", occasion="opened", why="the answers differ", opened_at=NOON, decide_by=NOON
)


class Recorded:
    """A network that answers with one status."""

    def __init__(self, status: int | OSError) -> None:
        self.status = status
        self.posted: list[tuple[str, str]] = []

    async def __call__(self, url: str, body: str) -> int:
        self.posted.append((url, body))
        if isinstance(self.status, OSError):
            raise self.status
        return self.status


async def _announce(status: int | OSError, url: str | None = "https://hook.example.com") -> Recorded:
    network = Recorded(status)
    await ActivityEnvironment().run(Announce(url, network).announce_review, TOLD)
    return network


async def test_the_question_is_named_and_not_quoted() -> None:
    ((url, body),) = (await _announce(204)).posted
    assert url == "https://hook.example.com"
    assert set(json.loads(body)) == {"question_id", "run_id", "occasion", "task", "why", "opened_at", "decide_by"}


async def test_without_an_address_nobody_is_told() -> None:
    assert (await _announce(204, url=None)).posted == []


@pytest.mark.parametrize(("status", "final"), [(500, False), (429, False), (404, True), (OSError(), False)])
async def test_what_was_not_taken_is_tried_again_unless_it_never_will_be(status: int | OSError, final: bool) -> None:  # noqa: FBT001
    with pytest.raises(ApplicationError) as caught:
        await _announce(status)
    assert caught.value.non_retryable is final
