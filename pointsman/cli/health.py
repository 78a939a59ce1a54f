"""`pointsman health`: how the providers are, what happened to them, and an operator's hand."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

import pointsman
from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.cli.operator import operator

if TYPE_CHECKING:
    from pointsman.health.overview import HealthOverview
    from pointsman.health_client import HealthClient

Target = Annotated[str, typer.Argument(metavar="PROVIDER", help="A provider, or one of its keys (provider/model).")]
Note = Annotated[str, typer.Option(metavar="TEXT", help="Why: it goes on record with your name.")]

Watch = Annotated[bool, typer.Option("--watch", help="Show it again and again, until Ctrl-C.")]
Every = Annotated[float | None, typer.Option(metavar="S", help="Seconds from one look to the next; 2. With --watch.")]

_EVERY_S = 2.0
_EVERY_MIN_S, _EVERY_MAX_S = 0.2, 3600.0

app = typer.Typer(help="Show how the providers are; open, close or reset one.", rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def health(context: typer.Context, *, watch: Watch = False, every: Every = None, as_json: AsJson = False) -> int:
    """Show how the providers are, or open, close or reset one by hand."""
    every_s = _every(every, context.invoked_subcommand, watch=watch)
    if context.invoked_subcommand is not None:
        return Exit.DONE

    async def run(client: HealthClient) -> int:
        _print(await client.overview(), as_json=as_json)
        return Exit.DONE

    async def run_on(client: HealthClient) -> int:
        from pointsman.cli import health_watch  # noqa: PLC0415 - see _print

        with health_watch.screen(as_json=as_json) as screen:
            await health_watch.watch(client.overview, screen, every_s)
        return Exit.DONE

    # Ctrl-C is the way in which watching ends.
    return _with_client(run_on, on_interrupt=Exit.DONE) if watch else _with_client(run)


@app.command()
def events(*, as_json: AsJson = False) -> int:
    """List what happened to the providers of late, oldest first."""

    async def run(client: HealthClient) -> int:
        from pointsman.cli.health_table import event_lines  # noqa: PLC0415 - see _print

        log = await client.events()
        print(log.model_dump_json(indent=2) if as_json else event_lines(log))
        return Exit.DONE

    return _with_client(run)


@app.command("open")
def open_(provider: Target, *, note: Note = "", as_json: AsJson = False) -> int:
    """Send a provider no calls, until it is reset or closed."""
    return _order(lambda client: client.open(provider, operator=operator(), note=note), provider, as_json=as_json)


@app.command()
def close(provider: Target, *, note: Note = "", as_json: AsJson = False) -> int:
    """Always admit calls to a provider, however it fails, until it is reset."""
    return _order(lambda client: client.close(provider, operator=operator(), note=note), provider, as_json=as_json)


@app.command()
def reset(provider: Target, *, note: Note = "", as_json: AsJson = False) -> int:
    """Let a provider begin anew: closed, nothing counted, no cooldown."""
    return _order(lambda client: client.reset(provider, operator=operator(), note=note), provider, as_json=as_json)


def _order(order: Callable[[HealthClient], Awaitable[HealthOverview]], provider: str, *, as_json: bool) -> int:
    async def run(client: HealthClient) -> int:
        try:
            after = await order(client)
        except ValueError as fault:
            raise typer.BadParameter(str(fault)) from fault
        _print(after.model_copy(update={"keys": after.of(provider)}), as_json=as_json)
        return Exit.DONE

    return _with_client(run)


def _every(every: float | None, subcommand: str | None, *, watch: bool) -> float:
    """Seconds between two looks; refuses what would be passed over in silence."""
    if subcommand is not None and (watch or every is not None):
        raise typer.BadParameter(f"--watch and --every go with `pointsman health` alone; leave out {subcommand!r}")
    if every is None:
        return _EVERY_S
    if not watch:
        raise typer.BadParameter("--every goes with --watch; give both")
    if not _EVERY_MIN_S <= every <= _EVERY_MAX_S:
        raise typer.BadParameter(f"--every is {every:g}; give seconds, from {_EVERY_MIN_S:g} to {_EVERY_MAX_S:g}")
    return every


def _print(told: HealthOverview, *, as_json: bool) -> None:
    # Only when there is something to show: every command pays for what this module imports.
    from pointsman.cli.health_table import print_overview  # noqa: PLC0415

    if as_json:
        print(json.dumps(told.model_dump(mode="json"), ensure_ascii=False, indent=2))
    else:
        print_overview(told, time.time())


def _with_client(run: Callable[[HealthClient], Awaitable[int]], *, on_interrupt: Exit = Exit.INTERRUPTED) -> int:
    async def connected() -> int:
        return await run(await pointsman.HealthClient.connect())  # imports the SDK, which help needs not

    try:
        return asyncio.run(connected())
    except KeyboardInterrupt:
        return on_interrupt
