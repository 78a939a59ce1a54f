"""`pointsman upgrade`: try a new model at a provider, see how it does, give it more of the questions, or end it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from pointsman.catalogue.upgrade import share_words
from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.cli.operator import operator
from pointsman.errors import InvalidUpgrade, UnknownProvider

if TYPE_CHECKING:
    from pointsman.catalogue.upgrade import Upgrade
    from pointsman.provider import Price
    from pointsman.upgrade_client import UpgradeClient

_PERCENT = 100
_MAX_PRICE = 1_000_000
"""USD per million tokens: more is a slip."""

Provider = Annotated[str, typer.Argument(metavar="PROVIDER", help="As the configuration names it.")]
Note = Annotated[str, typer.Option(metavar="TEXT", help="Why: it goes on record with your name.")]

app = typer.Typer(
    help="Change a provider's model by evidence.\n\n"
    "start PROVIDER --model NEW, then status, then promote PROVIDER step by step; rollback PROVIDER at any time.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def start(  # noqa: PLR0913 - one parameter per option
    provider: Provider,
    *,
    model: Annotated[str, typer.Option(metavar="NEW", help="LiteLLM's model string of the new model.")],
    sample: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Share of live questions to shadow, such as 0.05.")
    ] = None,
    daily_cost_cap: Annotated[
        float | None, typer.Option(metavar="USD", help="What shadowing may cost on a UTC day.")
    ] = None,
    input_price: Annotated[
        float | None, typer.Option(metavar="USD", help="Per million input tokens; the base's by default.")
    ] = None,
    output_price: Annotated[
        float | None, typer.Option(metavar="USD", help="Per million output tokens; give both.")
    ] = None,
    note: Note = "",
    as_json: AsJson = False,
) -> int:
    """Put a new model to its suites, and then beside a sample of live questions."""
    if (input_price is None) != (output_price is None):
        raise typer.BadParameter("give --input-price and --output-price, or neither")
    price = _price(input_price, output_price)

    async def run(client: UpgradeClient) -> int:
        begun = await client.start(
            provider,
            model,
            price=price,
            sample=sample,
            daily_cost_cap_usd=daily_cost_cap,
            operator=operator(),
            note=note,
        )
        sentence = f"{provider}: {begun.model} is put to its suites; see `pointsman upgrade status {provider}`"
        _say(begun, sentence, as_json=as_json)
        return Exit.DONE

    return _with_client(run)


@app.command()
def status(
    provider: Annotated[str | None, typer.Argument(metavar="PROVIDER", help="One; all without it.")] = None,
    *,
    as_json: AsJson = False,
) -> int:
    """Show both models side by side, how sure each figure is, and what they come to."""

    async def run(client: UpgradeClient) -> int:
        upgrades = await client.status()
        if provider is not None and provider not in upgrades:
            known = ", ".join(sorted(upgrades)) or "none yet"
            raise UnknownProvider(f"no upgrade of {provider!r} is on record; there are: {known}")
        shown = [upgrades[name] for name in sorted(upgrades) if provider in (None, name)]
        if as_json:
            print(json.dumps({"upgrades": [_document(one) for one in shown]}, ensure_ascii=False, indent=2))
        else:
            from pointsman.cli.upgrade_table import print_upgrades  # noqa: PLC0415 - only to show something

            print_upgrades(shown)
        return Exit.DONE

    return _with_client(run)


@app.command()
def promote(
    provider: Provider,
    *,
    share: Annotated[
        float | None, typer.Option(metavar="PERCENT", help="Of the questions; the next step by default.")
    ] = None,
    note: Note = "",
    as_json: AsJson = False,
) -> int:
    """Give the new model more of the questions; live answers that get worse roll it back by themselves."""
    if share is not None and not 0 < share <= _PERCENT:
        raise InvalidUpgrade(f"--share is {share:g}; give a percentage above 0, up to {_PERCENT}")

    async def run(client: UpgradeClient) -> int:
        wanted = None if share is None else share / _PERCENT
        after = await client.promote(provider, share=wanted, operator=operator(), note=note)
        _say(after, f"{provider}: {after.model} answers {share_words(after.share)}", as_json=as_json)
        return Exit.DONE

    return _with_client(run)


@app.command()
def rollback(provider: Provider, *, note: Note = "", as_json: AsJson = False) -> int:
    """Send every further question to the configured model, at once."""

    async def run(client: UpgradeClient) -> int:
        after = await client.roll_back(provider, operator=operator(), note=note)
        _say(after, f"{provider}: {after.base} answers every further question", as_json=as_json)
        return Exit.DONE

    return _with_client(run)


def _say(upgrade: Upgrade, sentence: str, *, as_json: bool) -> None:
    print(json.dumps(_document(upgrade), ensure_ascii=False, indent=2) if as_json else sentence)


def _document(upgrade: Upgrade) -> dict[str, object]:
    """The record and both comparisons."""
    return {
        **upgrade.model_dump(mode="json"),
        "shadow_comparison": upgrade.shadow_comparison().model_dump(mode="json"),
        "live_comparison": upgrade.live_comparison().model_dump(mode="json"),
    }


def _price(per_input: float | None, per_output: float | None) -> Price | None:
    from pointsman.provider import Price  # noqa: PLC0415 - every command pays for imports here

    if per_input is None or per_output is None:
        return None
    for option, usd in (("--input-price", per_input), ("--output-price", per_output)):
        # Written so that `nan`, which is neither more nor less, is refused too.
        if not 0 <= usd <= _MAX_PRICE:
            raise InvalidUpgrade(f"{option} is {usd:g}; give USD per million tokens, from 0 to {_MAX_PRICE:,}")
    return Price(input=per_input, output=per_output)


def _with_client(run: Callable[[UpgradeClient], Awaitable[int]]) -> int:
    async def connected() -> int:
        from pointsman.upgrade_client import UpgradeClient  # noqa: PLC0415 - imports the SDK, which help needs not

        return await run(await UpgradeClient.connect())

    try:
        return asyncio.run(connected())
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
