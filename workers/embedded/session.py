"""What a person runs: `dev` stays up and says how to ask, `demo` asks the demo questions and ends."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from rich.console import Console
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy

from pointsman.client import RouterClient
from pointsman.contract import TASK_QUEUE
from pointsman.health.events import AdminCommand
from pointsman.health_contract import HEALTH_ENTITY_ID, ProviderHealth
from workers.embedded.demo import DEMO_QUESTIONS, OUT_OF_ORDER, Told, print_told
from workers.embedded.resolution import Rehearsal
from workers.embedded.stack import Stack, embedded_stack
from workers.service import stop_on_signals

__all__ = ["Rehearsal", "demo", "dev"]

_PIPED_WIDTH = 150
_KEPT = "What was asked is kept in .pointsman/."
_FORGOTTEN = "Another stack runs here, so this one forgets at its end."


async def dev(rehearsal: Rehearsal) -> int:
    """Run the stack until Ctrl-C or SIGTERM."""
    stop = stop_on_signals()
    async with embedded_stack(rehearsal, stop, _teller()) as stack:
        print(_how_to_ask(stack), flush=True)
        waiting = asyncio.create_task(stop.wait())
        await asyncio.wait([waiting, stack.ended], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        print("Stopping; calls under way are let finish.", flush=True)
    return 0


async def demo(rehearsal: Rehearsal) -> int:
    """Ask one question per query type and one whose first provider fails, show what came, and end everything."""
    tell = _teller()
    async with embedded_stack(rehearsal, asyncio.Event(), tell) as stack:
        # What an earlier demo broke is mended: the last question is to find its first provider failing once more.
        await _mend(stack.server.client, OUT_OF_ORDER)
        client = RouterClient(stack.server.client)
        told: list[Told] = []
        for number, question in enumerate(DEMO_QUESTIONS, start=1):
            tell(f"question {number} of {len(DEMO_QUESTIONS)}: {question.text}")
            question_id = await client.start(question)
            answer = await client.answer(question_id)
            status = await client.status(question_id)
            told.append(Told(question, answer, stack.server.link(question_id, status.run_id)))
        console = Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH)
        print_told(console, told)
        if stack.keeps:
            console.print("The links work while the stack runs; `make dev` brings these histories back.")
        expected = all(entry.as_promised for entry in told)
    return 0 if expected else 1


async def _mend(client: Client, provider: str) -> None:
    """Reset the provider's health, also where no worker has got round to starting the entity yet."""
    await client.start_workflow(
        ProviderHealth.run,
        None,
        id=HEALTH_ENTITY_ID,
        task_queue=TASK_QUEUE,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        start_signal="reset",
        start_signal_args=[AdminCommand(target=provider, operator="demo", note="a new demo")],
    )


def _how_to_ask(stack: Stack) -> str:
    return f"""
Pointsman takes questions at {stack.server.address} (configuration: {stack.config.name}).

  ask      TEMPORAL_ADDRESS={stack.server.address} .venv/bin/pointsman ask "Explain why the sky is blue"
  watch    {stack.server.ui}
  stop     Ctrl-C

{_KEPT if stack.keeps else _FORGOTTEN}
"""


def _teller() -> Callable[[str], None]:
    started = time.monotonic()

    def tell(what: str) -> None:
        with suppress(BrokenPipeError):
            print(f"[{time.monotonic() - started:5.1f} s] {what}", flush=True)

    return tell
