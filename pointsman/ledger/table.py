"""The ledger's tables and the statements that differ between SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    case,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.dml import Insert
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeDecorator

SCHEMA_VERSION = 1
"""A later version brings a step for each version before it."""


class _Utc(TypeDecorator[datetime]):
    """A moment; SQLite keeps no time zone, so it is written in UTC and read as such."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """In UTC, whatever the zone it comes in."""
        del dialect
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """With its zone, whether or not the database has kept it."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData()

attempts = Table(
    "pointsman_attempts",
    metadata,
    Column("workflow_id", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("leg", String, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("provider", String, nullable=False),
    Column("model", String, nullable=False),
    Column("model_served", String),
    Column("purpose", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("error_class", String),
    Column("kind", String),
    Column("hedge", Boolean, nullable=False),
    Column("started_at", _Utc, nullable=False),
    Column("day", Date, nullable=False),
    Column("latency_ms", Float),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cached_tokens", BigInteger, nullable=False),
    Column("reasoning_tokens", BigInteger, nullable=False),
    Column("usage_source", String, nullable=False),
    Column("cost_nano_usd", BigInteger),
    Column("query_type", String),
    Column("task", String),
    Column("tenant", String),
    Index("pointsman_attempts_by_day", "day", "provider"),
)

schema_version = Table(
    "pointsman_ledger_schema",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
)


def upsert(dialect: str) -> Insert:
    """Write a row, or replace the one of the same key by one that is no less certain."""
    insert = _insert(dialect, attempts)
    new = insert.excluded
    return insert.on_conflict_do_update(
        index_elements=list(attempts.primary_key.columns),
        set_={column.name: new[column.name] for column in attempts.columns if not column.primary_key},
        where=_certainty(new.usage_source) >= _certainty(attempts.c.usage_source),
    )


def first_version(dialect: str) -> Insert:
    """Note the version of a schema that has just been made; one that is noted stays."""
    insert = _insert(dialect, schema_version)
    return insert.values(id=1, version=SCHEMA_VERSION).on_conflict_do_nothing()


def _insert(dialect: str, table: Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def _certainty(source: ColumnElement[str]) -> ColumnElement[int]:
    return case({"reported": 2, "estimated": 1}, value=source, else_=0)
