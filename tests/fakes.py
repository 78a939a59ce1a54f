"""A hand-written fake at the one port to the outside: a provider that does what its script says."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

from activities.ports import CompletionRequest
from pointsman.faults import ProviderFault
from pointsman.outcomes import ErrorClass, Fault, Usage
from pointsman.response import FinishReason, ProviderResponse

HANG = "hang"


@dataclass(frozen=True)
class Later:
    """A step that comes after some real seconds."""

    after_s: float
    step: ProviderResponse | Fault


Step = ProviderResponse | Fault | Exception | str | Later


def reply(
    content: str,
    *,
    confidence: float | None = None,
    refused: bool = False,
    finish_reason: FinishReason = "stop",
    usage: Usage | None = None,
) -> ProviderResponse:
    return ProviderResponse(
        content=content,
        confidence=confidence,
        refused=refused,
        finish_reason=finish_reason,
        latency_s=0.001,
        usage=usage or Usage(input_tokens=10, output_tokens=5, source="reported"),
        model_served="model-2026-01-01",
    )


def failing(
    error_class: ErrorClass = ErrorClass.FAILURE,
    kind: str = "http_503",
    *,
    status: int | None = 503,
    retry_after_s: float | None = None,
) -> Fault:
    return Fault(error_class=error_class, kind=kind, summary=kind, status=status, retry_after_s=retry_after_s)


@dataclass
class ScriptedCompleter:
    """Steps are used in order and the last one repeats; `requests` keeps what was asked."""

    steps: deque[Step] = field(default_factory=lambda: deque[Step]([reply("ok")]))
    requests: list[CompletionRequest] = field(default_factory=list[CompletionRequest])
    aborted: int = 0
    called: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the test is over: a worker that stops lets calls under way finish, also those that hang."""

    async def complete(self, request: CompletionRequest) -> ProviderResponse:
        self.requests.append(request)
        self.called.set()
        step: Any = self.steps[0] if len(self.steps) == 1 else self.steps.popleft()
        if step == HANG:
            return await self._hang()
        if isinstance(step, Later):
            await self._abortable(asyncio.sleep(step.after_s))
            step = step.step
        if isinstance(step, Fault):
            raise ProviderFault(step)
        if isinstance(step, Exception):
            raise step
        assert isinstance(step, ProviderResponse)
        return step

    async def _hang(self) -> ProviderResponse:
        await self._abortable(self.over.wait())
        raise ProviderFault(failing())

    async def _abortable(self, waiting: Awaitable[object]) -> None:
        try:
            await waiting
        except asyncio.CancelledError:
            self.aborted += 1
            self.closed.set()
            raise


@dataclass
class Fleet:
    """A scripted completer for every provider of a configuration."""

    completers: dict[str, ScriptedCompleter] = field(default_factory=dict[str, ScriptedCompleter])

    def script(self, provider: str, *steps: Step) -> None:
        self.completers[provider] = ScriptedCompleter(deque(steps))

    def make(self, name: str, _provider: object, _key: str | None) -> ScriptedCompleter:
        return self.completers.setdefault(name, ScriptedCompleter())

    def calls(self, provider: str) -> int:
        return len(self.completers[provider].requests) if provider in self.completers else 0
