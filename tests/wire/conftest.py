"""Scripted providers on a thread of their own: one server for each module, fresh scripts for each test."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from importlib import import_module
from typing import Any

import pytest
import pytest_asyncio

from workers.embedded.scripted.server import ScriptedProviders


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedProviders]:
    with ScriptedProviders.in_thread() as running:
        yield running


@pytest.fixture
def providers(server: ScriptedProviders) -> ScriptedProviders:
    server.reset()
    return server


@pytest_asyncio.fixture(autouse=True)
async def no_open_clients() -> AsyncGenerator[None]:
    """LiteLLM keeps a client for each event loop, and here every test has its own."""
    yield
    # The adapter first: it sets what LiteLLM reads at its import.
    import_module("activities.providers.litellm")
    library: Any = import_module("litellm")
    await library.close_litellm_async_clients()
    library.in_memory_llm_clients_cache.flush_cache()
