"""A small HTTP server on threads of its own, for IPv4 and IPv6, that logs nothing."""

from __future__ import annotations

import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class QuietServer(ThreadingHTTPServer):
    """Answers with a handler until `shutdown` is called; replies under way hold nobody up."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        """Listen at a name or an address, the latter without brackets; port 0 is any free one.

        Raises:
            OSError: the port is taken, or the host is none of this machine.
        """
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), handler)

    @property
    def address(self) -> str:
        """Where it listens, as a URL has it."""
        host, port = self.server_address[:2]
        return in_url(host if isinstance(host, str) else host.decode(), port)

    def handle_error(self, request: object, client_address: object) -> None:
        """A reader that went away is no news, and a traceback might quote what it sent."""


def in_url(host: str, port: int) -> str:
    """An address as host:port, with the brackets that IPv6 needs."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def why_not_bound(fault: OSError) -> str:
    """Why an address cannot be had, in a few words."""
    return "no name of this machine" if isinstance(fault, socket.gaierror) else str(fault.strerror)
