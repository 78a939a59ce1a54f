"""How the providers are, again and again: in place on a terminal, block after block where there is none."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from pointsman.cli.health_table import moment, overview_blocks, overview_console, print_overview
from pointsman.cli.rendering import error_json
from pointsman.errors import PointsmanError
from pointsman.health.overview import HealthOverview
from pointsman.printable import one_line

Look = Callable[[], Awaitable[HealthOverview]]


class Screen(Protocol):
    """Where each look is shown; `now` is in seconds since the epoch."""

    def show(self, told: HealthOverview, now: float) -> None:
        """How the providers are."""

    def miss(self, fault: PointsmanError, now: float) -> None:
        """Nobody could tell."""


async def watch(look: Look, on: Screen, every_s: float) -> None:
    """Look and show until it is cancelled; a look that fails is shown too, and is no end."""
    while True:
        began = time.monotonic()
        try:
            on.show(await look(), time.time())
        except PointsmanError as fault:
            on.miss(fault, time.time())
        # From start to start: a slow server makes the looks no rarer than it must.
        await asyncio.sleep(max(0.0, began + every_s - time.monotonic()))


@contextmanager
def screen(*, as_json: bool) -> Generator[Screen]:
    """What suits where the output goes, for as long as the block runs."""
    console = overview_console()
    if as_json:
        yield JsonScreen()
    elif console.is_terminal:
        # What was shown last stays when it ends.
        with Live(console=console, auto_refresh=False) as live:
            yield LiveScreen(live)
    else:
        yield PlainScreen(console)


class LiveScreen:
    """A terminal whose last block is written over."""

    def __init__(self, live: Live) -> None:
        """Nothing is known yet."""
        self._live = live
        self._last: HealthOverview | None = None

    def show(self, told: HealthOverview, now: float) -> None:
        """Write over what stood there."""
        self._last = told
        self._live.update(self._blocks(now), refresh=True)

    def miss(self, fault: PointsmanError, now: float) -> None:
        """Say so above what was known last: a low terminal cuts off what is below."""
        self._live.update(Group(Text(_missed(fault, now), style="bold red"), self._blocks(now)), refresh=True)

    def _blocks(self, now: float) -> Group:
        return Group() if self._last is None else Group(*overview_blocks(self._last, now, self._live.console.width))


class PlainScreen:
    """A file or a pipe: a block for each look, sent at once."""

    def __init__(self, console: Console) -> None:
        """Write through this console."""
        self._console = console

    def show(self, told: HealthOverview, now: float) -> None:
        """The block, and an empty line."""
        print_overview(told, now, self._console)
        print(flush=True)

    def miss(self, fault: PointsmanError, now: float) -> None:
        """A line, and an empty one."""
        print(_missed(fault, now), end="\n\n", flush=True)


class JsonScreen:
    """An object a line."""

    def show(self, told: HealthOverview, now: float) -> None:  # noqa: ARG002 - the object holds its own time
        """The object that is printed without watching."""
        print(json.dumps(told.model_dump(mode="json"), ensure_ascii=False), flush=True)

    def miss(self, fault: PointsmanError, now: float) -> None:  # noqa: ARG002 - as above
        """`error` and `message`, as a command that fails prints them."""
        print(error_json(type(fault).__name__, str(fault), None), flush=True)


def _missed(fault: PointsmanError, now: float) -> str:
    return f"{moment(now)}  {one_line(str(fault))}; looking again"
