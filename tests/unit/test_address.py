"""Where a server is looked for before the SDK is imported."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pointsman.address import DEFAULT_ADDRESS, address, listens, with_port


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_the_environment_names_the_server_and_without_it_the_default_is_meant(tmp_path: Path) -> None:
    assert address({"TEMPORAL_ADDRESS": "there:1"}, tmp_path) == "there:1"
    assert address({}, tmp_path) == DEFAULT_ADDRESS


def test_a_configuration_file_leaves_it_to_the_sdk(tmp_path: Path) -> None:
    assert address({"TEMPORAL_PROFILE": "cloud"}, tmp_path) is None
    assert address({"TEMPORAL_CONFIG_FILE": "t.toml"}, tmp_path) is None
    (tmp_path / "temporal.toml").touch()
    assert address({}, tmp_path) is None


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("there", "there:7233"),
        ("there:1", "there:1"),
        ("[::1]", "[::1]:7233"),
        ("[::1]:1", "[::1]:1"),
        ("there:http", "there:http"),
    ],
)
def test_an_address_without_a_port_means_temporals(named: str, meant: str) -> None:
    assert with_port(named) == meant


def test_a_server_that_listens_is_found(port: int) -> None:
    assert listens(f"127.0.0.1:{port}", 1.0)


@pytest.mark.parametrize("server", ["127.0.0.1:1", "127.0.0.1:http", "nowhere.invalid:7233", "[::1]:1", ""])
def test_one_that_does_not_is_given_up_soon(server: str) -> None:
    began = time.monotonic()
    assert not listens(server, 0.2)
    assert time.monotonic() - began < 5
