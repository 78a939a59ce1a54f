"""`pointsman catalogue`: what was measured of the models, as a table or a file, and an operator's hand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.cli.operator import operator
from pointsman.errors import CatalogueRefused
from pointsman.sentences import ConfigurationError, file_fault, sentences

if TYPE_CHECKING:
    from pointsman.catalogue.document import CatalogueDocument
    from pointsman.catalogue_client import CatalogueClient

Note = Annotated[str, typer.Option(metavar="TEXT", help="Why: it goes on record with your name.")]

app = typer.Typer(
    help="Show, export or import what was measured of the models.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def show(*, as_json: AsJson = False) -> int:
    """Show profiles, evaluations, served models and upgrades, and what happened of late."""

    async def run(client: CatalogueClient) -> int:
        document, events = await client.document(), await client.events()
        if as_json:
            told = document.model_dump(mode="json") | {"events": [event.model_dump(mode="json") for event in events]}
            print(json.dumps(told, ensure_ascii=False, indent=2))
        else:
            from pointsman.cli.catalogue_table import print_catalogue  # noqa: PLC0415 - only to show something

            print_catalogue(document, events, datetime.now(UTC))
        return Exit.DONE

    return _with_client(run)


@app.command()
def export(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Where to; standard output without it.")] = None,
) -> int:
    """Write the catalogue as JSON that can be reviewed, kept in a repository, and imported elsewhere."""

    async def run(client: CatalogueClient) -> int:
        document = await client.document()
        text = written(document)
        if file is None:
            print(text)
        else:
            await asyncio.to_thread(_write, file, f"{text}\n")
            print(f"exported: {_counts(document)}")
        return Exit.DONE

    return _with_client(run)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `export` wrote.")],
    *,
    note: Note = "",
) -> int:
    """Put a file in place of the whole catalogue."""
    document = read(file)

    async def run(client: CatalogueClient) -> int:
        try:
            await client.import_document(document, operator=operator(), note=note)
        except CatalogueRefused as refused:
            raise ConfigurationError([f"{file}: {refused}"]) from refused
        print(f"imported: {_counts(document)}")
        return Exit.DONE

    return _with_client(run)


@app.command()
def accept(
    provider: Annotated[str, typer.Argument(metavar="PROVIDER", help="Whose vendor now serves another model.")],
    *,
    note: Note = "",
) -> int:
    """Take what a provider now serves for what is wanted."""

    async def run(client: CatalogueClient) -> int:
        await client.accept(provider, operator=operator(), note=note)
        print(f"accepted: {provider}")
        return Exit.DONE

    return _with_client(run)


def _counts(document: CatalogueDocument) -> str:
    counts = f"{len(document.profiles)} profiles, {len(document.evaluations)} evaluations"
    return f"{counts}, {len(document.upgrades)} upgrades"


def written(document: CatalogueDocument) -> str:
    """The document as a file: sorted, so that two exports differ only where the catalogue does."""
    return json.dumps(document.model_dump(mode="json"), ensure_ascii=False, indent=2, sort_keys=True)


def read(file: Path) -> CatalogueDocument:
    """The document of a file.

    Raises:
        ConfigurationError: it is no catalogue.
    """
    from pointsman.catalogue.document import CatalogueDocument  # noqa: PLC0415 - every command pays for imports here

    try:
        return CatalogueDocument.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        raise ConfigurationError([f"{file}: no such file; give what `pointsman catalogue export` wrote"]) from None
    except OSError as fault:
        raise ConfigurationError([f"{file}: {file_fault(fault)}"]) from fault
    except ValidationError as fault:
        raise ConfigurationError([f"{file}: {told}" for told in sentences(fault, CatalogueDocument)]) from fault


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise ConfigurationError([f"{file}: cannot be written ({fault.strerror}); give another FILE"]) from fault


def _with_client(run: Callable[[CatalogueClient], Awaitable[int]]) -> int:
    async def connected() -> int:
        from pointsman.catalogue_client import CatalogueClient  # noqa: PLC0415 - imports the SDK, which help needs not

        return await run(await CatalogueClient.connect())

    try:
        return asyncio.run(connected())
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
