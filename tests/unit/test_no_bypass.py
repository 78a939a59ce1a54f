"""No code names a configured provider or model, and nothing reaches a provider but the router's activities.

Each rule is also shown to find the violation that it is there for, planted in a copy of the source.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source_scan import (
    ASKING,
    DEMO,
    MADE,
    NETWORK,
    PACKAGES,
    REACHING,
    REQUEST,
    WAYS_OUT,
    adapting,
    asking,
    configured,
    named,
    reaching,
)

ROOT = Path(__file__).parents[2]
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The source, for something to be planted in it."""
    for package in (*PACKAGES, "config"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def _plant(root: Path, path: str, lines: str) -> None:
    target = root / path
    target.write_text(target.read_text(encoding="utf-8") + f"\n{lines}\n", encoding="utf-8")


def test_the_configurations_name_providers_and_models() -> None:
    assert {"small-openai", "openai/gpt-5.2-2026-08-15", "gpt-5.2-2026-08-15", "provider-a"} <= configured(ROOT)


def test_no_code_names_a_provider_or_a_model_but_the_play_of_the_demonstration() -> None:
    assert set(named(ROOT)) == DEMO


@pytest.mark.parametrize(
    "planted",
    [
        'FIRST = "frontier-openai"',
        'MODEL = f"{1}/gpt-5.2-2026-08-15"',
        'if "claude-opus" in str(1): pass',
        'x = {"local-ollama": 1}',
        'y = "gpt-4o"',
        'y = "o3-mini"',
        'y = "openai/o3"',
        'y = "grok-4"',
        'y = "qwen3-32b"',
        'y = b"gpt-5.2-2026-08-15"',
        'y = "frontier" + "-openai"',
        'y = "fron" + "tier" + "-openai"',
        "y = f\"{'frontier'}-openai\"",
        'y = "-".join(["frontier", "openai"])',
        'y = "/".join(("openai", "gpt-" + "4o"))',
    ],
)
def test_a_planted_name_is_found(copied: Path, planted: str) -> None:
    _plant(copied, "pointsman/scoring.py", planted)
    assert set(named(copied)) == DEMO | {"pointsman/scoring.py"}


def test_only_the_adapters_import_what_reaches_a_provider() -> None:
    assert reaching(ROOT) == REACHING


@pytest.mark.parametrize(
    ("path", "planted", "what"),
    [
        ("activities/classify.py", "import litellm", "litellm"),
        ("workers/service.py", "from httpx import AsyncClient", "httpx"),
        ("pointsman/cli/asking.py", "def f() -> None:\n    import urllib.request", "urllib.request"),
        ("workflows/race.py", 'import importlib\nimportlib.import_module("openai")', "openai"),
        ("activities/score.py", 'from importlib import import_module\nimport_module("aiohttp.client")', "aiohttp"),
        ("activities/probe.py", '__import__("requests")', "requests"),
        ("workers/wiring.py", "from http import client", "http.client"),
        ("pointsman/scoring.py", 'import subprocess\nsubprocess.run(["curl", "https://x.example"])', "subprocess"),
        ("pointsman/scoring.py", "from subprocess import run", "subprocess"),
        (
            "pointsman/scoring.py",
            "import asyncio\nasync def f(): await asyncio.open_connection('x', 1)",
            "open_connection",
        ),
        ("pointsman/scoring.py", "from asyncio import open_connection as go", "open_connection"),
        ("pointsman/scoring.py", 'import asyncio\ngetattr(asyncio, "open_" + "connection")', "open_connection"),
        ("activities/score.py", "import os\nos.system('curl x')", "os.system"),
        ("activities/score.py", "from os import execvp", "os.execvp"),
        ("activities/score.py", "import os as o\no.system('curl x')", MADE),
        ("activities/score.py", "async def f(loop): await loop.create_connection(1, 'x', 1)", "create_connection"),
        ("workflows/race.py", 'from importlib import import_module\nimport_module("htt" + "px")', "httpx"),
        ("workflows/race.py", 'from importlib import import_module\nimport_module(name="litellm")', "litellm"),
        ("workflows/race.py", '__import__(name="openai")', "openai"),
        ("workflows/race.py", "import importlib\nimportlib.import_module(input())", MADE),
        ("workflows/race.py", "from importlib import import_module as load\nload('httpx')", MADE),
        ("workflows/race.py", "import importlib\nload = importlib.import_module\nload('httpx')", MADE),
        ("workflows/race.py", "import sys\nsys.modules['httpx'].get('https://x.example')", MADE),
        ("workflows/race.py", "exec('import httpx')", MADE),
    ],
)
def test_a_planted_import_is_found(copied: Path, path: str, planted: str, what: str) -> None:
    assert what in NETWORK | WAYS_OUT | {MADE}
    _plant(copied, path, planted)
    assert reaching(copied) == {**REACHING, path: {what}}


def test_only_the_wiring_knows_the_adapters() -> None:
    assert adapting(ROOT) == {"workers/wiring.py"}


def test_a_planted_import_of_an_adapter_is_found(copied: Path) -> None:
    _plant(copied, "activities/classify.py", "from activities.providers.simulated import Simulated")
    _plant(copied, "workers/service.py", "from activities import providers")
    assert adapting(copied) == {"workers/wiring.py", "activities/classify.py", "workers/service.py"}


def test_only_two_activities_ask_a_provider() -> None:
    assert asking(ROOT) == ASKING
    made_and_sent = {path for path, asked in ASKING.items() if len(asked) > 1}
    assert made_and_sent == {"activities/complete.py", "activities/probe.py", "activities/providers/litellm.py"}


@pytest.mark.parametrize(
    ("path", "planted", "what"),
    [
        (
            "activities/classify.py",
            "async def f(completer: object) -> None:\n    await completer.complete(1)",
            {"completer.complete"},
        ),
        (
            "workers/wiring.py",
            "async def f(made: dict[str, object]) -> None:\n    await made['x'].complete(1)",
            {"made['x'].complete"},
        ),
        ("activities/measure.py", "from activities.ports import CompletionRequest\nCompletionRequest()", {REQUEST}),
        ("activities/measure.py", "from activities.ports import CompletionRequest as Asked", {REQUEST}),
        (
            "activities/measure.py",
            """async def f(completer, asked):
                   ask = completer.complete
                   await ask(CompletionRequest.model_validate(asked))""",
            {"completer.complete", REQUEST},
        ),
        ("activities/measure.py", 'def f(completer): return getattr(completer, "com" + "plete")', {"complete"}),
        (
            "activities/providers/simulated.py",
            "def f(router: object) -> None:\n    router.acompletion()",
            {"router.acompletion"},
        ),
        ("activities/providers/simulated.py", "def f(router): ask = router.acompletion", {"router.acompletion"}),
        ("activities/score.py", "def f(router): router.completion(1)", {"router.completion"}),
    ],
)
def test_a_planted_call_is_found(copied: Path, path: str, planted: str, what: set[str]) -> None:
    _plant(copied, path, planted)
    assert asking(copied) == {**ASKING, path: ASKING.get(path, set()) | what}


@pytest.mark.parametrize(
    ("path", "planted", "contract"),
    [
        ("activities/score.py", "import httpx", "Only the adapters reach a vendor"),
        ("workers/health_feed.py", "import litellm", "Only the adapters reach a vendor"),
        ("workflows/race.py", "import activities.providers.simulated", "Library and workflows never reach a vendor"),
    ],
)
def test_a_planted_import_breaks_its_contract(copied: Path, path: str, planted: str, contract: str) -> None:
    _plant(copied, path, planted)
    ended = subprocess.run(
        [LINT_IMPORTS, "--no-cache"],
        cwd=copied,
        env={**os.environ, "PYTHONPATH": str(copied), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ended.returncode != 0
    assert f"{contract} BROKEN" in ended.stdout
