"""What a provider that means harm, or is broken, could do to more than its own question."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from activities.providers.bounded_reply import MAX_REPLY_BYTES
from activities.providers.litellm import LiteLLM
from pointsman.faults import ProviderFault
from pointsman.outcomes import Fault, Usage
from tests.fuzz.replies import DIALECTS
from tests.wire.asking import KEY, NAME, ask, each_dialect, fault_of, provider, request
from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import Raw, Reply, Tokens
from workers.embedded.scripted.server import ScriptedProviders

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"
MEGABYTE = b"x" * 1024**2
PACKED = gzip.compress(MEGABYTE * 64)


@asynccontextmanager
async def serving(*, pieces: Iterator[bytes]) -> AsyncGenerator[tuple[str, list[int]]]:
    """A server that writes these pieces until its client leaves, and how many bytes it got rid of."""
    written: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        try:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                written.append(len(piece))
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", written


async def _fault(dialect: str, address: str) -> Fault:
    declared = provider(dialect, address)
    with pytest.raises(ProviderFault) as caught:
        await LiteLLM(NAME, declared, KEY).complete(request(declared.model))
    return caught.value.fault


@each_dialect
async def test_a_reply_without_an_end_is_cut_off_and_is_no_answer(dialect: str) -> None:
    endless = chain([HEAD + b"\r\n"], repeat(MEGABYTE))
    async with serving(pieces=endless) as (address, written):
        fault = await _fault(dialect, address)

    assert (fault.error_class, fault.kind, fault.status) == ("failure", "endless", None)
    # What lay in the sockets' buffers besides.
    assert sum(written) < MAX_REPLY_BYTES + 16 * len(MEGABYTE)


@each_dialect
async def test_a_reply_that_unpacks_to_more_than_any_answer_is_cut_off(dialect: str) -> None:
    sized = b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(PACKED)
    async with serving(pieces=iter([HEAD + sized + PACKED])) as (address, _):
        fault = await _fault(dialect, address)

    assert len(PACKED) < len(MEGABYTE)
    assert (fault.error_class, fault.kind) == ("failure", "endless")


@each_dialect
async def test_a_second_reply_on_a_kept_connection_is_not_taken_for_the_answer_to_the_next_question(
    dialect: str,
) -> None:
    bodies = iter((("first", "smuggled"), ("second",), ("third",)))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = next(line for line in head.split("\r\n") if line.startswith("content-length:"))
                await reader.readexactly(int(length.partition(":")[2]))
                writer.write(b"".join(_kept_open(dialect, text) for text in next(bodies)))
                await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        declared = provider(dialect, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        completer = LiteLLM(NAME, declared, KEY)
        told = [(await completer.complete(request(declared.model))).content for _ in range(3)]

    assert told == ["first", "second", "third"]


def _kept_open(dialect: str, text: str) -> bytes:
    asked = Request(model="m", prompt="", name=NAME, dialect=dialect, number=1, headers={}, body={})
    body = json.dumps(DIALECTS[dialect].reply(Reply(text), asked)).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@each_dialect
async def test_a_redirect_is_not_followed(providers: ScriptedProviders, dialect: str, status: int) -> None:
    moved = Raw(b"", status, headers={"location": f"{providers.url}/elsewhere/v1/chat/completions"})

    fault = await fault_of(providers, dialect, moved)

    # Its address is wrong, which nobody but the configuration may say.
    assert (fault.error_class, fault.kind) == ("config", f"http_{status}")
    assert [hit.name for hit in providers.hits()] == [NAME]


@pytest.mark.parametrize(
    "count", [-1, -(2**63), 10**9, 10**30, 10**400], ids=lambda count: f"{count:.3g}"[:8] if count < 10**99 else "1e400"
)
@each_dialect
async def test_tokens_that_no_call_can_take_are_unknown(providers: ScriptedProviders, dialect: str, count: int) -> None:
    response = await ask(providers, dialect, Reply("it is blue", usage=Tokens(input=count)))

    assert response.content == "it is blue"
    assert response.usage == Usage()


@pytest.mark.parametrize(("told", "shown"), [("m" * 3_000, "m" * 200), ("a\x00b\x1b[31mc", "ab[31mc"), ("\x00", None)])
@each_dialect
async def test_a_served_models_name_can_be_shown_stored_and_sent(
    providers: ScriptedProviders, dialect: str, told: str, shown: str | None
) -> None:
    assert (await ask(providers, dialect, Reply(model=told))).model_served == shown


def test_no_warning_of_a_vendors_package_quotes_an_answer() -> None:
    """Pydantic's own quotes the value that has another type than it thought."""
    lines = "import activities.providers.litellm, warnings; warnings.warn('Pydantic serializer warnings: CANARY')"
    ended: Any = subprocess.run(
        [sys.executable, "-c", lines],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert "CANARY" not in ended.stderr
