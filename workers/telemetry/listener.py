"""A worker's small HTTP listener, on threads of its own: /metrics, /healthz, /readyz."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from threading import Thread
from typing import ClassVar

from pointsman.sentences import ConfigurationError
from pointsman.telemetry.settings import ListenAt
from workers.quiet_server import QuietServer, why_not_bound
from workers.telemetry.condition import Condition, Verdict

_REQUEST_TIMEOUT_S = 10
_JSON = "application/json"
_METRICS = "text/plain; version=0.0.4; charset=utf-8"


class Listener:
    """Listens until it is closed."""

    def __init__(self, at: ListenAt, condition: Condition, metrics: Callable[[], bytes]) -> None:
        """`metrics` gives them in Prometheus's text form; it may be called from several threads.

        Raises:
            ConfigurationError: no port of the range is free, or the host is none of this machine.
        """
        self._server = _bound(at, _handler(condition, metrics))
        self._thread = Thread(target=self._server.serve_forever, name="telemetry-listener", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where it listens, as host:port."""
        return self._server.address

    def close(self) -> None:
        """Stop listening; a reply under way may be cut off with the process."""
        self._server.shutdown()
        self._server.server_close()


def _bound(at: ListenAt, handler: type[BaseHTTPRequestHandler]) -> QuietServer:
    fault: OSError | None = None
    for port in range(at.first, at.last + 1):
        try:
            return QuietServer(at.host, port, handler)
        except OSError as error:
            fault = error
    where = f"{at.host}:{at.first}" + (f"-{at.last}" if at.last > at.first else "")
    why = "no port" if fault is None else why_not_bound(fault)
    cure = "give another port, a range such as 127.0.0.1:9464-9473 for several processes, or port 0 for any free one"
    raise ConfigurationError([f"telemetry.listen: cannot listen at {where} ({why}); {cure}"])


def _handler(condition: Condition, metrics: Callable[[], bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _REQUEST_TIMEOUT_S
        server_version = "pointsman"
        sys_version = ""
        replies: ClassVar[dict[str, Callable[[], Verdict]]] = {
            "/healthz": lambda: condition.health,
            "/readyz": lambda: condition.readiness,
        }

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == "/metrics":
                self._reply(HTTPStatus.OK, _METRICS, metrics())
            elif path in self.replies:
                verdict = self.replies[path]()
                status = HTTPStatus.OK if verdict.well else HTTPStatus.SERVICE_UNAVAILABLE
                self._reply(status, _JSON, verdict.body.encode())
            else:
                self._reply(HTTPStatus.NOT_FOUND, _JSON, b'{"known": ["/metrics", "/healthz", "/readyz"]}')

        def _reply(self, status: HTTPStatus, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the method replaced
            """Each look of a scraper is no line of the log."""

    return Handler
