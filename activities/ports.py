"""The port to the outside: whatever can complete a conversation is a `Completer`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import quote

from pointsman.messages import Question
from pointsman.response import ProviderResponse

_HEADER_SAFE = "/:@!$&'()*+,;=-._~ "


@dataclass(frozen=True)
class CallIdentity:
    """Which attempt of which activity a request belongs to."""

    workflow_id: str = ""
    activity_id: str = ""
    attempt: int = 1
    run_id: str = ""
    """Of the workflow's run; empty for a call that no workflow made."""

    def headers(self, templates: dict[str, str]) -> dict[str, str]:
        """Configured headers with these placeholders filled in: `{workflow_id}` and so on, one for each field."""
        values = {
            # An id may hold any letter, a header only those of ASCII.
            "{workflow_id}": quote(self.workflow_id, safe=_HEADER_SAFE),
            "{run_id}": self.run_id,
            "{activity_id}": self.activity_id,
            "{attempt}": str(self.attempt),
        }
        filled = dict(templates)
        for placeholder, value in values.items():
            filled = {name: text.replace(placeholder, value) for name, text in filled.items()}
        return filled


@dataclass(frozen=True)
class CompletionRequest:
    """One request to one model: what to send, and within which limits."""

    model: str
    question: Question
    messages: list[dict[str, Any]]
    max_output_tokens: int
    timeout_s: float
    """Total wall clock of the request."""
    response_schema: dict[str, Any] | None = None
    identity: CallIdentity = field(default_factory=CallIdentity)


class Completer(Protocol):
    """One configured provider.

    A call makes one request: it neither retries nor falls back, and cancelling it closes the connection.
    """

    async def complete(self, request: CompletionRequest) -> ProviderResponse:
        """Return the provider's reply in the standard form.

        Raises:
            ProviderFault: there is no reply, or it cannot be read.
        """
        ...
