"""A provider that sends exact bytes: which ones, a header of the request says."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import Counter
from types import TracebackType
from typing import Self

from tests.fuzz.case import Case

CASE = "x-case"
ELSEWHERE = "/elsewhere"


class Wire:
    """An async context manager; `cases` maps the header's value to what is sent."""

    def __init__(self) -> None:
        self.cases: dict[str, Case] = {}
        self.hits: Counter[str] = Counter()
        self.strays: list[str] = []
        """Requests that went where no provider is."""
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    def api_base(self, dialect: str) -> str:
        """LiteLLM's address of this server."""
        base = {"openai": "/v1", "gemini": "/v1beta"}.get(dialect, "")
        return f"http://127.0.0.1:{self.port}{base}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            name, path = await _request(reader)
            self.hits[name] += 1
            if path.startswith(ELSEWHERE) or name not in self.cases:
                self.strays.append(f"{name} {path}")
                return
            case = self.cases[name]
            writer.write(case.wire.replace(b"{PORT}", b"%d" % self.port))
            await writer.drain()
            if case.end == "hang":
                await reader.read()  # until the client goes
            if case.end == "reset":
                opened: socket.socket = writer.get_extra_info("socket")
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def _request(reader: asyncio.StreamReader) -> tuple[str, str]:
    """The case that a request names, and its path; the body is read too."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    await reader.readexactly(int(headers.get("content-length", 0)))
    return headers.get(CASE, ""), head[0].split(" ")[1]
