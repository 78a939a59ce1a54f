"""The configuration file as plain values, and which file it is: for all of it, and for who reads one table."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pointsman.sentences import ConfigurationError, file_fault

CONFIG_VARIABLE = "POINTSMAN_CONFIG"


def parsed(path: Path) -> dict[str, Any]:
    """Read a file of TOML.

    Raises:
        ConfigurationError: there is no such file, or it cannot be read as TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError([f"{path}: no such file; give the path of a configuration in TOML"]) from None
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigurationError([f"{path}: {file_fault(fault)}"]) from fault
    except (ValueError, RecursionError) as fault:
        # Besides its own error the parser lets through those of numbers too long and of nesting too deep.
        raise ConfigurationError([f"{path}: {_toml_fault(str(fault))}"]) from fault


def _toml_fault(message: str) -> str:
    if message.startswith(("Cannot declare", "Cannot overwrite")):
        return f"declared twice: {message}; give each provider, route and key one place and its own name"
    return f"not TOML: {message}"
