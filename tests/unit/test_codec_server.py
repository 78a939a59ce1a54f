"""The codec server: it decodes for the UI that it was told of, and for whoever has the token."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from threading import Thread
from typing import Any

import httpx
import pytest
from google.protobuf import json_format
from temporalio.api.common.v1 import Payload
from temporalio.api.common.v1 import Payloads as Message

from pointsman.encoding.codec import Codec
from pointsman.encoding.keys import Key, KeyRing
from pointsman.encoding.payloads import Payloads
from pointsman.sentences import ConfigurationError
from workers.codec_server import ORIGINS, CodecServer, CodecServerOptions, add_options

SETTINGS = Payloads(keys=KeyRing((Key("k1", bytes(32)),), "KEYS"), compress_from_bytes=100)
CANARY = "the canary sings at noon " * 10
PLAIN = Payload(metadata={"encoding": b"json/plain"}, data=json.dumps(CANARY).encode())


@contextmanager
def _running(**changes: Any) -> Generator[str]:
    with CodecServer(CodecServerOptions("127.0.0.1", 0, **changes), SETTINGS) as server:
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
        (_sealed(Payloads(keys=KeyRing((Key("k2", bytes(32)),), "KEYS"))).encode(), 400, "the key 'k2', which this"),
    ],
    ids=["text", "wrong shape", "no unicode", "deep", "nothing", "unknown key"],
)
def test_a_body_that_cannot_be_decoded_is_said_in_a_sentence(body: bytes, status: int, said: str) -> None:
    with _running() as address:
        reply = httpx.post(f"{address}/decode", content=body)
        assert (reply.status_code, said in reply.text) == (status, True)
        assert httpx.post(f"{address}/other", content=body).status_code == 404
        assert httpx.post(f"{address}/decode", content=_sealed()).status_code == 200


def test_a_body_that_is_too_large_is_refused_before_it_is_read() -> None:
    with _running() as address:
        connection = HTTPConnection(address.removeprefix("http://"))
        connection.putrequest("POST", "/decode")
        connection.putheader("content-length", "99999999999")
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--listen", "8081"], "--listen: '8081' is no address; give host:port"),
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
