"""What a request to a scripted provider asks for, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Outcome = Literal["open", "answered", "aborted"]
"""`answered` = the script was carried out, whatever it says; `aborted` = the client went away before that."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A vendor's request body in neutral words; `None` where the body does not say."""

    model: str
    prompt: str
    """Text of the last user message."""
    system: str | None = None
    max_tokens: int | None = None
    """Limit of output tokens."""
    temperature: float | None = None


@dataclass(frozen=True, kw_only=True)
class Request(Asked):
    """One request to one endpoint."""

    name: str
    """The endpoint: the first segment of the path."""
    dialect: str
    number: int
    """Counts from 1 for each endpoint."""
    headers: Mapping[str, str] = field(repr=False)
    """Keys are case-insensitive."""
    body: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Hit(Request):
    """A request as the server saw it; times are `time.monotonic()` seconds."""

    outcome: Outcome = "open"
    started: float
    ended: float | None = None
