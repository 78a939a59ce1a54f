"""An event loop on a thread of its own."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def background_loop(name: str) -> Generator[asyncio.AbstractEventLoop]:
    """A running loop; at the end its tasks are cancelled and its thread is gone."""
    started: Future[asyncio.AbstractEventLoop] = Future()

    def run() -> None:
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            started.set_result(loop)
            loop.run_forever()

    thread = Thread(target=run, name=name, daemon=True)
    thread.start()
    loop = started.result()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
