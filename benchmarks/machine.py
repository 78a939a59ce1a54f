"""The machine that the figures belong to."""

from __future__ import annotations

import os
import platform
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")


def machine() -> dict[str, str | int]:
    """Processor, cores, Python and system; figures of two machines are not compared."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 0,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def in_words(found: dict[str, str | int]) -> str:
    """The machine in one line, with how busy it was already."""
    load = os.getloadavg()[0]
    return (
        f"{found['cpu']}, {found['cores']} cores, {found['system']}, Python {found['python']}, load average {load:.1f}"
    )


def _cpu_model() -> str:
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown processor"
