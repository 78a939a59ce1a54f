"""How every process of Pointsman ends."""

from __future__ import annotations

import logging
import os
import sys
from typing import NoReturn, TextIO


def leave(status: int) -> NoReturn:
    """End the process now with this status, after everything written has been flushed.

    What cannot be written is said on standard error, and a success then becomes a failure.

    The Temporal SDK's native threads can meet a finalising interpreter and abort it: in 1 to 11 of 100 runs of even a
    plain client the status would be 134 in place of this one. So the interpreter is not finalised.
    """
    logging.shutdown()
    # `None` where the process was started with the stream closed.
    streams: list[TextIO | None] = [sys.stdout, sys.stderr]
    for stream in streams:
        try:
            if stream is not None:
                stream.flush()
        except (BrokenPipeError, ValueError):
            # The reader of a pipe has gone; there is nobody left to tell.
            continue
        except OSError as fault:
            os.write(2, f"the output cannot be written ({fault.strerror})\n".encode())
            status = status or 1
    os._exit(status)
