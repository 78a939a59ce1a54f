"""How every process of Pointsman begins."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

INTERRUPTED = 130


@contextmanager
def entering() -> Generator[None]:
    """Around the imports of an entry point: Ctrl-C ends the process at once, which has nothing to clean up yet."""
    _open_streams()
    ordinary = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ordinary:  # a process that was started to ignore Ctrl-C goes on to do so
        signal.signal(signal.SIGINT, _leave)
    try:
        yield
    finally:
        if ordinary:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame
    os._exit(INTERRUPTED)


def _open_streams() -> None:
    """Give a process that was started with a closed standard stream one that leads nowhere.

    Else the next file or socket gets its number, and is written to by whoever means the stream.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # Python has `None` for a stream that was closed, whatever its types say.
    streams: dict[str, TextIO | None] = {"stdout": sys.stdout, "stderr": sys.stderr}
    for name, stream in streams.items():
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - as long as the process
