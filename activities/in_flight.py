"""How many calls this process has under way at each provider: what breaks ties between equal candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager


class InFlight:
    """Counts calls by provider; used on one event loop only."""

    def __init__(self) -> None:
        """Start with none."""
        self._calls: Counter[str] = Counter()

    def __call__(self, provider: str) -> int:
        """Calls under way at `provider`."""
        return self._calls[provider]

    @contextmanager
    def counted(self, provider: str) -> Generator[None]:
        """Count one call for as long as the block runs."""
        self._calls[provider] += 1
        try:
            yield
        finally:
            self._calls[provider] -= 1
