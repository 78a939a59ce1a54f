"""A process that is told to stop before it takes questions takes none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from pointsman.ledger.settings import LedgerSettings
from tests.workflows.conftest import configuration
from workers.catalogue_feed import CatalogueFeed
from workers.service import serve
from workers.settings import Settings

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_process_that_is_stopped_while_it_waits_for_the_catalogue_is_never_ready(
    env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop, ready = asyncio.Event(), list[str]()

    async def endless(_: CatalogueFeed) -> bool:
        stop.set()
        await asyncio.Event().wait()
        return True

    monkeypatch.setattr(CatalogueFeed, "first", endless)
    ledger = LedgerSettings(url=f"sqlite:///{tmp_path}/ledger.db")
    settings = Settings(configuration().model_copy(update={"ledger": ledger}), {})
    async with asyncio.timeout(60):
        await serve(env.client, settings, stop, lambda: ready.append("ready"))
    assert ready == []
