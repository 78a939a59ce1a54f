"""A question whose start the server did not confirm: it may have been taken, and its id is the way to find out."""

from __future__ import annotations

from typing import Any, cast

import pytest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from pointsman import NoServer, RouterClient
from pointsman.data_converter import DATA_CONVERTER


class _Server:
    """Takes nothing, for one reason."""

    data_converter = DATA_CONVERTER

    def __init__(self, status: RPCStatusCode) -> None:
        self._status = status

    async def start_workflow(self, *_arguments: Any, **_options: Any) -> None:
        raise RPCError("no", self._status, b"")


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (RPCStatusCode.UNAVAILABLE, True),
        (RPCStatusCode.DEADLINE_EXCEEDED, True),
        (RPCStatusCode.PERMISSION_DENIED, False),
    ],
)
async def test_the_id_is_told_where_the_server_may_have_taken_the_question(status: RPCStatusCode, told: bool) -> None:  # noqa: FBT001
    with pytest.raises(NoServer) as fault:
        await RouterClient(cast("Client", _Server(status))).ask("x")
    assert (fault.value.question_id is not None) is told
