"""The table `[ledger]` of the configuration."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

DEFAULT_URL = "sqlite:///.pointsman/ledger.db"
_ADDRESS = re.compile(r"sqlite:///(?!:memory:)[^?]*[^?/](\?.*)?|postgresql(\+psycopg)?://.+", re.DOTALL)


class LedgerSettings(BaseModel):
    """Whether attempts are kept, and where: a file of SQLite, or a database of PostgreSQL."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = True
    url: Annotated[str, Field(repr=False)] = DEFAULT_URL
    """A relative path (three slashes) counts from the folder that the process runs in, an absolute one has four.

    A password is better left out: psycopg takes it from PGPASSWORD or from a password file.
    """

    @field_validator("url")
    @classmethod
    def _is_a_database(cls, url: str) -> str:
        # The sentence says nothing of the value: it may hold a password.
        if not _ADDRESS.fullmatch(url):
            raise ValueError("not a ledger; give sqlite:///PATH/ledger.db or postgresql://HOST/DATABASE")
        return url
