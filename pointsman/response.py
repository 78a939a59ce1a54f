"""The standard response of a provider, whatever its protocol (ensemble document, "Providers")."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pointsman.outcomes import Claim, ReceivedText, ToolCall, Usage

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "missing", "unknown"]
"""Why the model stopped; `missing` = the reply has no terminal marker, `unknown` = one that no vendor documents."""


class ProviderResponse(BaseModel):
    """A reply as it came in, in one form for all protocols and not yet judged: `acceptance` does that."""

    model_config = ConfigDict(frozen=True)

    content: ReceivedText
    claims: tuple[Claim, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    confidence: float | None = None
    sources: tuple[str, ...] = ()
    latency_s: float
    usage: Usage = Usage()
    finish_reason: FinishReason = "stop"
    refused: bool = False
    model_served: str | None = None
    meta: dict[str, Any] = {}
