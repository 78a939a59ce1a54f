"""Lines that a thread of its own writes to a file or to standard error: who tells one waits for no disk or reader.

Each line is one write at the end of the file, so that several processes may share it. A file that was moved away, as
log rotation does, is opened anew under its name; while that cannot be done, lines go on into the one that was moved.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import Condition, Thread

from pointsman.sentences import ConfigurationError

STANDARD_ERROR = "-"
_STANDARD_ERROR_FD = 2
_WARN_EVERY_S = 60.0
_log = logging.getLogger(__name__)


class LineLog:
    """Takes lines; with more than `room` of them waiting the newest are dropped and counted."""

    def __init__(self, target: str, *, room: int = 10_000) -> None:
        """`target` is the path of a file, which is made if need be, or "-".

        Raises:
            ConfigurationError: the file cannot be written.
        """
        self._path = None if target == STANDARD_ERROR else Path(target)
        self._room = room
        self._waiting = deque[str]()
        self._changed = Condition()
        self._closed = False
        self._next_warning_at = 0.0
        self.dropped = 0
        try:
            self._fd = self._opened()
        except OSError as fault:
            why = f"{target} cannot be written ({fault.strerror}); correct the path, or give - for standard error"
            raise ConfigurationError([f"telemetry.decision_log: {why}"]) from fault
        self._thread = Thread(target=self._run, name="decision-log", daemon=True)
        self._thread.start()

    def write(self, line: str) -> None:
        """Take a line, which has no end yet."""
        with self._changed:
            if self._closed or len(self._waiting) >= self._room:
                self.dropped += 1
                return
            self._waiting.append(line)
            self._changed.notify()

    def close(self, within_s: float = 2.0) -> None:
        """Write what waits; what is left after `within_s`, for which this blocks at most, is dropped."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(within_s)

    def _run(self) -> None:
        while (line := self._next()) is not None:
            try:
                self._append(line.encode(errors="replace") + b"\n")
            except OSError as fault:
                self.dropped += 1
                self._warn(f"the decision log is not written ({fault.strerror}): {self.dropped} lines are lost so far")

    def _next(self) -> str | None:
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            return self._waiting.popleft() if self._waiting else None

    def _append(self, data: bytes) -> None:
        self._follow()
        while data:
            data = data[os.write(self._fd, data) :]

    def _follow(self) -> None:
        """Open the file anew if its name leads elsewhere by now."""
        if self._path is None:
            return
        held = os.fstat(self._fd)
        with suppress(FileNotFoundError):
            named = self._path.stat()
            if (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino):
                return
        try:
            opened = self._opened()
        except OSError as fault:
            self._warn(f"the decision log cannot be opened anew ({fault.strerror}); it goes on in the file moved away")
            return
        # Only now, and never twice: the number of a closed file is soon somebody else's.
        held_fd, self._fd = self._fd, opened
        os.close(held_fd)

    def _opened(self) -> int:
        if self._path is None:
            return _STANDARD_ERROR_FD
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _warn(self, what: str) -> None:
        now = time.monotonic()
        if now >= self._next_warning_at:
            self._next_warning_at = now + _WARN_EVERY_S
            _log.warning(what)
