"""`pointsman health --watch` of real processes: on a terminal, through a pipe, and while the server is away."""

from __future__ import annotations

import asyncio
import codecs
import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from tests.e2e.conftest import PATIENCE_S, Site, new_site, python, sentence
from tests.e2e.test_health import until
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import free_port

WATCH = ("-m", "pointsman.cli", "health", "--watch", "--every", "0.3")


@pytest.fixture(scope="module")
def served(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """A server and a worker."""
    with new_site(loop, providers, tmp_path_factory.mktemp("watched")) as site:
        site.start_worker()
        until(site, "alpha", state="closed")
        yield site


@dataclass
class Watching:
    """A running command, and all that it has said."""

    process: subprocess.Popen[bytes]
    reads: int
    said: str = ""
    _decoder: codecs.IncrementalDecoder = field(default_factory=codecs.getincrementaldecoder("utf-8"))
    """A read may end in the middle of a letter."""

    def until(self, *words: str) -> str:
        """Wait until it says all of this after what was waited for before; returns what it has said since."""
        give_up = time.monotonic() + PATIENCE_S
        while not all(word in self.said for word in words):
            assert time.monotonic() < give_up, f"never said {words}: {self.said[-2000:]}"
            read = os.read(self.reads, 65_536)
            assert read, f"it ended: {self.said[-2000:]}"
            self.said += self._decoder.decode(read)
        said, self.said = self.said, ""
        return said

    def end(self) -> int:
        """Ctrl-C; returns the status."""
        self.process.send_signal(signal.SIGINT)
        with suppress(OSError):  # a terminal whose other side has gone
            while read := os.read(self.reads, 65_536):
                self.said += self._decoder.decode(read)
        return self.process.wait(PATIENCE_S)


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    running: list[subprocess.Popen[bytes]] = []
    yield running
    for process in running:
        process.kill()
        process.wait(PATIENCE_S)
        if process.stdout is not None:
            process.stdout.close()


@dataclass
class Way:
    """A way to the server that can be cut and mended."""

    server: str
    port: int = field(default_factory=lambda: free_port(0))
    _listening: asyncio.Server | None = None
    _open: list[asyncio.StreamWriter] = field(default_factory=list[asyncio.StreamWriter])

    async def mend(self) -> None:
        self._listening = await asyncio.start_server(self._lead, "127.0.0.1", self.port)

    async def cut(self) -> None:
        assert self._listening is not None
        self._listening.close()
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, _, port = self.server.partition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        self._open += [writer, far_writer]
        with suppress(OSError):
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while read := await reader.read(65_536):
        writer.write(read)
        await writer.drain()


def piped(site: Site, started: list[subprocess.Popen[bytes]], *options: str, address: str | None = None) -> Watching:
    env = site.environment({"TEMPORAL_ADDRESS": address or site.server.address})
    process = subprocess.Popen(python(*WATCH, *options), env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    started.append(process)
    assert process.stdout is not None
    return Watching(process, process.stdout.fileno())


def test_on_a_terminal_it_refreshes_in_place_and_ctrl_c_ends_it_with_status_0(
    served: Site, started: list[subprocess.Popen[bytes]]
) -> None:
    ours, theirs = pty.openpty()
    env = served.environment({"TERM": "xterm", "COLUMNS": "200", "LINES": "50"})
    started.append(subprocess.Popen(python(*WATCH), env=env, stdin=theirs, stdout=theirs, stderr=theirs))
    os.close(theirs)
    watching = Watching(started[-1], ours)
    watching.until("alpha", "delta", "1 process reports")
    # The cursor goes up to the first line again.
    again = watching.until("\x1b[1A", "alpha", "1 process reports")
    assert "Traceback" not in again
    assert watching.end() == 0
    assert "Traceback" not in watching.said
    os.close(ours)


def test_through_a_pipe_it_prints_one_block_after_the_other(
    served: Site, started: list[subprocess.Popen[bytes]]
) -> None:
    watching = piped(served, started)
    for _ in range(3):
        assert "\x1b" not in watching.until("alpha", "as of")
    assert watching.end() == 0
    assert "Traceback" not in watching.said


def test_a_server_that_goes_away_is_said_and_found_again(served: Site, started: list[subprocess.Popen[bytes]]) -> None:
    way = Way(served.server.address)
    served.wait_for(way.mend())
    watching = piped(served, started, "--json", address=f"127.0.0.1:{way.port}")
    assert json.loads(watching.until("\n").splitlines()[0])["keys"][0]["provider"] == "alpha"
    served.wait_for(way.cut())
    said = watching.until('"error"', "\n")
    missed = json.loads(said[said.index('{"error"') :].splitlines()[0])
    assert missed["error"] == "NoServer"
    assert f"the Temporal server at 127.0.0.1:{way.port} does not answer" in missed["message"]
    served.wait_for(way.mend())
    watching.until('"keys"', "\n")
    assert watching.end() == 0
    served.wait_for(way.cut())


def test_without_a_server_at_its_start_it_ends_as_without_watching(served: Site) -> None:
    ended = served.cli("health", "--watch", TEMPORAL_ADDRESS="127.0.0.1:1")
    assert ended.returncode == 3
    assert "no Temporal server reached at 127.0.0.1:1" in sentence(ended)
