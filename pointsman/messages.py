"""What a caller sends and what comes back: `Question` and `Answer`, the JSON of the workflow `RouteAndAnswer`.

Any Temporal SDK can start the workflow with a `Question` as JSON; only `prompt` (or `messages`) is needed:

    {"prompt": "What is the boiling point of water at sea level?"}

Fields are only ever added, each with a default, so that an old history still replays.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from pointsman.decision import Decision
from pointsman.outcomes import Attempt, Claim, ToolCall, Usage
from pointsman.payloads import unsendable
from pointsman.reconciliation import Reconciliation
from pointsman.review import ReviewRecord
from pointsman.schemas import schema_fault

MAX_QUESTION_BYTES = 1_500_000
"""Serialised UTF-8 size of a question: one copy travels in every provider call, and a payload may hold 2 MB."""
MAX_STORED_QUESTION_BYTES = 20_000_000
"""The same where large payloads are kept outside of the server (`[payloads] store`)."""

MAX_TASK_BYTES = 255
"""What the search attribute `PointsmanTask` holds in every store of a Temporal server."""
_MAX_TENANT_BYTES = 64
_MAX_PROVIDER_BYTES = 64

Stakes = Literal["normal", "high"]
OnExhausted = Literal["fail", "wait"]
NonEmpty = Annotated[str, StringConstraints(min_length=1, strip_whitespace=False)]


def _at_most(limit: int) -> AfterValidator:
    """A limit in bytes: Temporal counts these, and not letters."""

    def within(text: str) -> str:
        size = len(text.encode(errors="replace"))
        if size > limit:
            raise ValueError(f"is {size:,} bytes as UTF-8 and at most {limit} fit; shorten it")
        return text

    return AfterValidator(within)


ProviderNames = tuple[Annotated[NonEmpty, _at_most(_MAX_PROVIDER_BYTES)], ...]


class ContextRecord(BaseModel):
    """A retrieved text that the answer may rest on, with the id that claims cite and a weight (1.0 = as given)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: NonEmpty
    text: str
    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0


class Parameters(BaseModel):
    """Settings that go to the model as they are; anything else is refused, so that no call is a surprise."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tools: tuple[dict[str, Any], ...] | None = None
    tool_choice: str | dict[str, Any] | None = None
    stop: str | tuple[str, ...] | None = None
    seed: int | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    reasoning_effort: str | None = None

    def given(self) -> dict[str, Any]:
        """The settings that the caller set, as the keyword arguments of an LLM API."""
        return self.model_dump(mode="json", exclude_none=True)


class Question(BaseModel):
    """The input of `RouteAndAnswer`: one question, and the limits within which it is answered.

    Durations are in seconds where the name ends in `_s`, in milliseconds where it ends in `_ms`; money is in USD.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: str | None = None
    messages: tuple[dict[str, Any], ...] | None = None
    """A conversation in OpenAI's chat form, in place of `prompt`."""
    system: str | None = None
    task: Annotated[NonEmpty, _at_most(MAX_TASK_BYTES)] | None = None
    """The name of a route in the configuration; without it the question is classified."""
    stakes: Stakes | None = None
    """`None` leaves it to the route, whose own default is "normal"."""
    response_schema: dict[str, Any] | None = None
    context: tuple[ContextRecord, ...] = ()
    max_output_tokens: Annotated[int, Field(gt=0)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    deadline_s: Annotated[float, Field(gt=0, le=30 * 86400, allow_inf_nan=False)] = 60.0
    max_cost_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_latency_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    on_exhausted: OnExhausted = "fail"
    parameters: Parameters = Parameters()
    budget: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] = 1.0
    """How much of the context a simulated provider uses: the first 3 + 2 x budget records."""
    allow: ProviderNames | None = None
    deny: ProviderNames = ()
    priority: Annotated[int, Field(ge=1, le=5)] | None = None
    """Temporal's task priority: 1 is the most urgent, 3 is what tasks have without one."""
    tenant: Annotated[NonEmpty, _at_most(_MAX_TENANT_BYTES)] | None = None
    """Temporal's fairness key: questions of different tenants take turns in a full queue."""
    metadata: dict[str, str] = {}

    @field_validator("response_schema")
    @classmethod
    def _is_a_json_schema(cls, schema: dict[str, Any] | None) -> dict[str, Any] | None:
        if schema is not None:
            fault = schema_fault(schema)
            if fault is not None:
                raise ValueError(fault)
        return schema

    @field_validator("messages")
    @classmethod
    def _are_chat_messages(cls, messages: tuple[dict[str, Any], ...] | None) -> tuple[dict[str, Any], ...] | None:
        for position, message in enumerate(messages or ()):
            fault = _message_fault(message)
            if fault is not None:
                raise ValueError(f"message {position}: {fault}")
        return messages

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Self:
        if self.prompt is not None and self.messages is not None:
            raise ValueError("prompt and messages are both given; give one of them")
        if self.prompt is None and self.messages is None:
            raise ValueError("prompt is missing; give prompt or messages")
        if self.prompt is not None and not self.prompt.strip():
            raise ValueError("prompt is empty; give the question's text")
        if self.messages is not None and not self.messages:
            raise ValueError("messages is empty; give at least one message")
        if self.allow is not None and not self.allow:
            raise ValueError("allow is empty, so that no provider may answer; name a provider or leave it out")
        for field, value in self:
            problem = unsendable(value)
            if problem is not None:
                raise ValueError(f"{field} {problem}")
        return self

    @property
    def text(self) -> str:
        """What is asked, as plain text: the prompt, or the text of the last user message."""
        if self.prompt is not None:
            return self.prompt
        for message in reversed(self.messages or ()):
            if message.get("role") == "user":
                return content_text(message.get("content"))
        return content_text((self.messages or ({},))[-1].get("content"))


class Answer(BaseModel):
    """The result of `RouteAndAnswer`: the answer, who gave it and why, and what every attempt took and cost."""

    model_config = ConfigDict(frozen=True)

    status: Literal["answered", "reviewed"] = "answered"
    text: str
    parsed: Any = None
    """The JSON value of the answer where the question has a `response_schema`."""
    claims: tuple[Claim, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    confidence: float
    provider: str
    model_requested: str
    model_served: str | None
    query_type: str
    classification_confidence: float
    route_reason: str
    hedged: bool = False
    hedge_won: bool = False
    finish_reason: str
    refused: bool = False
    latency_ms: float
    """From the question's start to its answer, by Temporal's clock."""
    usage: Usage
    cost_usd: float | None
    """The sum over `attempts`; `None` where an attempt's cost is unknown."""
    cost_known: bool
    decision: Decision
    attempts: tuple[Attempt, ...]
    verified: bool = True
    """False where the stakes asked for a comparison that could not be made."""
    tags: tuple[str, ...] = ()
    divergence: Reconciliation | None = None
    """What the comparison of several answers came to, where the stakes were high."""
    review: ReviewRecord | None = None


def oversize(question: Question, limit: int) -> str | None:
    """Why a question is too large where `limit` bytes fit, or `None`; what fits is the transport's matter."""
    size = len(question.model_dump_json().encode())
    if size <= limit:
        return None
    return f"the question is {size:,} bytes as JSON and at most {limit:,} fit; shorten prompt or context"


def content_text(content: object) -> str:
    """The text of a message's `content`, which may be a string or a list of typed parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        parts = (part.get("text", "") for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def _message_fault(message: dict[str, Any]) -> str | None:
    role = message.get("role")
    if role not in ("system", "developer", "user", "assistant", "tool"):
        return f"role is {role!r}; it is one of system, developer, user, assistant, tool"
    content = message.get("content")
    if content is None and not message.get("tool_calls"):
        return "content is missing"
    if content is not None and not isinstance(content, str | list | tuple):
        return "content is neither a text nor a list of parts"
    return _tool_call_fault(message.get("tool_calls") or ())


def _tool_call_fault(calls: object) -> str | None:
    if not isinstance(calls, list | tuple):
        return "tool_calls is no list"
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            return "a tool call has no function"
        # A malformed argument breaks inside the client library, before the network, and looks there like a
        # connection error that every member of the chain repeats (faults F10).
        try:
            json.loads(function.get("arguments") or "{}")
        except (TypeError, ValueError, RecursionError):
            return "the arguments of a tool call are not JSON"
    return None
