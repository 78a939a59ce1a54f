"""Behaviours: what a scripted provider does with one request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from workers.embedded.scripted.request import Request


@dataclass(frozen=True)
class Tokens:
    """Tokens that a reply reports. `input` includes cached ones and `output` includes reasoning ones."""

    input: int = 11
    output: int = 7
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True)
class ToolCall:
    """A tool call in a reply; `arguments` is JSON text, which only the openai dialect can carry malformed."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"


@dataclass(frozen=True)
class Reply:
    """An answer. Where `finish` is stop, length, content_filter or tool_calls, the vendor's own word for it is sent."""

    text: str | Callable[[Request], str] = "ok"
    finish: str | None = "stop"
    """Any other word is sent as it is; `None` = no terminal marker, and ollama then says `"done": false`."""
    delay_s: float = 0.0
    model: str | None = None
    """The model that the reply says has served it; `None` = a dated version of the requested one."""
    usage: Tokens | None = field(default_factory=Tokens)
    """`None` = the reply carries no usage."""
    refusal: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    content_is_null: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def text_for(self, request: Request) -> str:
        """The text of the answer to `request`."""
        return self.text if isinstance(self.text, str) else self.text(request)

    def model_for(self, request: Request) -> str:
        """The model that serves `request`."""
        return self.model or f"{request.model}-2026-01-01"


@dataclass(frozen=True)
class Status:
    """An HTTP error with the vendor's own error JSON; `code` and `error_type` default to what the vendor sends."""

    status: int
    message: str = "scripted fault"
    code: str | int | None = None
    error_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delay_s: float = 0.0


@dataclass(frozen=True)
class Raw:
    """Exactly these bytes."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delay_s: float = 0.0


@dataclass(frozen=True)
class NoChoices:
    """A well-formed reply without any answer in it."""


@dataclass(frozen=True)
class ErrorInside:
    """The vendor's error JSON under HTTP status 200."""

    code: int = 503
    message: str = "scripted fault"


@dataclass(frozen=True)
class CutOff:
    """An answer whose connection closes after a part of the body that its headers promise."""

    reply: Reply = field(default_factory=Reply)
    share: float = 0.5


@dataclass(frozen=True)
class Hang:
    """No answer until the client goes away or the server stops."""


@dataclass(frozen=True)
class Drip:
    """A status line and then one byte of header in each interval, for ever."""

    interval_s: float


@dataclass(frozen=True)
class Reset:
    """The TCP connection is reset without a reply."""


Behaviour = Reply | Status | Raw | NoChoices | ErrorInside | CutOff | Hang | Drip | Reset
Step = Behaviour | Callable[[Request], Behaviour]
"""One entry of a script: a behaviour, or what chooses one when the request is known."""
