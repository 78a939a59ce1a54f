"""Work on many things, in lots, on all cores of the machine; the results come in the order of the things.

The processes are forked before anything has started a thread, and hold nothing that outlives the command: one whose
reader has gone ends with its next result.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from pointsman.errors import PointsmanError

LOT = 50
"""Things that are worked on before the next result is handed over."""
_MOST_PROCESSES = 8

_Thing = TypeVar("_Thing")
_Known = TypeVar("_Known")
_Result = TypeVar("_Result")


class Work(Generic[_Thing, _Known, _Result]):
    """What is done with a lot of things; `known` is found out once, after the processes have been forked."""

    def __init__(self, do: Callable[[Sequence[_Thing], _Known], _Result], known: Callable[[], _Known]) -> None:
        """`do` raises nothing: what is wrong with a thing stands in its result, which can be pickled."""
        self._do = do
        self._known = known

    def results(self, things: Sequence[_Thing]) -> Generator[_Result]:
        """The result of each lot, in order.

        Raises:
            PointsmanError: one of the processes was ended from outside.
        """
        lots = [things[at : at + LOT] for at in range(0, len(things), LOT)]
        count = min(_cores(), len(lots), _MOST_PROCESSES)
        if count < 2:  # noqa: PLR2004 - one core does it without a process besides
            known = self._known()
            yield from (self._do(lot, known) for lot in lots)
            return
        ends = [self._fork(lots[first::count]) for first in range(count)]
        try:
            known = self._known()
            for end in ends:
                end.send(known)
            for at in range(len(lots)):
                yield _received(ends[at % count])
        finally:
            for end in ends:
                end.close()

    def _fork(self, lots: Sequence[Sequence[_Thing]]) -> Connection:
        context = multiprocessing.get_context("fork")
        near, far = context.Pipe()
        # As a daemon it may not start others, and it is not waited for.
        context.Process(target=self._serve, args=(far, near, lots), daemon=True).start()
        far.close()
        return near

    def _serve(self, end: Connection, other: Connection, lots: Sequence[Sequence[_Thing]]) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command ends, and with it this
        other.close()
        gc.disable()  # it lives as long as the lots, and what it makes holds no cycles
        # The end of the pipe is the end of the work: whoever wanted the results has gone.
        with suppress(EOFError, OSError):
            known = end.recv()
            for lot in lots:
                end.send(self._do(lot, known))
        os._exit(0)


def _received(end: Connection) -> Any:
    try:
        return end.recv()
    except (EOFError, OSError):
        raise PointsmanError(
            "a process of this command was ended before its work was done, perhaps for want of memory; try again"
        ) from None


def _cores() -> int:
    """How many cores this process may use; one where processes cannot be forked."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
