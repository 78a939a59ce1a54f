"""Where the Temporal server is, as far as that can be said without its SDK, and whether anything listens there."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread

DEFAULT_ADDRESS = "localhost:7233"
_DEFAULT_PORT = 7233
_NAMED_ELSEWHERE = ("TEMPORAL_CONFIG_FILE", "TEMPORAL_PROFILE")


def address(environment: Mapping[str, str], temporal_folder: Path) -> str | None:
    """The address that a connection will go to; `None` where only the SDK can tell, from a configuration file.

    `temporal_folder` is where Temporal's own tools keep that file.
    """
    named = environment.get("TEMPORAL_ADDRESS")
    if named:
        return named
    if any(environment.get(name) for name in _NAMED_ELSEWHERE) or (temporal_folder / "temporal.toml").is_file():
        return None
    return DEFAULT_ADDRESS


def with_port(server: str) -> str:
    """The address with Temporal's port where it names none; the SDK would take that of a web server."""
    return server if _names_port(server) else f"{server}:{_DEFAULT_PORT}"


def listens(server: str, patience_s: float) -> bool:
    """Whether something takes connections there; no name server and no firewall makes this take longer."""
    taken: list[bool] = []

    def attempt() -> None:
        with suppress(OSError, ValueError), socket.create_connection(_host_and_port(server), patience_s):
            taken.append(True)

    # Looking up a name knows no timeout, so the thread is left behind where it takes too long.
    trying = Thread(target=attempt, daemon=True)
    trying.start()
    trying.join(patience_s)
    return bool(taken)


def _host_and_port(server: str) -> tuple[str, int]:
    if not _names_port(server):
        return server.strip("[]"), _DEFAULT_PORT
    host, _, port = server.rpartition(":")
    return host.strip("[]"), int(port)


def _names_port(server: str) -> bool:
    host = server.rpartition(":")[0]
    return bool(host) and not host.endswith(":")
