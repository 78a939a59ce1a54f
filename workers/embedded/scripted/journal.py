"""Scripts and hits of all endpoints; safe to use from any thread."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from threading import Condition
from typing import TYPE_CHECKING, Any

from workers.embedded.scripted.request import Asked, Hit, Outcome
from workers.embedded.scripted.script import Reply, Step

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class _Endpoint:
    steps: tuple[Step, ...] = (Reply(),)
    position: int = 0
    count: int = 0

    def next_step(self) -> Step:
        step = self.steps[min(self.position, len(self.steps) - 1)]
        self.position += 1
        return step


class Journal:
    """What each endpoint is to do, and every request with what became of it."""

    def __init__(self) -> None:
        """Empty: all endpoints reply "ok"."""
        self.frozen = False
        """While set, no ends are noted: it is the server that cuts requests then, not their clients."""
        self._changed = Condition()
        self._endpoints: dict[str, _Endpoint] = {}
        self._hits: dict[int, Hit] = {}
        self._next_id = 0

    def script(self, name: str, steps: tuple[Step, ...]) -> None:
        """Give an endpoint a new script, which starts at its first step; hits keep their numbers."""
        with self._changed:
            endpoint = self._endpoints.setdefault(name, _Endpoint())
            endpoint.steps, endpoint.position = steps or (Reply(),), 0

    def open(
        self, name: str, dialect: str, asked: Asked, headers: Mapping[str, str], body: Mapping[str, Any]
    ) -> tuple[int, Hit, Step]:
        """Note a request; the answer is the hit with its id, and the step that it falls to."""
        with self._changed:
            endpoint = self._endpoints.setdefault(name, _Endpoint())
            endpoint.count += 1
            self._next_id += 1
            hit = Hit(
                **vars(asked),
                name=name,
                dialect=dialect,
                number=endpoint.count,
                headers=headers,
                body=body,
                started=time.monotonic(),
            )
            self._hits[self._next_id] = hit
            self._changed.notify_all()
            return self._next_id, hit, endpoint.next_step()

    def end(self, hit_id: int, outcome: Outcome) -> None:
        """Note what became of a request, unless a reset has forgotten it."""
        with self._changed:
            if hit_id in self._hits and not self.frozen:
                self._hits[hit_id] = replace(self._hits[hit_id], outcome=outcome, ended=time.monotonic())
                self._changed.notify_all()

    def hits(self, name: str | None, outcome: Outcome | None = None) -> list[Hit]:
        """Requests so far, oldest first; `None` = of any endpoint, with any outcome."""
        with self._changed:
            return [hit for hit in self._hits.values() if name in (None, hit.name) and outcome in (None, hit.outcome)]

    def wait(self, name: str, count: int, timeout_s: float, outcome: Outcome | None) -> list[Hit]:
        """Block until there are at least `count` such hits; raises `TimeoutError`."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.hits(name, outcome)) >= count, timeout_s):
                found = len(self.hits(name, outcome))
                msg = f"{name} has {found} of {count} hits ({outcome or 'any'}) after {timeout_s} s"
                raise TimeoutError(msg)
            return self.hits(name, outcome)

    def forget_hits(self) -> None:
        """Forget the requests that have ended."""
        with self._changed:
            self._hits = {hit_id: hit for hit_id, hit in self._hits.items() if hit.outcome == "open"}

    def reset(self) -> None:
        """Forget all scripts and hits; numbers start at 1 again."""
        with self._changed:
            self._endpoints.clear()
            self._hits.clear()
