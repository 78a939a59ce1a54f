"""`pointsman profile`: measure models by the benchmark, now or again and again."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.cli.measuring import RunId, awaited, running

if TYPE_CHECKING:
    from pointsman.measuring.profile_report import ProfileReport

_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_EVERY = re.compile(r"(\d{1,5})\s*([mhdw])")
_OFTENEST, _SELDOMEST = timedelta(hours=1), timedelta(days=365)

app = typer.Typer(
    help="Measure models by the benchmark: latency, errors, tokens, cost and quality by type of question.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def profile() -> None:
    """Measure models by the benchmark."""


@app.command()
def run(
    provider: Annotated[
        str | None, typer.Argument(metavar="[PROVIDER]", help="One provider; all that are enabled else.")
    ] = None,
    *,
    samples: Annotated[
        int, typer.Option(metavar="N", min=1, max=100, help="Questions of each type; 12, at most what there are.")
    ] = 12,
    as_json: AsJson = False,
) -> int:
    """Ask the benchmark's questions, tell the catalogue, and print what came; the calls cost money."""

    async def work() -> int:
        from pointsman.measuring.request import ProfileRequest  # noqa: PLC0415 - imports what help needs not
        from pointsman.profile_client import ProfileClient  # noqa: PLC0415

        client = await ProfileClient.connect()
        providers = () if provider is None else (provider,)
        run_id = await client.start(ProfileRequest(providers=providers, samples=samples))
        report = await awaited(run_id, "profile show", client.report)
        return _print(run_id, report, as_json=as_json)

    return running(work)


@app.command()
def show(run_id: RunId, *, as_json: AsJson = False) -> int:
    """Fetch the report of a run that was started before, waiting for it if need be."""

    async def work() -> int:
        from pointsman.profile_client import ProfileClient  # noqa: PLC0415 - as above

        client = await ProfileClient.connect()
        report = await awaited(run_id, "profile show", client.report)
        return _print(run_id, report, as_json=as_json)

    return running(work)


@app.command()
def schedule(
    *,
    every: Annotated[
        str | None, typer.Option(metavar="TIME", help="How often, such as 30d, 2w or 12h; profiles age at 75 days.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="End the schedule.")] = False,
    as_json: AsJson = False,
) -> int:
    """Measure all enabled providers again and again; without an option it tells when it does so next."""
    if remove and every is not None:
        raise typer.BadParameter("--every and --remove are both given; give one of them")
    how_often = None if every is None else interval(every)

    async def work() -> int:
        from pointsman.profile_client import SCHEDULE_ID, ProfileClient  # noqa: PLC0415 - as above

        client = await ProfileClient.connect()
        if remove:
            removed = await client.unschedule()
            sentence = f"{SCHEDULE_ID} is removed" if removed else "there was no schedule"
            print(json.dumps({"removed": removed}) if as_json else sentence)
            return Exit.DONE
        following = await (client.scheduled() if how_often is None else client.schedule(how_often))
        if as_json:
            print(json.dumps({"id": SCHEDULE_ID, "next": None if following is None else following.isoformat()}))
        elif following is None:
            print("no schedule; make one with `pointsman profile schedule --every 30d`")
        else:
            print(f"{SCHEDULE_ID} runs next at {following:%Y-%m-%d %H:%M} UTC")
        return Exit.DONE

    return running(work)


def interval(text: str) -> timedelta:
    """A time such as 30d.

    Raises:
        BadParameter: it is none, or not between an hour and a year.
    """
    found = _EVERY.fullmatch(text.strip())
    if found is None:
        raise typer.BadParameter(f"--every: {text!r:.40} is no time; give a number and m, h, d or w, such as 30d")
    time = int(found[1]) * _UNITS[found[2]]
    if not _OFTENEST <= time <= _SELDOMEST:
        raise typer.BadParameter(f"--every: {text} is not between an hour and a year; give one such as 30d")
    return time


def _print(run_id: str, report: ProfileReport, *, as_json: bool) -> int:
    from pointsman.cli.profile_table import print_report  # noqa: PLC0415 - only when there is something to show

    lacking = report.lacking()
    if as_json:
        told = {"id": run_id, "lacking": lacking, **report.model_dump(mode="json")}
        print(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        print_report(report)
    return Exit.FAILED if lacking else Exit.DONE
