"""Who sits at the terminal."""

from __future__ import annotations

import getpass

_LONGEST = 100


def operator() -> str:
    """The login's name; empty where there is none."""
    try:
        return getpass.getuser()[:_LONGEST]
    except (OSError, KeyError):
        return ""  # a container's user may have no name
