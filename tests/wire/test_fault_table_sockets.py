"""Replies that break on the way, and servers that do not speak HTTP: below what a scripted provider can do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from activities.providers.litellm import LiteLLM
from activities.providers.litellm_faults import classify
from pointsman.faults import ProviderFault
from pointsman.outcomes import Fault
from tests.wire.asking import KEY, NAME, each_dialect, fault_of, provider, request
from workers.embedded.scripted.script import CutOff, Raw, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
BROKEN = {
    "cut body": (HEAD + b"content-length: 500\r\n\r\n" + b'{"choices": [', "truncated"),
    "cut chunk": (HEAD + b"transfer-encoding: chunked\r\n\r\n10\r\n" + b'{"choices": [', "truncated"),
    "false gzip": (HEAD + b"content-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd", "unparsable"),
    "no http": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "disconnected"),
    "closed": (b"", "disconnected"),
}


@asynccontextmanager
async def serving(data: bytes) -> AsyncGenerator[str]:
    """The address of a server that takes a request, writes `data` and leaves."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.partition(b":")[2]))
        writer.write(data)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def fault_from(dialect: str, api_base: str) -> Fault:
    declared = provider(dialect, api_base)
    with pytest.raises(ProviderFault) as caught:
        await LiteLLM(NAME, declared, KEY).complete(request(declared.model))
    return caught.value.fault


@pytest.mark.parametrize("what", list(BROKEN))
@each_dialect
async def test_what_breaks_on_the_way_is_a_failure_without_a_status(dialect: str, what: str) -> None:
    data, kind = BROKEN[what]

    async with serving(data) as address:
        fault = await fault_from(dialect, address)

    assert (fault.error_class, fault.kind, fault.status) == ("failure", kind, None)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
@each_dialect
async def test_an_answer_that_is_cut_off_is_no_answer(providers: ScriptedProviders, dialect: str, share: float) -> None:
    fault = await fault_of(providers, dialect, CutOff(share=share))

    assert (fault.error_class, fault.kind, fault.status) == ("failure", "truncated", None)


@each_dialect
async def test_a_server_without_tls_is_a_failed_connection(providers: ScriptedProviders, dialect: str) -> None:
    fault = await fault_from(dialect, providers.api_base(NAME, dialect).replace("http:", "https:"))

    assert (fault.error_class, fault.kind) == ("failure", "connection")


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a": "\xe9\xff"}'], ids=["too deep", "not utf-8"])
@each_dialect
async def test_json_that_cannot_be_read(providers: ScriptedProviders, dialect: str, body: bytes) -> None:
    fault = await fault_of(providers, dialect, Raw(body))

    assert (fault.error_class, fault.kind, fault.status) == ("failure", "unparsable", None)


async def test_a_reply_that_the_standard_form_cannot_hold(providers: ScriptedProviders) -> None:
    body = (
        b'{"id": "1", "object": "chat.completion", "created": 1, "model": {}, "choices": [{"index": 0, "message": '
        b'{"role": "assistant", "content": "ok"}, "finish_reason": "stop"}]}'
    )

    fault = await fault_of(providers, "openai", Raw(body))

    assert (fault.error_class, fault.kind) == ("failure", "unparsable")


async def test_f04_an_exception_without_a_response_means_what_the_reply_means(providers: ScriptedProviders) -> None:
    replied = await fault_of(providers, "openai", Status(401))

    class AuthenticationError(Exception):
        status_code = 401

    raised = classify(AuthenticationError("Incorrect API key provided"))

    assert (raised.error_class, raised.kind, raised.status) == (replied.error_class, replied.kind, replied.status)


async def test_a_timeout_long_before_its_time_is_a_failed_connection(providers: ScriptedProviders) -> None:
    providers.script(NAME, Reply(delay_s=20))
    declared = provider("openai", providers.api_base(NAME, "openai"))
    with pytest.raises(ProviderFault) as caught:
        await LiteLLM(NAME, declared, KEY).complete(request(declared.model, timeout_s=-0.8))
    assert caught.value.fault.kind == "timeout"

    # The words of BerriAI/litellm#33820, which no server can bring about.
    class Timeout(Exception):
        status_code = 408

    early = Timeout("Timeout Error: OpenAIException - Request timed out. timeout value=26.0, time taken=0.001 seconds")
    assert (classify(early).error_class, classify(early).kind) == ("failure", "connection")
