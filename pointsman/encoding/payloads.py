"""What holds in this process: the table `[payloads]`, and the environment, which also speaks where there is no file.

| variable                               | in the place of              |
|----------------------------------------|------------------------------|
| POINTSMAN_PAYLOAD_KEYS                 | the variable that `keys_env` names |
| POINTSMAN_PAYLOAD_COMPRESS_FROM_BYTES  | `compress_from_bytes`        |
| POINTSMAN_PAYLOAD_STORE                | `store`                      |
| POINTSMAN_PAYLOAD_STORE_FROM_BYTES     | `store_from_bytes`           |

A key of the table beats its variable, so that all who read one file do the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError

from pointsman.encoding.keys import KeyRing, key_ring
from pointsman.encoding.settings import STORE_FROM_BYTES, PayloadSettings, beside
from pointsman.sentences import ConfigurationError, sentences
from pointsman.toml_file import CONFIG_VARIABLE, parsed

KEYS_VARIABLE = "POINTSMAN_PAYLOAD_KEYS"
_PREFIX = "POINTSMAN_PAYLOAD_"
_DECIMAL = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True)
class Payloads:
    """The settings of a process, read and checked; nothing is on by default."""

    keys: KeyRing | None = None
    compress_from_bytes: int | None = None
    store: Path | None = None
    store_from_bytes: int = STORE_FROM_BYTES

    @classmethod
    def of(cls, settings: PayloadSettings, environ: Mapping[str, str] = os.environ) -> Payloads:
        """What the table says, filled up from the environment.

        Raises:
            ConfigurationError: a key is missing or unusable, or the folder is not there.
        """
        table = _filled(settings, environ)
        faults: list[str] = []
        keys, of_keys = _keys(settings.keys_env, environ)
        faults += of_keys
        store = None if table.store is None else Path(table.store).absolute()
        if store is not None and not (store.is_dir() and os.access(store, os.W_OK)):
            place = f"{_PREFIX}STORE" if settings.store is None else "payloads.store"
            # One that is made in passing would be a folder of this machine where a share is not mounted.
            faults.append(f"{place}: {store} is no folder that can be written; create it, or mount it")
        if store is None and table.store_from_bytes is not None:
            faults.append("payloads.store_from_bytes: no folder is named; set payloads.store, or remove it")
        if faults:
            raise ConfigurationError(faults)
        return cls(keys, table.compress_from_bytes, store, table.store_from_bytes or STORE_FROM_BYTES)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Payloads:
        """The same for a process that may have no configuration; of a file only this one table is read.

        Raises:
            ConfigurationError: also where POINTSMAN_CONFIG names a file that cannot be read: it may ask for encryption.
        """
        path = environ.get(CONFIG_VARIABLE)
        return cls.of(_table(Path(path)) if path else PayloadSettings(), environ)

    @property
    def on(self) -> bool:
        """Whether anything is done to payloads."""
        return self.keys is not None or self.compress_from_bytes is not None or self.store is not None


class _File(BaseModel):
    """Of a configuration the one table; what else it says is not looked at here."""

    payloads: PayloadSettings = PayloadSettings()


def _table(path: Path) -> PayloadSettings:
    try:
        return beside(_File.model_validate(parsed(path)).payloads, path.parent)
    except ValidationError as fault:
        raise ConfigurationError(sentences(fault, _File, toml=True)) from fault


def _filled(settings: PayloadSettings, environ: Mapping[str, str]) -> PayloadSettings:
    """The table with what only the environment says."""
    said: dict[str, int | str] = {}
    for name in ("compress_from_bytes", "store", "store_from_bytes"):
        text = environ.get(f"{_PREFIX}{name.upper()}")
        if text and getattr(settings, name) is None:
            said[name] = int(text) if name != "store" and _DECIMAL.fullmatch(text) else text
    try:
        checked = PayloadSettings.model_validate(said)
    except ValidationError as fault:
        found = sentences(fault, PayloadSettings)
        named = [f"{_PREFIX}{sentence.partition(':')[0].upper()}:{sentence.partition(':')[2]}" for sentence in found]
        raise ConfigurationError(named) from fault
    return settings.model_copy(update=checked.model_dump(exclude_unset=True))


def _keys(keys_env: str | None, environ: Mapping[str, str]) -> tuple[KeyRing | None, list[str]]:
    variable = keys_env or KEYS_VARIABLE
    text = environ.get(variable)
    if text is None and keys_env is None:
        return None, []
    if not text:
        said = f"{variable} is set to nothing; give it keys, or unset it"
        if keys_env is not None:
            said = f"payloads.keys_env: the environment variable {variable} is not set; set it to the keys of the fleet"
        return None, [said]
    return key_ring(text, variable)
