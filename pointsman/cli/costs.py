"""`pointsman costs`: what attempts at providers have cost, from the ledger of this configuration."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.errors import NoLedger
from pointsman.sentences import ConfigurationError

if TYPE_CHECKING:
    from pointsman.ledger.costs import CostReport
    from pointsman.ledger.settings import LedgerSettings


_CURE = "give the workers' configuration by --config or POINTSMAN_CONFIG, or correct its ledger.url"


class By(StrEnum):
    """What costs are summed by."""

    PROVIDER = "provider"
    TASK = "task"
    TENANT = "tenant"
    DAY = "day"
    MODEL = "model"
    QUERY_TYPE = "query_type"
    PURPOSE = "purpose"
    OUTCOME = "outcome"


def costs(
    *,
    by: Annotated[By, typer.Option(help="What to sum by.")] = By.PROVIDER,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="First UTC day, such as 2026-11-30.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DAY", help="Last UTC day.")] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Configuration that names the ledger; else POINTSMAN_CONFIG.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Sum what every attempt at a provider has cost: failed ones and hedge losers too."""
    first, last = _day(since, "--since"), _day(until, "--until")
    if first is not None and last is not None and last < first:
        raise typer.BadParameter(f"--until: {last} is before --since, which is {first}; swap them")
    report = _read(_settings(config), by, first, last)
    if as_json:
        print(report.model_dump_json(indent=2))
    else:
        from pointsman.cli.costs_table import print_costs  # noqa: PLC0415 - only when there is something to show

        print_costs(report)
    return Exit.DONE


def _read(settings: LedgerSettings, by: By, since: date | None, until: date | None) -> CostReport:
    # The database's package takes a while to load, and every command pays for what this module imports.
    from pointsman.ledger.costs import CostReport  # noqa: PLC0415
    from pointsman.ledger.database import Ledger  # noqa: PLC0415
    from pointsman.ledger.entry import LedgerUnavailable  # noqa: PLC0415
    from pointsman.masking import masked_url  # noqa: PLC0415

    ledger = Ledger.open(settings.url)
    try:
        totals = ledger.totals(by.value, since=since, until=until)
    except LedgerUnavailable as fault:
        where = masked_url(settings.url)
        raise NoLedger(f"the ledger of costs at {where} cannot be read: {fault}; {_CURE}") from fault
    finally:
        ledger.close()
    return CostReport.of(by.value, totals, since, until)


def _settings(config: Path | None) -> LedgerSettings:
    """Where this process's ledger is: without any configuration it is where workers keep it by default."""
    import os  # noqa: PLC0415

    from pointsman.config_file import CONFIG_VARIABLE, load  # noqa: PLC0415
    from pointsman.ledger.settings import LedgerSettings  # noqa: PLC0415

    path = config or (Path(os.environ[CONFIG_VARIABLE]) if os.environ.get(CONFIG_VARIABLE) else None)
    settings = LedgerSettings() if path is None else load(path).ledger
    if not settings.enabled:
        raise ConfigurationError(["ledger.enabled: it is false, so that no costs are kept; set it to true"])
    return settings


def _day(text: str | None, option: str) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{option}: {text!r} is no day; give one such as 2026-11-30") from None
