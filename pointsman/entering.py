"""How every process of Pointsman begins."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from pointsman.importing import importing

_BY_SIGNAL = 128
_USUAL = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


@contextmanager
def entering() -> Generator[None]:
    """Around the imports of an entry point: Ctrl-C and SIGTERM end the process at once, with nothing to clean up yet.

    A container's first process would not even be ended by SIGTERM without a handler.
    """
    _open_streams()
    # A process that was started to ignore one of them goes on to do so.
    ordinary = [number for number, usual in _USUAL.items() if signal.getsignal(number) is usual]
    usual = {number: signal.signal(number, _leave) for number in ordinary}
    try:
        with importing():
            yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:
    del frame
    os._exit(_BY_SIGNAL + number)


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
