"""`python -m workers`: serve questions, or run the embedded stack for development.

python -m workers                workers against TEMPORAL_ADDRESS, with the configuration in POINTSMAN_CONFIG
python -m workers dev            Temporal server with UI, workers and demo providers in one process
python -m workers demo           the same, ask the demo questions, end
python -m workers codec-server   decrypt payloads for Temporal's UI
"""

from __future__ import annotations

import sys
from typing import NoReturn

from pointsman.entering import entering
from pointsman.leaving import leave


def main() -> NoReturn:
    """Run and leave with the right status."""
    with entering():
        from workers.command import run  # noqa: PLC0415 - Ctrl-C may come while it is imported
    leave(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
