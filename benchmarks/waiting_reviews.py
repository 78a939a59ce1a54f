"""Many questions that wait for a person: what they cost a worker, and how soon the oldest is decided."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime

from benchmarks.figures import Figure
from benchmarks.stack import DECLARED, MAX_TOKENS, MODEL, Stack, provider_table
from benchmarks.worker_process import resident_mb, worker_process
from pointsman.client import RouterClient
from pointsman.query_types import QueryType
from pointsman.review import Review
from pointsman.review_client import ReviewClient
from workers.embedded.scripted.script import Reply

_CACHED = 200
_WARM_UP = 20
_AT_ONCE = 8
_PROMPT = "How many apples are left?"
_LOOK_EVERY_S, _LOOKS = 0.5, 1200
_SAID = {"review-first": "The answer is 5.", "review-second": "The answer is 6."}


async def measure(stack: Stack, questions: int, tell: Callable[[str], None]) -> list[Figure]:
    """Let so many questions wait in one worker that keeps 200 of them in memory."""
    tell(f"{questions} questions that wait for a review")
    for name, text in _SAID.items():
        stack.providers.script(name, Reply(text))
    folder = stack.config.parent
    config, log = folder / "reviews.toml", folder / "reviews.log"
    config.write_text(_document(stack), encoding="utf-8")
    router, reviews = RouterClient(stack.server.client), ReviewClient(stack.server.client)
    arguments = ("--max-cached-workflows", str(_CACHED))
    async with worker_process(config, stack.server.address, log, *arguments) as worker:
        await _start(router, "warm-up", _WARM_UP)
        await _until_waiting(reviews, _WARM_UP)
        before_mb = resident_mb(worker.pid)
        await _start(router, "waiting", questions)
        await _until_waiting(reviews, _WARM_UP + questions)
        after_mb = resident_mb(worker.pid)
        oldest = (await reviews.list())[0].id
        began = time.monotonic()
        await reviews.decide(oldest, Review(choose="review-first", reviewer="benchmark"))
        await router.answer(oldest)
        decided_s = time.monotonic() - began
    stack.providers.reset()
    return [
        Figure("review_waiting", "questions that wait for a review", questions),
        Figure("review_waiting_mb", "  what they cost a worker", after_mb - before_mb, "MB", at_most=100),
        Figure("review_decided_s", "  the oldest of them decided and answered", decided_s, "s", at_most=2.0),
    ]


async def _start(router: RouterClient, name: str, questions: int) -> None:
    free = asyncio.Semaphore(_AT_ONCE)

    async def start(number: int) -> None:
        async with free:
            await router.start(_PROMPT, id=f"{name}-{number}", stakes="high", deadline_s=600)

    await asyncio.gather(*(start(number) for number in range(questions)))


async def _until_waiting(reviews: ReviewClient, questions: int) -> None:
    """Until so many wait; every question here ends there."""
    for _ in range(_LOOKS):
        if len(await reviews.list()) >= questions:
            return
        await asyncio.sleep(_LOOK_EVERY_S)
    raise TimeoutError(f"{questions} questions were to wait for a review")


def _document(stack: Stack) -> str:
    tables = [
        provider_table(
            name,
            model=MODEL,
            api_base=stack.providers.api_base(name, "openai"),
            max_tokens=MAX_TOKENS,
            today=datetime.now(UTC).date(),
            strength=0.8,
        )
        for name in _SAID
    ]
    chain = ", ".join(f'"{name}"' for name in _SAID)
    chains = [f"[query_types.{query_type}]\nchain = [{chain}]\n" for query_type in QueryType]
    ledger = stack.config.parent / "ledger.db"
    return "\n".join([DECLARED, *tables, *chains, f'[ledger]\nurl = "sqlite:///{ledger}"\n'])
