"""What a webhook is sent, over a real socket."""

from __future__ import annotations

import asyncio

import pytest

from workers.webhook import post


async def test_json_is_posted_and_the_status_comes_back() -> None:
    received: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        received.append(head + await reader.readexactly(len(b'{"a": 1}')))
        writer.write(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert await post(f"http://127.0.0.1:{port}/hook", '{"a": 1}') == 202
    (request,) = received
    assert request.startswith(b"POST /hook HTTP/1.1\r\n")
    assert b"content-type: application/json" in request
    assert request.endswith(b'{"a": 1}')


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/", "http://nowhere.invalid/", "http://[", "http://127.0.0.1:99999/"]
)
async def test_nobody_there_is_an_os_error(url: str) -> None:
    with pytest.raises(OSError, match=r"Error|URL|Group"):
        await post(url, "{}")
