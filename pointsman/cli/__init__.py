"""The console command `pointsman`; what it does is in `command`, whose imports take a moment."""

from __future__ import annotations

import sys
from typing import NoReturn

from pointsman.entering import entering


def main() -> NoReturn:
    """Run one command and leave with its status; every error is a sentence on standard error."""
    with entering():
        from pointsman.cli.command import run  # noqa: PLC0415 - Ctrl-C may come while it is imported
        from pointsman.leaving import leave  # noqa: PLC0415
    leave(run(sys.argv[1:]))
