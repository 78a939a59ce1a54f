"""Reads the configuration: one TOML file, parsed once into frozen values, or refused with every fault and its path.

configuration = load(Path("config/router.toml"))
configuration.providers["frontier-a"].timeout_s
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pointsman.checks import faults
from pointsman.configuration import Configuration
from pointsman.encoding.settings import beside
from pointsman.evals.suite_folder import load_suites
from pointsman.schemas import schema_fault
from pointsman.sentences import ConfigurationError, sentences, shortened
from pointsman.toml_file import CONFIG_VARIABLE, parsed

__all__ = ["CONFIG_VARIABLE", "from_environment", "load"]

_MAX_SCHEMA_BYTES = 100_000


def load(path: Path) -> Configuration:
    """Read and check a configuration file.

    Raises:
        ConfigurationError: with every fault that was found, each one sentence that starts with its path.
    """
    configuration = _with_suites(_with_schemas(_validated(parsed(path)), path.parent), path.parent)
    configuration = configuration.model_copy(update={"payloads": beside(configuration.payloads, path.parent)})
    found = faults(configuration)
    if found:
        raise ConfigurationError(found)
    return configuration


def from_environment(environ: Mapping[str, str] = os.environ) -> Path:
    """The path that POINTSMAN_CONFIG names.

    Raises:
        ConfigurationError: the variable is not set.
    """
    path = environ.get(CONFIG_VARIABLE)
    if not path:
        raise ConfigurationError([f"{CONFIG_VARIABLE} is not set; set it to the path of the configuration file"])
    return Path(path)


def _validated(document: dict[str, Any]) -> Configuration:
    # These keys exist for `load` alone; in a file they are as unknown as any other.
    for key in ("schemas", "suites"):
        if key in document:
            raise ConfigurationError([f"{key}: unknown key; remove it"])
    try:
        configuration = Configuration.model_validate(document)
    except ValidationError as fault:
        raise ConfigurationError(sentences(fault, Configuration, toml=True)) from fault
    mistyped = list(_mistyped(document, configuration.model_dump()))
    if mistyped:
        raise ConfigurationError(mistyped)
    return configuration


def _mistyped(given: Any, taken: Any, path: str = "") -> Iterator[str]:
    """What was read as something else than it is: `context_tokens = true` is no 1, and `enabled = 0` no false."""
    if isinstance(given, dict) and isinstance(taken, dict):
        for key in (key for key in given if key in taken):
            yield from _mistyped(given[key], taken[key], f"{path}.{key}" if path else key)
    elif isinstance(taken, bool) and not isinstance(given, bool):
        yield f"{path}: should be true or false, without quotes (it is {shortened(repr(given))})"
    elif isinstance(taken, int | float) and isinstance(given, bool | str) and not isinstance(taken, bool):
        shown = str(given).lower() if isinstance(given, bool) else shortened(repr(given))
        yield f"{path}: should be a number, without quotes (it is {shown})"


def _with_schemas(configuration: Configuration, folder: Path) -> Configuration:
    schemas: dict[str, dict[str, Any]] = {}
    found: list[str] = []
    for table, route in configuration.tables().items():
        if route.response_schema is None:
            continue
        try:
            text = (folder / route.response_schema).read_text(encoding="utf-8")
            schema = json.loads(text)
        except FileNotFoundError:
            found.append(f"{table}.response_schema: no file {route.response_schema} beside the configuration")
            continue
        except (OSError, ValueError, RecursionError) as fault:
            found.append(f"{table}.response_schema: {route.response_schema} is not JSON ({fault})")
            continue
        unusable = _schema_fault(text, schema)
        if unusable is not None:
            found.append(f"{table}.response_schema: {route.response_schema} is {unusable}")
        else:
            schemas[route.response_schema] = schema
    if found:
        raise ConfigurationError(found)
    return configuration.model_copy(update={"schemas": schemas})


def _with_suites(configuration: Configuration, folder: Path) -> Configuration:
    evals = configuration.catalogue.evals
    if evals is None:
        return configuration
    return configuration.model_copy(update={"suites": load_suites(folder / evals, configuration)})


def _schema_fault(text: str, schema: Any) -> str | None:
    if not isinstance(schema, dict):
        return "not a JSON Schema: an object is expected"
    if len(text.encode()) > _MAX_SCHEMA_BYTES:
        return f"over {_MAX_SCHEMA_BYTES:,} bytes: it travels with every question beside its text; shorten it"
    return schema_fault(schema)
