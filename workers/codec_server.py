"""`python -m workers codec-server`: decrypts payloads for Temporal's UI and command line, in the browser's own machine.

The UI sends what it wants to show and gets it back readable; the Temporal server sees none of it. Only decoding is
offered unless `--encode` is given, and nothing that passes through is logged. Protocol: Temporal's "remote codec".
"""

from __future__ import annotations

import argparse
import asyncio
import hmac
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

from google.protobuf import json_format
from temporalio.api.common.v1 import Payload, Payloads

from pointsman.encoding.codec import Codec
from pointsman.encoding.payloads import Payloads as PayloadSettings
from pointsman.errors import UnreadablePayload
from pointsman.headers import NOT_A_HEADER, header_safe
from pointsman.sentences import ConfigurationError

LISTEN = "127.0.0.1:8081"
ORIGINS = ("http://localhost:8233", "http://127.0.0.1:8233", "http://localhost:8080")
"""Where the UI is with the embedded server, and with docker-compose.yml."""
_MAX_BODY_BYTES = 64 * 1024 * 1024
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
        host = host.strip("[]")
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


class CodecServer(ThreadingHTTPServer):
    """Answers until `shutdown` is called."""

    daemon_threads = True

    def __init__(self, options: CodecServerOptions, settings: PayloadSettings) -> None:
        """Listen.

        Raises:
            ConfigurationError: there is nothing to decode with, or the address cannot be had.
        """
        if not settings.on:
            said = "nothing is done to payloads here; set POINTSMAN_PAYLOAD_KEYS, or POINTSMAN_CONFIG with [payloads]"
            raise ConfigurationError([said])
        self.options = options
        self.codec = Codec(settings)
        try:
            super().__init__((options.host, options.port), _Request)
        except OSError as fault:
            address = f"{options.host}:{options.port}"
            raise ConfigurationError([f"--listen: {address} cannot be had ({fault.strerror}); give another"]) from fault

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"{self.options.host}:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away in the middle is no news, and a traceback might quote what it sent."""


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
        options = self._served.options
        offered = {"/decode": self._served.codec.decode} | (
            {"/encode": self._served.codec.encode} if options.encode else {}
        )
        change = offered.get(self.path)
        body, refusal = self._body()
        if refusal is not None:
            self._answer(*refusal)
        elif not self._authorised():
            self._answer(HTTPStatus.UNAUTHORIZED, "the token is missing or wrong")
        elif change is None:
            self._answer(HTTPStatus.NOT_FOUND, f"known here: {', '.join(sorted(offered))}")
        else:
            try:
                given = json_format.Parse(body, Payloads()).payloads
            except (json_format.ParseError, UnicodeDecodeError, RecursionError):
                self._answer(HTTPStatus.BAD_REQUEST, 'the body is no JSON of the form {"payloads": [...]}')
                return
            try:
                changed: Sequence[Payload] = asyncio.run(change(list(given)))
            except UnreadablePayload as fault:
                self._answer(HTTPStatus.BAD_REQUEST, str(fault))
                return
            text = json_format.MessageToJson(Payloads(payloads=changed), indent=None)
            self._answer(HTTPStatus.OK, text, "application/json")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base names it
        """Nothing that passes through is logged."""

    def _body(self) -> tuple[bytes, tuple[HTTPStatus, str] | None]:
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal()):
            self.close_connection = True
            return b"", (HTTPStatus.LENGTH_REQUIRED, "the length of the body is missing")
        if int(length[:12]) > _MAX_BODY_BYTES:
            self.close_connection = True
            return b"", (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {_MAX_BODY_BYTES:,} bytes are read")
        return self.rfile.read(int(length)), None

    def _authorised(self) -> bool:
        token = self._served.options.token
        given = self.headers.get("authorization", "")
        return token is None or hmac.compare_digest(given.encode(), f"Bearer {token}".encode())

    def _answer(self, status: HTTPStatus, text: str = "", content_type: str = "text/plain; charset=utf-8") -> None:
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
