"""What a person runs: `dev` stays up and says how to ask, `demo` asks the demo questions and ends."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from rich.console import Console
from temporalio.client import Client

from pointsman.client import RouterClient
from pointsman.config_file import load
from pointsman.connection import file_settings
from pointsman.errors import AwaitingReview, NoWorker
from pointsman.health_client import HealthClient
from pointsman.review import Review
from pointsman.review_client import ReviewClient
from workers.embedded.demo import CHOSEN, DEMO_QUESTIONS, OUT_OF_ORDER, Told, print_told
from workers.embedded.measuring_demo import TASK, measure
from workers.embedded.resolution import Rehearsal
from workers.embedded.stack import Stack, embedded_stack
from workers.service import say, stop_on_signals, unless_stopped

__all__ = ["Rehearsal", "demo", "dev"]

_PIPED_WIDTH = 150
_HEALTH_PATIENCE_S = 30.0
_KEPT = "What was asked is kept in .pointsman/."
_FORGOTTEN = "Another stack runs here, so this one forgets at its end."


async def dev(rehearsal: Rehearsal) -> int:
    """Run the stack until Ctrl-C or SIGTERM."""
    stop = stop_on_signals()
    async with embedded_stack(rehearsal, stop, _teller()) as stack:
        say(_how_to_ask(stack))
        stopping, lost = asyncio.create_task(stop.wait()), asyncio.create_task(stack.server.lost())
        await asyncio.wait([stopping, lost, stack.ended], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if lost.done():
            await lost
        lost.cancel()
        say("Stopping; calls under way are let finish.")
    return 0


async def demo(rehearsal: Rehearsal) -> int:
    """Ask questions of every type, measure and upgrade a model, show what came, and end everything."""
    return await unless_stopped(_demo(rehearsal))


async def _demo(rehearsal: Rehearsal) -> int:
    tell = _teller()
    async with embedded_stack(rehearsal, asyncio.Event(), tell) as stack:
        # What an earlier demo broke is mended: the last question is to find its first provider failing once more.
        await _mend(stack.server.client, OUT_OF_ORDER)
        client = RouterClient(stack.server.client)
        told: list[Told] = []
        for number, question in enumerate(DEMO_QUESTIONS, start=1):
            tell(f"question {number} of {len(DEMO_QUESTIONS)}: {question.text}")
            question_id = await client.start(question)
            try:
                answer = await client.answer(question_id, wait_review=False)
            except AwaitingReview:
                await _review(ReviewClient(stack.server.client), question_id, tell)
                answer = await client.answer(question_id)
            status = await client.status(question_id)
            told.append(Told(question, answer, stack.server.link(question_id, status.run_id)))
        # With this `rich` says that the reader of a pipe has gone.
        with suppress(SystemExit):
            print_told(Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH), told)
        expected = all(entry.as_promised for entry in told)
        # What an upgrade comes to is told here; its warnings in the log would only bury it.
        logging.getLogger("temporalio.workflow").setLevel(logging.ERROR)
        cases = load(stack.config).suites[TASK].cases
        with suppress(SystemExit):
            expected = await measure(stack.server.client, cases, tell) and expected
        if stack.keeps:
            say("The links work while the stack runs; `make dev` brings these histories back.")
    return 0 if expected else 1


async def _review(reviews: ReviewClient, question_id: str, tell: Callable[[str], None]) -> None:
    """Decide in the place of a person, and say so."""
    pending = await reviews.show(question_id)
    tell(f"two providers differ, so it waits for a person: {pending.why}")
    for point in pending.differences:
        tell(f"  {point.in_words}")
    await reviews.decide(question_id, Review(choose=CHOSEN, reviewer="demo", note="Phobos and Deimos"))
    tell(f"decided for {CHOSEN}, as `pointsman reviews decide` does")


async def _mend(client: Client, provider: str) -> None:
    """Reset the provider's health; on a new database no entity knows the provider yet, and nothing is to be mended."""
    health = HealthClient(client, answer_within_s=_HEALTH_PATIENCE_S)
    with suppress(NoWorker):
        if (await health.overview()).of(provider):
            await health.reset(provider, operator="demo", note="a new demo")


def _how_to_ask(stack: Stack) -> str:
    return f"""
Pointsman takes questions at {stack.server.address} (configuration: {stack.config.name}).

  ask      {_asking(stack.server.address)} .venv/bin/pointsman ask "Explain why the sky is blue"
  watch    {stack.server.ui}
  stop     Ctrl-C

{_KEPT if stack.keeps else _FORGOTTEN}
"""


def _asking(address: str) -> str:
    """The variables with which a command in this shell reaches this server and none that the shell knows of."""
    there = f"TEMPORAL_ADDRESS={address}"
    foreign = sorted(name for name in os.environ if name.startswith("TEMPORAL_") and name != "TEMPORAL_ADDRESS")
    if not foreign and not file_settings():
        return there
    away = "".join(f"-u {name} " for name in foreign)
    # In place of the file that Temporal's clients read by default.
    return f"env {away}TEMPORAL_CONFIG_FILE={os.devnull} {there}"


def _teller() -> Callable[[str], None]:
    started = time.monotonic()

    return lambda what: say(f"[{time.monotonic() - started:5.1f} s] {what}")
