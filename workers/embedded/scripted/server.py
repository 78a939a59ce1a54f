"""Scripted LLM providers on 127.0.0.1: they speak the vendors' protocols and do what their scripts say."""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from aiohttp import web

from workers.embedded.scripted.anthropic import Anthropic
from workers.embedded.scripted.endpoint import handler
from workers.embedded.scripted.gemini import Gemini
from workers.embedded.scripted.journal import Journal
from workers.embedded.scripted.ollama import SHOW_ROUTE, SHOWN, Ollama
from workers.embedded.scripted.openai import OpenAI
from workers.embedded.scripted.thread import background_loop

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import TracebackType

    from workers.embedded.scripted.dialect import Dialect
    from workers.embedded.scripted.request import Hit, Outcome
    from workers.embedded.scripted.script import Step

_DIALECTS: tuple[Dialect, ...] = (OpenAI(), Anthropic(), Gemini(), Ollama())
_HOST = "127.0.0.1"
_BODY_LIMIT_BYTES = 64 * 1024**2
_POLL_S = 0.005


class ScriptedProviders:
    """Any number of endpoints, each under its own name and in all dialects; unscripted ones reply "ok".

    An async context manager on the caller's event loop, or `in_thread`. Scripts and hits may be used from any thread.
    LiteLLM blocks its event loop to ask an ollama endpoint for its model: on that loop the endpoint could not answer.
    """

    def __init__(self, port: int = 0) -> None:
        """Do not listen yet; port 0 = a free one."""
        self._port = port
        self._journal = Journal()
        self._runner: web.AppRunner | None = None

    @classmethod
    @contextmanager
    def in_thread(cls, port: int = 0) -> Generator[Self]:
        """Providers that run on a thread of their own, for synchronous code."""
        providers = cls(port)
        with background_loop("scripted-providers") as loop:
            asyncio.run_coroutine_threadsafe(providers.start(), loop).result()
            try:
                yield providers
            finally:
                asyncio.run_coroutine_threadsafe(providers.stop(), loop).result()

    @property
    def port(self) -> int:
        """The port; 0 before the start if a free one is to be taken."""
        return self._port

    @property
    def url(self) -> str:
        """The root of all endpoints, without a slash at its end."""
        return f"http://{_HOST}:{self._port}"

    def api_base(self, name: str, dialect: str) -> str:
        """LiteLLM's `api_base` of an endpoint; `dialect` is openai, anthropic, gemini or ollama."""
        bases = {known.name: known.base for known in _DIALECTS}
        return f"{self.url}/{name}{bases[dialect]}"

    def script(self, name: str, *steps: Step) -> None:
        """Give an endpoint its script: steps are used in order, the last one repeats for ever; no steps = "ok"."""
        self._journal.script(name, steps)

    def hits(self, name: str | None = None) -> list[Hit]:
        """Requests so far as snapshots, oldest first; `None` = of all endpoints."""
        return self._journal.hits(name)

    def in_flight(self, name: str | None = None) -> int:
        """How many requests are open."""
        return len(self._journal.hits(name, "open"))

    async def wait_for_hits(self, name: str, count: int, timeout_s: float, outcome: Outcome | None = None) -> list[Hit]:
        """Wait for at least `count` hits, with `outcome` if given; raises `TimeoutError`. Works on any event loop."""
        give_up = time.monotonic() + timeout_s
        # Polled, because hits may be noted on another thread's event loop.
        while time.monotonic() < give_up:
            found = self._journal.hits(name, outcome)
            if len(found) >= count:
                return found
            await asyncio.sleep(_POLL_S)
        return self._journal.wait(name, count, 0, outcome)

    def wait_for_hits_blocking(
        self, name: str, count: int, timeout_s: float, outcome: Outcome | None = None
    ) -> list[Hit]:
        """`wait_for_hits` for synchronous code; never call it on the server's own event loop."""
        return self._journal.wait(name, count, timeout_s, outcome)

    def forget_hits(self) -> None:
        """Forget the requests that have ended, for a run of many thousands; scripts and numbers stay."""
        self._journal.forget_hits()

    def reset(self) -> None:
        """Forget all scripts and hits. Open requests go on, unseen."""
        self._journal.reset()

    async def start(self) -> None:
        """Listen; raises `OSError` if the port is taken."""
        self._journal.frozen = False
        app = web.Application(client_max_size=_BODY_LIMIT_BYTES)
        for dialect in _DIALECTS:
            app.router.add_post(f"/{{name}}{dialect.route}", handler(dialect, self._journal))
        app.router.add_post(f"/{{name}}{SHOW_ROUTE}", _show)
        # Neither an access log nor a grace period: paths say what is tested, and open requests hang on purpose.
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=_POLL_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, _HOST, self._port).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner, self._port = runner, int(runner.addresses[0][1])

    async def stop(self) -> None:
        """Stop at once and cut open requests, which stay `open` in the hits: their clients did not leave."""
        self._journal.frozen = True
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        await self.stop()


async def _show(_http: web.Request) -> web.Response:
    return web.json_response(SHOWN)
