"""How the whole run ends: by `leave`, since the Temporal SDK can abort a finalising interpreter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from pointsman.leaving import leave

# How long an example takes is the machine's affair: a busy one once took 441 ms where 2 are usual.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

_STATUS = pytest.StashKey[int]()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    status = config.stash.get(_STATUS, None)
    if status is not None and not hasattr(config, "workerinput"):
        leave(status)


@pytest.fixture(scope="session")
def _postgresql(testrun_uid: str) -> Iterator[str]:
    from tests.postgresql import server  # noqa: PLC0415 - a second that most runs of a single file need not

    with server(testrun_uid) as address:
        yield address


@pytest.fixture
def postgresql(_postgresql: str) -> str:
    """The address of an empty database on a real PostgreSQL server."""
    from tests.postgresql import new_database  # noqa: PLC0415

    return new_database(_postgresql)
