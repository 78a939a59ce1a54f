"""What a process pays that has telemetry switched off: nothing of the SDK is imported, by a command nothing at all."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIBRARY = "import pointsman.cli.command, pointsman.client, pointsman.telemetry.instruments"
WORKER = "import workers.command, workflows.route_and_answer, activities.complete, activities.score"


def loaded(statement: str) -> list[str]:
    """The modules of OpenTelemetry that a fresh interpreter holds after a statement."""
    code = (
        f"{statement}; import sys; print(*(name for name in sys.modules if name.startswith(('opentelemetry', 'prom'))))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return ended.stdout.split()


@pytest.mark.parametrize("statement", [LIBRARY, WORKER], ids=["library", "worker"])
def test_neither_library_nor_worker_imports_the_sdk_while_it_is_off(statement: str) -> None:
    held = loaded(statement)
    assert "opentelemetry.metrics" in held
    assert [name for name in held if name.startswith(("opentelemetry.sdk", "opentelemetry.exporter", "prom"))] == []


def test_the_command_line_imports_nothing_of_opentelemetry() -> None:
    assert loaded("import pointsman.cli.command, pointsman.client") == []
