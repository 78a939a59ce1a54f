"""A command that measures: how it tells where it is, and how it ends."""

from __future__ import annotations

import logging
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from rich.console import Console

from pointsman.errors import NoServer
from pointsman.leaving import leave

_NO_SERVER = 3
_STOPPED = 130
_WIDTH = 140


@dataclass(frozen=True)
class Progress:
    """Tells what is being done, with the seconds since the command began."""

    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since the command began."""
        return time.monotonic() - self.began

    def __call__(self, what: str) -> None:
        """Tell it at once."""
        print(f"[{self.seconds:7.1f} s] {what}", flush=True)


def console(width: int = _WIDTH) -> Console:
    """Where tables go: as wide as the terminal, or of this width in a file."""
    return Console(width=None if sys.stdout.isatty() else width)


def end_with(run: Callable[[], int]) -> NoReturn:
    """Run it and leave with its status: with 3 where no server starts, with 130 after Ctrl-C or SIGTERM."""
    # Also in a shell's background, which ignores Ctrl-C: what was started is ended first.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        status = run()
    except NoServer as fault:
        print(fault, file=sys.stderr)
        status = _NO_SERVER
    except KeyboardInterrupt:
        status = _STOPPED
    leave(status)
