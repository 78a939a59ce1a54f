"""`python -m benchmarks.soak.worker`: `python -m workers` that collects its garbage on SIGUSR1 and says so."""

from __future__ import annotations

import gc
import signal
import sys
from types import FrameType
from typing import NoReturn

from pointsman.leaving import leave

COLLECTED = "collected"


def main() -> NoReturn:
    """Serve until SIGTERM."""
    from workers.command import run  # noqa: PLC0415 - what is measured is a worker, not this module's importers

    signal.signal(signal.SIGUSR1, _collect)
    leave(run(sys.argv[1:]))


def _collect(_number: int, _frame: FrameType | None) -> None:
    gc.collect()
    print(COLLECTED, flush=True)


if __name__ == "__main__":
    main()
