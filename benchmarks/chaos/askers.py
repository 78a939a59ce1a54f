"""People who ask, and who do not give up while a server or all workers are away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from temporalio.client import Client

from benchmarks.chaos.schedule import Asking
from pointsman.client import RouterClient
from pointsman.errors import AwaitingReview, NoServer, NoWorker, QuestionCancelled, QuestionFailed, ReviewRefused
from pointsman.messages import Answer
from pointsman.review import Review
from pointsman.review_client import ReviewClient

_AGAIN_AFTER_S = 0.2
REVIEWER = "chaos"

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Told:
    """What one asker was told in the end."""

    id: str
    answer: Answer | None = None
    failure: QuestionFailed | None = None
    cancelled: bool = False
    unforeseen: str | None = None
    """Anything that no asker has to expect."""


class Asker:
    """Asks one question."""

    def __init__(self, client: Client, asking: Asking) -> None:
        """Ask with this client what is planned."""
        self._router, self._reviews = RouterClient(client), ReviewClient(client)
        self._asking = asking

    async def ask(self) -> list[Told]:
        """Ask, do what is planned besides, and wait for the end; one entry for each who asked."""
        asking = self._asking
        try:
            await self._start()
            match asking.kind:
                case "cancelled":
                    await asyncio.sleep(asking.then_s)
                    await _persistently(lambda: self._router.cancel(asking.id))
                    return [await self._end()]
                case "repeated":
                    return list(await asyncio.gather(self._end(), self._once_more()))
                case _:
                    return [await self._end()]
        except Exception as fault:  # noqa: BLE001 - what it was is the finding
            return [Told(asking.id, unforeseen=repr(fault))]

    async def _start(self) -> None:
        """Under its own id, so that asking again after a server has gone is asking once."""
        asking = self._asking
        await _persistently(
            lambda: self._router.start(
                asking.prompt,
                id=asking.id,
                task=asking.task,
                on_exhausted=asking.patience,
                deadline_s=asking.deadline_s,
            )
        )

    async def _once_more(self) -> Told:
        await asyncio.sleep(self._asking.then_s)
        await self._start()
        return await self._end()

    async def _end(self) -> Told:
        question_id = self._asking.id
        while True:
            try:
                answer = await _persistently(lambda: self._router.answer(question_id, wait_review=False))
            except AwaitingReview:
                await self._decide()
            except QuestionFailed as failure:
                return Told(question_id, failure=failure)
            except QuestionCancelled:
                return Told(question_id, cancelled=True)
            else:
                return Told(question_id, answer=answer)

    async def _decide(self) -> None:
        """Choose the first answer, as a reviewer would; one that has been decided meanwhile is decided."""
        question_id = self._asking.id
        try:
            pending = await _persistently(lambda: self._reviews.show(question_id))
            review = Review(choose=pending.answers[0].provider, reviewer=REVIEWER)
            await _persistently(lambda: self._reviews.decide(question_id, review))
        except ReviewRefused:
            await asyncio.sleep(_AGAIN_AFTER_S)


async def _persistently(step: Callable[[], Awaitable[_Result]]) -> _Result:
    """Try until a server and a worker are there; both come back here."""
    while True:
        try:
            return await step()
        except (NoServer, NoWorker):
            await asyncio.sleep(_AGAIN_AFTER_S)
