"""The machine that the figures belong to."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_STAT = Path("/proc/stat")
_IDLE = slice(3, 5)


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


@dataclass(frozen=True)
class ProcessorTime:
    """Ticks of all cores since the machine started; of others as well as ours."""

    used: int
    every: int

    def busy_since(self) -> float:
        """The share of time since then that was in use; 0 where the system does not say."""
        now = processor_time()
        return (now.used - self.used) / max(1, now.every - self.every)


def processor_time() -> ProcessorTime:
    """As of now."""
    if not _STAT.exists():
        return ProcessorTime(0, 0)
    ticks = [int(value) for value in _STAT.read_text(encoding="utf-8").splitlines()[0].split()[1:9]]
    return ProcessorTime(sum(ticks) - sum(ticks[_IDLE]), sum(ticks))


def _cpu_model() -> str:
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown processor"
