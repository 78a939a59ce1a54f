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

from pointsman.checks import missing_keys, warnings
from pointsman.cli.asking import AsJson
from pointsman.cli.exits import Exit
from pointsman.config_file import from_environment, load
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
    for warning in warnings(configuration, datetime.now(UTC).date()):
        print(f"warning: {warning}", file=sys.stderr)
    document = masked_configuration(configuration.model_dump(mode="json", exclude_none=True))
    print(json.dumps(document, indent=2) if as_json else "\n".join(_flat(document)))
    return Exit.DONE


def _flat(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    else:
        yield f"{path} = {json.dumps(value, ensure_ascii=False)}"
