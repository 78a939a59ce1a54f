"""Watching the health of providers: each look is shown, a look that fails is no end, and options are checked first."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Iterator

import pytest
from rich.console import Console
from rich.live import Live

from pointsman.cli.command import run
from pointsman.cli.exits import Exit
from pointsman.cli.health_watch import JsonScreen, LiveScreen, Look, PlainScreen, Screen, screen, watch
from pointsman.errors import NoServer, NoWorker
from pointsman.health.overview import HealthOverview
from tests.unit.test_health_table import NOW, key, told

EVERY_S = 0.01
WIDTH = 200


def looks(*found: HealthOverview | Exception) -> Look:
    """Give one after the other, then end the watching as Ctrl-C does."""
    left: Iterator[HealthOverview | Exception] = iter(found)

    async def look() -> HealthOverview:
        one = next(left, None)
        if one is None:
            raise asyncio.CancelledError
        if isinstance(one, Exception):
            raise one
        return one

    return look


async def watched(on: Screen, *found: HealthOverview | Exception) -> None:
    with pytest.raises(asyncio.CancelledError):
        await watch(looks(*found), on, EVERY_S)


async def test_without_a_terminal_each_look_is_a_block(capsys: pytest.CaptureFixture[str]) -> None:
    await watched(PlainScreen(Console(width=WIDTH)), told(key()), told(key("beta")))
    blocks = capsys.readouterr().out.strip().split("\n\n")
    assert len(blocks) == 2
    assert "alpha" in blocks[0]
    assert "beta" in blocks[1]
    assert "1 process reports" in blocks[1]


async def test_a_look_that_fails_is_said_and_the_next_one_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    gone = NoServer("the Temporal server does not answer\x1b any more")
    await watched(PlainScreen(Console(width=WIDTH)), gone, NoWorker("no worker answers"), told(key()))
    first, second, third = capsys.readouterr().out.strip().split("\n\n")
    assert first.endswith("the Temporal server does not answer\\x1b any more; looking again")
    assert second.endswith("Z  no worker answers; looking again")
    assert "alpha" in third


async def test_an_error_that_is_no_word_of_the_server_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError):
        await watch(looks(ZeroDivisionError(), told(key())), PlainScreen(Console(width=WIDTH)), EVERY_S)
    assert capsys.readouterr().out == ""


async def test_as_json_each_look_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    await watched(JsonScreen(), told(key()), NoServer("away"))
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == told(key()).model_dump(mode="json")
    assert second == {"error": "NoServer", "message": "away"}


def on_terminal(show: Callable[[LiveScreen], None]) -> str:
    """What a terminal is sent."""
    sent = io.StringIO()
    console = Console(file=sent, force_terminal=True, width=WIDTH, height=40, color_system=None)
    with Live(console=console, auto_refresh=False) as live:
        show(LiveScreen(live))
    return sent.getvalue()


def test_on_a_terminal_a_block_is_written_over_the_one_before() -> None:
    def twice(live: LiveScreen) -> None:
        live.show(told(key()), NOW)
        live.show(told(key("beta")), NOW + 2)

    sent = on_terminal(twice)
    between = sent[sent.index("alpha") : sent.index("beta")]
    lines = between.count("\n")
    # Up to the first line of what stands there, each one wiped.
    assert f"\r\x1b[2K{chr(27)}[1A\x1b[2K" in between
    assert between.count("\x1b[1A") >= lines - 2


def test_on_a_terminal_what_was_known_stands_below_the_fault_and_grows_older() -> None:
    def shown_and_missed(live: LiveScreen) -> None:
        live.show(told(key()), NOW)
        live.miss(NoServer("the server is away"), NOW + 30)

    last = on_terminal(shown_and_missed).rpartition("\x1b[2K")[2]
    assert last.index("the server is away; looking again") < last.index("alpha")
    assert "30 s ago" in last


def test_before_anything_is_known_the_fault_stands_alone() -> None:
    sent = on_terminal(lambda live: live.miss(NoWorker("no worker answers"), NOW))
    assert "no worker answers; looking again" in sent
    assert "provider" not in sent


def test_the_output_decides_how_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with screen(as_json=False) as plain, screen(as_json=True) as objects:
        assert isinstance(plain, PlainScreen)
        assert isinstance(objects, JsonScreen)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with screen(as_json=False) as live:
        assert isinstance(live, LiveScreen)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--watch", "--every", "0"), "--every is 0; give seconds, from 0.2 to 3600"),
        (("--watch", "--every", "nan"), "--every is nan; give seconds, from 0.2 to 3600"),
        (("--watch", "--every", "4000"), "--every is 4000; give seconds, from 0.2 to 3600"),
        (("--every", "3"), "--every goes with --watch; give both"),
        (("--watch", "events"), "--watch and --every go with `pointsman health` alone; leave out 'events'"),
    ],
)
def test_options_that_fit_nothing_are_refused_in_a_sentence(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    status = run(["health", *words])
    told_ = capsys.readouterr()
    assert (status, told_.out, told_.err) == (Exit.BAD_INPUT, "", f"Invalid value: {said}. See `pointsman --help`.\n")
