"""Run a command on a leash: it ends when the process that started it does, even by SIGKILL.

    python -m workers.embedded.leash COMMAND [ARGUMENT ...]

The parent holds the other end of standard input; when that end closes the command is terminated.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

_PATIENCE_S = 10


def main() -> int:
    """Run the command and return its status."""
    # Ctrl-C reaches the whole group of processes; the parent decides when the command ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)  # noqa: S603 - the parent's own command
    signal.signal(signal.SIGTERM, lambda _number, _frame: command.terminate())
    threading.Thread(target=_watch, args=(command,), daemon=True).start()
    return command.wait()


def _watch(command: subprocess.Popen[bytes]) -> None:
    # Not through `sys.stdin`, whose lock this thread would still hold when the command ends first.
    while os.read(0, 1):
        pass
    command.terminate()
    try:
        command.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        command.kill()


if __name__ == "__main__":
    sys.exit(main())
