"""What an error of the Temporal SDK says to a caller."""

from __future__ import annotations

import pytest
from google.protobuf.any_pb2 import Any as Detail
from temporalio.api.common.v1 import GrpcStatus
from temporalio.api.errordetails.v1 import NamespaceNotFoundFailure, NotFoundFailure
from temporalio.service import RPCError, RPCStatusCode

from pointsman.errors import InvalidQuestion, NoServer, NoWorker, PointsmanError, UnknownQuestion
from pointsman.server_faults import plain_reason, question_fault, server_fault, steadily

REFUSED = (
    'Failed client connect: Server connection error: tonic::transport::Error(Transport, ConnectError(ConnectError("tcp '
    'connect error", 127.0.0.1:1, Os { code: 111, kind: ConnectionRefused, message: "Connection refused" })))'
)
NO_NAME = (
    'Server connection error: tonic::transport::Error(Transport, ConnectError(ConnectError("dns error", Custom { kind: '
    'Uncategorized, error: "failed to lookup address information: Name or service not known" })))'
)
NO_TLS = (
    "Server connection error: tonic::transport::Error(Transport, ConnectError(Custom { kind: InvalidData, error: "
    "InvalidMessage(InvalidContentType) }))"
)
UNTRUSTED = (
    "tonic::transport::Error(Transport, ConnectError(Custom { kind: InvalidData, error: InvalidCertificate(Expired) }))"
)


def _error(message: str, status: RPCStatusCode, *details: NamespaceNotFoundFailure | NotFoundFailure) -> RPCError:
    packed: list[Detail] = []
    for detail in details:
        packed.append(Detail())
        packed[-1].Pack(detail)
    return RPCError(message, status, GrpcStatus(details=packed).SerializeToString())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (REFUSED, "Connection refused"),
        (NO_NAME, "failed to lookup address information: Name or service not known"),
        (NO_TLS, "it does not speak TLS"),
        (UNTRUSTED, "expired"),
        ('Status { code: Unauthenticated, message: "Request unauthorized." }', "Request unauthorized."),
        ("Failed client connect: Invalid headers: x", "Invalid headers: x"),
        ("first line\nsecond line", "first line"),
        ("", "no reason given"),
    ],
)
def test_a_reason_is_told_without_the_sdks_debug_text(text: str, reason: str) -> None:
    assert plain_reason(text) == reason


def test_a_reason_is_never_long() -> None:
    assert len(plain_reason("x" * 5000)) == 200
    assert len(plain_reason(f'message: "{"x" * 5000}"')) == 200


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Namespace default has no mapping defined for search attribute PointsmanStatus", NoWorker),
        ("search attribute PointsmanStatus is not defined", NoWorker),
        ("search attribute PointsmanTask value size 3002 exceeds size limit 2048", InvalidQuestion),
        ("WorkflowId exceeds maximum allowed length (1001/1000)", InvalidQuestion),
    ],
)
def test_only_search_attributes_that_nobody_registered_mean_that_no_worker_was_here(
    message: str, kind: type[PointsmanError]
) -> None:
    assert type(server_fault(_error(message, RPCStatusCode.INVALID_ARGUMENT))) is kind


def test_a_namespace_that_the_server_lacks_is_not_taken_for_a_question_that_it_lacks() -> None:
    unknown = _error(
        "Namespace nope is not found.", RPCStatusCode.NOT_FOUND, NamespaceNotFoundFailure(namespace="nope")
    )
    gone = _error("workflow not found", RPCStatusCode.NOT_FOUND, NotFoundFailure())
    assert type(question_fault("q", unknown)) is NoServer
    assert "has no namespace 'nope'" in str(question_fault("q", unknown))
    assert type(question_fault("q", gone)) is UnknownQuestion


def test_a_server_that_has_gone_is_told_so() -> None:
    told = server_fault(_error(REFUSED, RPCStatusCode.UNAVAILABLE))
    assert (type(told), str(told)) == (NoServer, "the Temporal server does not answer any more (Connection refused)")


def test_a_connection_that_was_closed_under_a_call_is_told_as_a_server_that_has_gone() -> None:
    closed = _error("transport error", RPCStatusCode.UNKNOWN)
    assert str(server_fault(closed)) == "the Temporal server does not answer any more (transport error)"


@pytest.mark.parametrize(
    "closed",
    [
        _error("operation was canceled", RPCStatusCode.CANCELLED),
        _error("transport error", RPCStatusCode.UNKNOWN),
    ],
    ids=str,
)
async def test_a_call_whose_connection_was_closed_is_made_again_once(closed: RPCError) -> None:
    calls: list[int] = []

    async def call() -> str:
        calls.append(len(calls))
        if len(calls) == 1:
            raise closed
        return "made"

    async def always_closed() -> str:
        calls.append(len(calls))
        raise closed

    assert await steadily(call) == "made"
    assert len(calls) == 2
    calls.clear()
    with pytest.raises(RPCError):
        await steadily(always_closed)
    assert len(calls) == 2


async def test_a_call_that_the_server_refused_is_not_made_again() -> None:
    calls: list[int] = []

    async def call() -> str:
        calls.append(len(calls))
        raise _error("no", RPCStatusCode.PERMISSION_DENIED)

    with pytest.raises(RPCError):
        await steadily(call)
    assert len(calls) == 1
