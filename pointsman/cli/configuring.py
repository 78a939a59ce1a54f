"""`pointsman check`: the effective configuration, or every fault with its path."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from pointsman.catalogue.upgrade import SERVING
from pointsman.checks import missing_keys, warnings
from pointsman.cli import fleet
from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.config_file import from_environment, load
from pointsman.configuration import Configuration
from pointsman.encoding.payloads import Payloads
from pointsman.masking import masked_configuration
from pointsman.sentences import ConfigurationError


def check(
    *,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Configuration; else POINTSMAN_CONFIG.")] = None,
    as_json: AsJson = False,
) -> int:
    """Check the configuration and print it with every default filled in; what may hold a secret is masked."""
    configuration = load(config or from_environment())
    missing = missing_keys(configuration, os.environ)
    if missing:
        raise ConfigurationError(missing)
    Payloads.of(configuration.payloads)  # raises where a key or the folder is missing
    for warning in warnings(configuration, datetime.now(UTC).date()):
        print(f"warning: {warning}", file=sys.stderr)
    document = masked_configuration(configuration.model_dump(mode="json", exclude_none=True))
    serving = _serving(configuration)
    if serving:
        document["upgrades"] = serving
    print(json.dumps(document, indent=2) if as_json else "\n".join(_flat(document)))
    return Exit.DONE


def _serving(configuration: Configuration) -> dict[str, dict[str, Any]]:
    """The models that answer beside those of the file, or in their place, where workers tell of an upgrade."""
    told = fleet.told().catalogue
    plans = {} if told is None else told.upgrades
    return {
        name: {
            "model": plan.model,
            "share": plan.share,
            "void": plan.base != configuration.providers[name].model,
        }
        for name, plan in plans.items()
        if name in configuration.providers and plan.stage in SERVING
    }


def _flat(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    else:
        yield f"{path} = {json.dumps(value, ensure_ascii=False)}"
