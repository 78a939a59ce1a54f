"""`python -m workers codec-server`: decrypts payloads for Temporal's UI and command line, in the browser's own machine.

The UI sends what it wants to show and gets it back readable; the Temporal server sees none of it. Only decoding is
offered unless `--encode` is given, and nothing that passes through is logged. What is kept in the folder of
`[payloads]` is fetched from there. Protocol: Temporal's "remote codec".
"""

from __future__ import annotations

import argparse
import asyncio
import hmac
import json
import os
import re
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from typing import Any

from google.protobuf import json_format
from temporalio.api.common.v1 import Payload, Payloads

from pointsman.encoding.codec import Codec
from pointsman.encoding.folder import FolderDriver
from pointsman.encoding.payloads import Payloads as PayloadSettings
from pointsman.errors import UnreadablePayload
from pointsman.headers import NOT_A_HEADER, header_safe
from pointsman.sentences import ConfigurationError
from workers.quiet_server import QuietServer, in_url, why_not_bound

LISTEN = "127.0.0.1:8081"
ORIGINS = ("http://localhost:8233", "http://127.0.0.1:8233", "http://localhost:8080")
"""Where the UI is with the embedded server, and with docker-compose.yml."""
_MAX_BODY_BYTES = 64 * 1024 * 1024
_DRAINED_BYTES = 1024 * 1024
"""Of a body that is refused: who is still sending would not see the reply if the connection were closed under it."""
_DRAIN_S = 2.0
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_FORM = 'the body is no JSON of the form {"payloads": [{"metadata": {NAME: BASE64}, "data": BASE64}]}'
_TEXT = "text/plain; charset=utf-8"
_Change = Callable[[Sequence[Payload]], Coroutine[Any, Any, Sequence[Payload]]]
_MAX_PORT = 65_535
_PREFLIGHT_S = "600"


@dataclass(frozen=True)
class CodecServerOptions:
    """What the command line says."""

    host: str
    port: int
    origins: tuple[str, ...] = ORIGINS
    token: str | None = field(default=None, repr=False)
    """Asked for as `Authorization: Bearer TOKEN`."""
    encode: bool = False

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> CodecServerOptions:
        """Check what was typed.

        Raises:
            ConfigurationError: the address or the token cannot be used.
        """
        host, colon, port = arguments.listen.rpartition(":")
        if not (colon and host and port.isascii() and port.isdecimal() and int(port[:6]) <= _MAX_PORT):
            raise ConfigurationError(
                [f"--listen: {arguments.listen!r} is no address; give host:port, such as {LISTEN}"]
            )
        token = os.environ.get(arguments.token_env) if arguments.token_env else None
        if arguments.token_env and not token:
            said = f"--token-env: the environment variable {arguments.token_env} is not set; set it to the token"
            raise ConfigurationError([said])
        if token is not None and not header_safe(token):
            raise ConfigurationError([f"--token-env: {arguments.token_env} {NOT_A_HEADER}; set it again"])
        bare = host.removeprefix("[").removesuffix("]")
        if (":" in bare) != (host == f"[{bare}]"):
            raise ConfigurationError([f"--listen: {arguments.listen!r} is no address; IPv6 is given as [::1]:8081"])
        host = bare
        if token is None and not _on_this_machine(host):
            said = f"--listen: whoever reaches {host} could read every payload; add --token-env, or listen on 127.0.0.1"
            raise ConfigurationError([said])
        return cls(host, int(port), tuple(arguments.origin or ORIGINS), token, arguments.encode)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--listen", default=LISTEN, metavar="HOST:PORT", help=f"where to answer; {LISTEN}")
    parser.add_argument(
        "--origin",
        action="append",
        metavar="URL",
        help=f"an address at which the UI is opened, may be given more than once; {', '.join(ORIGINS)}",
    )
    parser.add_argument("--token-env", metavar="VARIABLE", help="environment variable with a token to ask for")
    parser.add_argument("--encode", action="store_true", help="also encrypt, for who starts workflows in the UI")


class CodecServer(QuietServer):
    """Answers until `shutdown` is called."""

    def __init__(self, options: CodecServerOptions, settings: PayloadSettings) -> None:
        """Listen.

        Raises:
            ConfigurationError: there is nothing to decode with, or the address cannot be had.
        """
        if not settings.on:
            said = "nothing is done to payloads here; set POINTSMAN_PAYLOAD_KEYS, or POINTSMAN_CONFIG with [payloads]"
            raise ConfigurationError([said])
        self.options = options
        self._codec = Codec(settings)
        self._folder = None if settings.store is None else FolderDriver(settings.store)
        self.offered: dict[str, _Change] = {"/decode": self._decoded}
        if options.encode:
            self.offered["/encode"] = self._codec.encode
        try:
            super().__init__(options.host, options.port, _Request)
        except OSError as fault:
            address = in_url(options.host, options.port)
            raise ConfigurationError(
                [f"--listen: {address} cannot be had ({why_not_bound(fault)}); give another"]
            ) from fault

    async def _decoded(self, payloads: Sequence[Payload]) -> Sequence[Payload]:
        plain = await self._codec.decode(payloads)
        # What is kept in the folder was encrypted before.
        return plain if self._folder is None else await self._codec.decode(await self._folder.fetched(plain))


class _Request(BaseHTTPRequestHandler):
    """One request of a UI."""

    protocol_version = "HTTP/1.1"
    server_version = "pointsman"
    sys_version = ""
    timeout = 30.0

    @property
    def _served(self) -> CodecServer:
        assert isinstance(self.server, CodecServer)  # noqa: S101 - it is made by that one alone
        return self.server

    def do_OPTIONS(self) -> None:
        """Tell a browser what it may send."""
        self._answer(HTTPStatus.NO_CONTENT)

    def do_POST(self) -> None:
        """Decode, or encode where that is offered."""
        offered = self._served.offered
        change = offered.get(self.path)
        size = _size(self.headers.get("content-length", ""))
        if not self._authorised():
            self._refuse(HTTPStatus.UNAUTHORIZED, "the token is missing or wrong", size)
        elif change is None:
            self._refuse(HTTPStatus.NOT_FOUND, f"known here: {', '.join(sorted(offered))}", size)
        elif size is None:
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "the length of the body is missing", size)
        elif size > _MAX_BODY_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {_MAX_BODY_BYTES:,} bytes are read", size)
        else:
            self._answer(*_changed(self.rfile.read(size), change))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base names it
        """Nothing that passes through is logged."""

    def _refuse(self, status: HTTPStatus, why: str, unread: int | None) -> None:
        """Answer without having read the body, and let go of the connection."""
        self.close_connection = True
        self._answer(status, why)
        self.connection.settimeout(_DRAIN_S)
        self.rfile.read(min(unread or 0, _DRAINED_BYTES))

    def _authorised(self) -> bool:
        token = self._served.options.token
        given = self.headers.get("authorization", "")
        return token is None or hmac.compare_digest(given.encode(), f"Bearer {token}".encode())

    def _answer(self, status: HTTPStatus, text: str = "", content_type: str = _TEXT) -> None:
        body = text.encode()
        self.send_response(status)
        origin = self.headers.get("origin")
        if origin in self._served.options.origins:
            self.send_header("access-control-allow-origin", origin)
            self.send_header("access-control-allow-methods", "POST, OPTIONS")
            self.send_header("access-control-allow-headers", "content-type, x-namespace, authorization")
            self.send_header("access-control-allow-credentials", "true")
            self.send_header("access-control-max-age", _PREFLIGHT_S)
        self.send_header("vary", "origin")
        self.send_header("cache-control", "no-store")
        if body:
            self.send_header("content-type", content_type)
        if status is not HTTPStatus.NO_CONTENT:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _size(length: str) -> int | None:
    """The length of a body as a header tells it; of one with more digits than any has, one that is too large."""
    if not (length.isascii() and length.isdecimal()):
        return None
    digits = length.lstrip("0") or "0"
    return int(digits) if len(digits) <= len(str(_MAX_BODY_BYTES)) else _MAX_BODY_BYTES + 1


def _changed(body: bytes, change: _Change) -> tuple[HTTPStatus, str, str]:
    given = _payloads(body)
    if given is None:
        return HTTPStatus.BAD_REQUEST, _FORM, _TEXT
    try:
        changed = asyncio.run(change(given))
    except UnreadablePayload as fault:
        return HTTPStatus.BAD_REQUEST, str(fault), _TEXT
    return HTTPStatus.OK, json_format.MessageToJson(Payloads(payloads=changed), indent=None), "application/json"


def _payloads(body: bytes) -> list[Payload] | None:
    """The payloads in a body; `None` where it is none, or where something in it would silently be left out."""
    try:
        told: Any = json.loads(body)
        if not isinstance(told, dict) or not _whole(told):
            return None
        return list(json_format.ParseDict(told, Payloads()).payloads)
    except (ValueError, json_format.ParseError, RecursionError):
        return None


def _whole(told: dict[str, Any]) -> bool:
    """Whether all data is base64: the parser passes over what is not."""
    payloads = told.get("payloads") or []
    if not (isinstance(payloads, list) and all(isinstance(payload, dict) for payload in payloads)):
        return False
    texts: list[Any] = []
    for payload in payloads:
        metadata = payload.get("metadata") or {}
        if not isinstance(metadata, dict):
            return False
        texts += [*metadata.values(), payload.get("data") or ""]
    return all(isinstance(text, str) and _is_base64(text) for text in texts)


def _is_base64(text: str) -> bool:
    return _BASE64.fullmatch(text) is not None and len(text.rstrip("=")) % 4 != 1


def _on_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def serve_codec(options: CodecServerOptions, stop: asyncio.Event, say: Callable[[str], None]) -> None:
    """Answer until `stop` is set.

    Raises:
        ConfigurationError: there is nothing to decode with, or the address cannot be had.
    """
    with CodecServer(options, PayloadSettings.from_environment()) as server:
        answering = asyncio.create_task(asyncio.to_thread(server.serve_forever, 0.1))
        say(f"The codec server answers at http://{server.address}.")
        await stop.wait()
        server.shutdown()
        await answering
