"""`python -m benchmarks.resilience.other_process`: one of the other contenders, in a process of its own.

It takes what it is to do as JSON from standard input, says a line when it is ready, waits for the line with the moment
to begin, and writes what came of its questions. What one contender does with its processor time is then no other's
latency; moments are on the monotonic clock, which the processes of a machine share.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Thread

from benchmarks.resilience.arrivals import Asked, ask_all
from benchmarks.resilience.endpoints import Endpoints
from pointsman.leaving import leave

_ROOT = Path(__file__).parents[2]
_READY_PATIENCE_S = 120.0
_LINE_LIMIT = 2**24

Answers = Callable[[float], Awaitable[list[Asked]]]
"""Begin at a moment; what came of the questions."""


@asynccontextmanager
async def other_process(contender: str, at: Endpoints, times: list[float]) -> AsyncGenerator[Answers]:
    """A contender that is ready to begin."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", __name__),
        cwd=_ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_LINE_LIMIT,
    )
    told, said = process.stdin, process.stdout
    if told is None or said is None:
        raise RuntimeError("a process without pipes")

    async def answers(begin: float) -> list[Asked]:
        told.write(f"{begin!r}\n".encode())
        return [Asked(**found) for found in json.loads(await said.readline())]

    try:
        told.write(json.dumps({"contender": contender, "at": asdict(at), "times": times}).encode() + b"\n")
        if not await asyncio.wait_for(said.readline(), _READY_PATIENCE_S):
            raise RuntimeError(f"the process of {contender} ended before it was ready")
        yield answers
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _serve() -> None:
    # LiteLLM is imported by those who need it alone, and before the moment to begin.
    from benchmarks.resilience.contenders import OTHERS  # noqa: PLC0415

    wanted = json.loads(sys.stdin.readline())
    ask = OTHERS[wanted["contender"]](Endpoints(**wanted["at"]))
    print("ready", flush=True)
    begin = float(await asyncio.to_thread(sys.stdin.readline))
    # Whoever started this may be killed: its end of the pipe then closes, and nobody is left to tell.
    Thread(target=_leave_with_parent, daemon=True).start()
    asked = await ask_all({"": ask}, wanted["times"], begin)
    print(json.dumps([asdict(found) for found in asked[""]]), flush=True)


def _leave_with_parent() -> None:
    # Not through `sys.stdin`, whose lock this thread would still hold at the end.
    while os.read(0, 1):
        pass
    leave(1)


if __name__ == "__main__":
    asyncio.run(_serve())
    leave(0)
