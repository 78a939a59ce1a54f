"""The codec server: it decodes for the UI that it was told of, and for whoever has the token."""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from google.protobuf import json_format
from temporalio.api.common.v1 import Payload
from temporalio.api.common.v1 import Payloads as Message

from pointsman.data_converter import data_converter
from pointsman.encoding.codec import Codec
from pointsman.encoding.keys import Key, KeyRing
from pointsman.encoding.payloads import Payloads
from pointsman.sentences import ConfigurationError
from workers.codec_server import ORIGINS, CodecServer, CodecServerOptions, add_options

SETTINGS = Payloads(keys=KeyRing((Key("k1", bytes(32)),), "KEYS"), compress_from_bytes=100)
CANARY = "the canary sings at noon " * 10
PLAIN = Payload(metadata={"encoding": b"json/plain"}, data=json.dumps(CANARY).encode())


@contextmanager
def _running(settings: Payloads = SETTINGS, **changes: Any) -> Generator[str]:
    with CodecServer(CodecServerOptions("127.0.0.1", 0, **changes), settings) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://{server.address}"
        finally:
            server.shutdown()
            thread.join()


def _sealed(settings: Payloads = SETTINGS) -> str:
    return json_format.MessageToJson(Message(payloads=asyncio.run(Codec(settings).encode([PLAIN, PLAIN]))))


def _read(reply: httpx.Response) -> list[Payload]:
    return list(json_format.Parse(reply.text, Message()).payloads)


def test_what_was_encrypted_and_compressed_is_decoded_and_nothing_is_logged(capfd: pytest.CaptureFixture[str]) -> None:
    with _running() as address:
        reply = httpx.post(f"{address}/decode", content=_sealed(), headers={"x-namespace": "default"})
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/json"
    assert _read(reply) == [PLAIN, PLAIN]
    assert capfd.readouterr() == ("", "")


def test_only_the_ui_that_it_was_told_of_may_read_the_reply() -> None:
    with _running(origins=("https://ui.example",)) as address:
        told = httpx.options(f"{address}/decode", headers={"origin": "https://ui.example"})
        other = httpx.post(f"{address}/decode", content=_sealed(), headers={"origin": "https://evil.example"})
    assert told.status_code == 204
    assert told.headers["access-control-allow-origin"] == "https://ui.example"
    assert {"content-type", "x-namespace", "authorization"} == set(
        told.headers["access-control-allow-headers"].split(", ")
    )
    assert "access-control-allow-origin" not in other.headers


def test_it_encodes_only_where_that_is_asked_for() -> None:
    body = json_format.MessageToJson(Message(payloads=[PLAIN]))
    with _running() as address:
        assert httpx.post(f"{address}/encode", content=body).status_code == 404
    with _running(encode=True) as address:
        [sealed] = _read(httpx.post(f"{address}/encode", content=body))
    assert sealed.metadata["encoding"] == b"binary/encrypted"


@pytest.mark.parametrize(("sent", "status"), [(None, 401), ("Bearer wrong", 401), ("Bearer s3cret", 200)])
def test_a_token_is_asked_for_where_there_is_one(sent: str | None, status: int) -> None:
    headers = {} if sent is None else {"authorization": sent}
    with _running(token="s3cret") as address:
        assert httpx.post(f"{address}/decode", content=_sealed(), headers=headers).status_code == status


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"no json", 400, "no JSON of the form"),
        (b'{"payloads": 7}', 400, "no JSON of the form"),
        (b"\xff", 400, "no JSON of the form"),
        (b"[" * 100_000, 400, "no JSON of the form"),
        (b"{}", 200, "{}"),
        (b"[]", 400, "no JSON of the form"),
        (b'{"payloads": {}}', 400, "no JSON of the form"),
        (b'{"payloads": [7]}', 400, "no JSON of the form"),
        (b'{"payloads": [{"data": "!!!"}]}', 400, "no JSON of the form"),
        (b'{"payloads": [{"data": "A"}]}', 400, "no JSON of the form"),
        (b'{"payloads": [{"metadata": {"encoding": "?"}}]}', 400, "no JSON of the form"),
        (b'{"payloads": [{"metadata": {"encoding": 7}}]}', 400, "no JSON of the form"),
        (b'{"payloads": [{"metadata": []}]}', 400, "no JSON of the form"),
        (b'{"payloads": [], "more": 1}', 400, "no JSON of the form"),
        (_sealed(Payloads(keys=KeyRing((Key("k2", bytes(32)),), "KEYS"))).encode(), 400, "the key 'k2', which this"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_body_that_cannot_be_decoded_is_said_in_a_sentence(body: bytes, status: int, said: str) -> None:
    with _running() as address:
        reply = httpx.post(f"{address}/decode", content=body)
        assert (reply.status_code, said in reply.text) == (status, True)
        assert httpx.post(f"{address}/other", content=body).status_code == 404
        assert httpx.post(f"{address}/decode", content=_sealed()).status_code == 200


def _announced(address: str, length: str, path: str = "/decode") -> int:
    """The status for a body that is announced and never sent."""
    connection = HTTPConnection(address.removeprefix("http://"), timeout=10)
    connection.putrequest("POST", path)
    connection.putheader("content-length", length)
    connection.endheaders()
    try:
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("length", ["99999999999", "000000000000700000000", "9" * 5000, "67108865"])
def test_a_body_that_is_too_large_is_refused_before_it_is_read(length: str) -> None:
    with _running() as address:
        assert _announced(address, length) == 413


@pytest.mark.parametrize("length", ["-1", "seven", "", "1.5"])
def test_a_length_that_is_none_is_refused(length: str) -> None:
    with _running() as address:
        assert _announced(address, length) == 411


def test_a_stranger_and_another_path_are_refused_before_the_body_is_read() -> None:
    with _running(token="s3cret") as address:
        assert _announced(address, "1000") == 401
    with _running() as address:
        assert _announced(address, "1000", "/other") == 404


def test_it_listens_on_ipv6_too() -> None:
    with CodecServer(CodecServerOptions("::1", 0), SETTINGS) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            assert server.address.startswith("[::1]:")
            assert httpx.post(f"http://{server.address}/decode", content=_sealed()).status_code == 200
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("keys", [SETTINGS.keys, None], ids=["encrypted", "plain"])
def test_what_is_kept_in_the_folder_is_fetched_and_decoded(keys: KeyRing | None, tmp_path: Path) -> None:
    settings = Payloads(keys=keys, store=tmp_path, store_from_bytes=1024)
    words = secrets.token_hex(3000)
    stored = asyncio.run(data_converter(settings).encode([words, "small"]))
    body = json_format.MessageToJson(Message(payloads=stored))
    assert words not in body
    with _running(settings=settings) as address:
        found = _read(httpx.post(f"{address}/decode", content=body))
        assert [json.loads(payload.data) for payload in found] == [words, "small"]
        [file] = [path for path in tmp_path.rglob("*") if path.is_file()]
        file.unlink()
        gone = httpx.post(f"{address}/decode", content=body)
    assert (gone.status_code, "cannot be read in" in gone.text) == (400, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--listen", "8081"], "--listen: '8081' is no address; give host:port"),
        (["--listen", "::1:8594"], "--listen: '::1:8594' is no address; IPv6 is given as [::1]:8081"),
        (["--listen", "[127.0.0.1]:8594"], "--listen: '[127.0.0.1]:8594' is no address; IPv6 is given as [::1]:8081"),
        (["--listen", "[::]:8594"], "--listen: whoever reaches :: could read every payload"),
        (["--listen", "127.0.0.1:99999"], "--listen: '127.0.0.1:99999' is no address"),
        (["--listen", "0.0.0.0:8081"], "--listen: whoever reaches 0.0.0.0 could read every payload; add --token-env"),
        (["--token-env", "NO_SUCH"], "--token-env: the environment variable NO_SUCH is not set"),
    ],
)
def test_options_that_cannot_be_used_are_said_in_a_sentence(words: list[str], said: str) -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    with pytest.raises(ConfigurationError) as refused:
        CodecServerOptions.of(parser.parse_args(words))
    assert str(refused.value).startswith(said)


def test_by_default_it_listens_on_this_machine_for_the_embedded_ui(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    assert CodecServerOptions.of(parser.parse_args([])) == CodecServerOptions("127.0.0.1", 8081, ORIGINS)
    monkeypatch.setenv("TOKEN", "s3cret")
    open_to_all = CodecServerOptions.of(parser.parse_args(["--listen", "0.0.0.0:80", "--token-env", "TOKEN"]))
    assert "s3cret" not in repr(open_to_all)


def test_a_port_that_is_taken_and_settings_without_keys_are_said_in_a_sentence() -> None:
    with _running() as address:
        port = int(address.rpartition(":")[2])
        with pytest.raises(ConfigurationError, match=r"cannot be had \(Address already in use\)"):
            CodecServer(CodecServerOptions("127.0.0.1", port), SETTINGS)
    with pytest.raises(ConfigurationError, match="set POINTSMAN_PAYLOAD_KEYS"):
        CodecServer(CodecServerOptions("127.0.0.1", 0), Payloads())
