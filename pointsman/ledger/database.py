"""`Ledger`: the attempts in a database. Several processes may write one at once; a file of SQLite is in WAL mode."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any, Self

from sqlalchemy import Connection, Engine, Select, create_engine, event, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.schema import CreateIndex, CreateTable

from pointsman.ledger.entry import LedgerEntry, LedgerUnavailable
from pointsman.ledger.sums import Dimension, Spent, Total
from pointsman.ledger.table import SCHEMA_VERSION, attempts, first_version, metadata, schema_version, upsert
from pointsman.ledger.totals import spent_of, totals_of
from pointsman.sentences import ConfigurationError

_BUSY_S = 5
_CONNECT_S = 5
_SCHEMA_LOCK = 0x706F696E
"""Any number of our own: PostgreSQL gives the lock of this name to one process at a time."""


class Ledger:
    """The rows of one database; safe to use from several threads."""

    def __init__(self, engine: Engine) -> None:
        """Keep rows in the database of `engine`; `open` makes one from an address."""
        self._engine = engine
        self._upsert = upsert(engine.dialect.name)
        self._prepared = False
        self._preparing = Lock()

    @classmethod
    def open(cls, url: str) -> Self:
        """The ledger at an address such as `sqlite:///.pointsman/ledger.db`; nothing is connected or made yet.

        Raises:
            ConfigurationError: it is no address, or the driver of such a database is not installed.
        """
        try:
            address = make_url(url)
        except (ArgumentError, ValueError):
            # Of the value nothing is said, since it may hold a password in the wrong place.
            sentence = "ledger.url: not an address; give postgresql://USER@HOST/DATABASE and the password in PGPASSWORD"
            raise ConfigurationError([sentence]) from None
        try:
            return cls(_sqlite(address) if address.get_backend_name() == "sqlite" else _postgresql(address))
        except ModuleNotFoundError as missing:
            sentence = f"ledger.url: the package {missing.name} is not installed; install pointsman[postgresql]"
            raise ConfigurationError([sentence]) from None

    def write(self, entries: Sequence[LedgerEntry]) -> None:
        """Write rows, all or none. One that is there already is replaced, unless it is the more certain one.

        Raises:
            LedgerUnavailable: nothing was written.
        """
        if not entries:
            return
        rows = [entry.model_dump() | {"day": entry.day} for entry in entries]
        with self._answering():
            self._prepare()
            with self._engine.begin() as connection:
                connection.execute(self._upsert, rows)

    def spent(self, provider: str, day: date) -> Spent:
        """What a provider's attempts of a UTC day cost.

        Raises:
            LedgerUnavailable: it cannot be read.
        """
        with self._reading() as connection:
            return spent_of(connection, provider, day)

    def totals(self, *by: Dimension, since: date | None = None, until: date | None = None) -> list[Total]:
        """Sums per value of `by`, reported, estimated and unknown usage apart; `until` is the last UTC day.

        Raises:
            LedgerUnavailable: it cannot be read.
        """
        with self._reading() as connection:
            return totals_of(connection, by, since, until)

    def rows(
        self, *, workflow_id: str | None = None, since: date | None = None, until: date | None = None
    ) -> Iterator[LedgerEntry]:
        """Rows in the order in which their attempts started; `until` is the last UTC day.

        Raises:
            LedgerUnavailable: it cannot be read.
        """
        chosen: Select[Any] = select(attempts).order_by(attempts.c.started_at, *attempts.primary_key.columns)
        if workflow_id is not None:
            chosen = chosen.where(attempts.c.workflow_id == workflow_id)
        if since is not None:
            chosen = chosen.where(attempts.c.day >= since)
        if until is not None:
            chosen = chosen.where(attempts.c.day <= until)
        with self._reading() as connection:
            for row in connection.execution_options(yield_per=1000).execute(chosen).mappings():
                yield LedgerEntry.model_validate(dict(row))

    def close(self) -> None:
        """Close its connections; the next use opens them again."""
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Generator[Connection]:
        path = self._file()
        if path is not None and not path.exists():
            # Reading must not leave an empty file behind.
            raise LedgerUnavailable(f"there is no ledger at {path}")
        with _readable(), self._answering(), self._engine.connect() as connection:
            if not self._prepared:
                if not inspect(connection).has_table(schema_version.name):
                    raise LedgerUnavailable("no attempt has been written there yet")
                _must_be_known(connection)
            yield connection

    @contextmanager
    def _answering(self) -> Generator[None]:
        """Turn what a database that is away says into `LedgerUnavailable`; a fault of a row stays what it is."""
        try:
            yield
        except DBAPIError as fault:
            self._prepared = False
            if isinstance(fault, OperationalError | InterfaceError) or fault.connection_invalidated:
                raise _unavailable(fault) from None
            raise
        except OSError as fault:
            raise LedgerUnavailable(str(fault)) from None

    def _prepare(self) -> None:
        """Make what is missing, once in the life of a connection that works."""
        with self._preparing:
            if self._prepared:
                return
            path = self._file()
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            with self._engine.begin() as connection:
                _make(connection)
            self._prepared = True

    def _file(self) -> Path | None:
        url = self._engine.url
        return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


@contextmanager
def _readable() -> Generator[None]:
    """Whatever a database says to who only reads: it is not the ledger, or may not be read."""
    try:
        yield
    except DBAPIError as fault:
        raise _unavailable(fault) from None


def _unavailable(fault: DBAPIError) -> LedgerUnavailable:
    lines = str(fault.orig).splitlines()
    return LedgerUnavailable(lines[0] if lines else type(fault.orig).__name__)


def _make(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:name)"), {"name": _SCHEMA_LOCK})
    for table in metadata.sorted_tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        for index in table.indexes:
            connection.execute(CreateIndex(index, if_not_exists=True))
    connection.execute(first_version(connection.dialect.name))
    _must_be_known(connection)


def _must_be_known(connection: Connection) -> None:
    found = connection.execute(select(schema_version.c.version)).scalar()
    if found != SCHEMA_VERSION:
        raise LedgerUnavailable(f"it has the form {found}, and this version of Pointsman knows {SCHEMA_VERSION}")


def _sqlite(address: URL) -> Engine:
    engine = create_engine(address, hide_parameters=True, connect_args={"timeout": _BUSY_S})
    event.listen(engine, "connect", _in_wal_mode)
    return engine


def _in_wal_mode(connection: Any, _record: object) -> None:
    # Others read, and wait for their turn to write; with it NORMAL loses nothing when a process dies.
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL"):
        connection.execute(f"PRAGMA {pragma}").close()


def _postgresql(address: URL) -> Engine:
    # SQLAlchemy's own choice of a driver has changed between its versions.
    chosen = address.set(drivername="postgresql+psycopg")
    if "connect_timeout" not in chosen.query:
        chosen = chosen.update_query_dict({"connect_timeout": str(_CONNECT_S)})
    return create_engine(chosen, hide_parameters=True, pool_pre_ping=True, pool_size=2)
