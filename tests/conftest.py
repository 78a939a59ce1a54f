"""How the whole run ends: by `leave`, since the Temporal SDK can abort a finalising interpreter."""

from __future__ import annotations

import pytest

from pointsman.leaving import leave

_STATUS = pytest.StashKey[int]()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    status = config.stash.get(_STATUS, None)
    if status is not None and not hasattr(config, "workerinput"):
        leave(status)
