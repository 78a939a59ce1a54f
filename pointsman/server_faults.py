"""What an error of the Temporal SDK means, said once for client, connection and worker."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from temporalio.api.errordetails.v1 import NamespaceNotFoundFailure
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from pointsman.errors import (
    InvalidQuestion,
    NoServer,
    NoWorker,
    PointsmanError,
    UnknownQuestion,
    UnreadablePayload,
    stored_elsewhere,
)

_GONE = frozenset({RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED})
_SHOWN_CHARACTERS = 200
_RESPITE_S = 1.0

_UNREGISTERED = re.compile(r"no mapping defined for search attribute|search attribute \S+ is not defined")
# The SDK's native part reports in the debug form of its language: the reason is the first quoted one, else the
# innermost name, such as InvalidContentType.
_QUOTED = re.compile(r'\b(?:message|error): "((?:[^"\\]|\\.)*)"')
_NAME = re.compile(r"[A-Za-z]\w*")
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_KNOWN = {"InvalidContentType": "it does not speak TLS", "UnknownIssuer": "the issuer of its certificate is unknown"}

_Result = TypeVar("_Result")

NO_FOLDER = (
    "a payload is kept outside of the server and this process does not know where; set POINTSMAN_PAYLOAD_STORE, "
    "or POINTSMAN_CONFIG to the configuration that names the folder"
)


def server_fault(fault: RPCError) -> PointsmanError:
    """The error for a caller whose request the server did not take."""
    namespace = unknown_namespace(fault)
    if namespace is not None:
        return NoServer(f"the Temporal server has no namespace {namespace!r}; create it, or set TEMPORAL_NAMESPACE")
    if fault.status is RPCStatusCode.INVALID_ARGUMENT and _UNREGISTERED.search(fault.message):
        # Workers register them, so none has been here.
        return NoWorker("no worker has served this namespace yet; start one with `python -m workers` or `make dev`")
    if fault.status is RPCStatusCode.INVALID_ARGUMENT:
        return InvalidQuestion(f"the server did not take the request: {plain_reason(fault.message)}")
    if server_gone(fault):
        return NoServer(f"the Temporal server does not answer any more ({plain_reason(fault.message)})")
    return NoServer(f"the Temporal server did not take the request ({plain_reason(fault.message)})")


def question_fault(question_id: str, fault: RPCError) -> PointsmanError:
    """The error for a caller who asked after a question."""
    if fault.status is RPCStatusCode.NOT_FOUND and unknown_namespace(fault) is None:
        return UnknownQuestion(f"no question has the id {question_id!r}, or its history has been deleted")
    return server_fault(fault)


def plain_reason(text: str) -> str:
    """The reason in an error's text, without the debug form that it may be wrapped in."""
    quoted = _QUOTED.search(text)
    if quoted is not None:
        return quoted[1][:_SHOWN_CHARACTERS]
    if "::" in text or " { " in text:
        name = ([*_NAME.findall(text)] or ["unknown"])[-1]
        return _KNOWN.get(name, _WORD.sub(" ", name).lower())
    lines = text.removeprefix("Failed client connect: ").splitlines()
    return lines[0][:_SHOWN_CHARACTERS] if lines else "no reason given"


async def steadily(call: Callable[[], Awaitable[_Result]]) -> _Result:
    """Make a call, and make it again when its connection was closed under it, as servers do with one of some minutes.

    Only for calls that do no harm twice. A connection that is closed again within a second is a fault.

    Raises:
        UnreadablePayload: what came back is kept outside of the server, and this process does not know where.
    """
    closed_at = float("-inf")
    while True:
        try:
            return await call()
        except RPCError as fault:
            now = time.monotonic()
            if not connection_closed(fault) or now - closed_at < _RESPITE_S:
                raise
            closed_at = now
        except (RuntimeError, ValueError) as fault:
            if stored_elsewhere(str(fault)):
                raise UnreadablePayload(NO_FOLDER) from fault
            raise


def call_unread(fault: ApplicationError) -> bool:
    """Whether a worker could not read what it was to do, as the SDK reports it: around the error of the codec."""
    inner = fault.cause
    return isinstance(inner, ApplicationError) and (
        inner.type == UnreadablePayload.__name__ or stored_elsewhere(inner.message)
    )


def server_gone(fault: RPCError) -> bool:
    """Whether no server answered the call; whether one took the request is then unknown."""
    return fault.status in _GONE or connection_closed(fault)


def connection_closed(fault: RPCError) -> bool:
    """Whether the call ended with its connection, which says nothing about the server or the question."""
    return fault.status is RPCStatusCode.CANCELLED or (
        fault.status is RPCStatusCode.UNKNOWN and fault.message == "transport error"
    )


def unknown_namespace(fault: RPCError) -> str | None:
    """The namespace that the server does not have, where that is what is wrong."""
    for detail in fault.grpc_status.details:
        found = NamespaceNotFoundFailure()
        if detail.Unpack(found):
            return found.namespace
    return None
