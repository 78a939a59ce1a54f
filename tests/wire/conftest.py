"""Scripted providers on a thread of their own: one server for each module, fresh scripts for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workers.embedded.scripted.server import ScriptedProviders


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedProviders]:
    with ScriptedProviders.in_thread() as running:
        yield running


@pytest.fixture
def providers(server: ScriptedProviders) -> ScriptedProviders:
    server.reset()
    return server
