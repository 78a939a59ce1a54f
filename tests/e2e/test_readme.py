"""Every command and program in the README does what it says, on the stack that the README starts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.warm import WorkerProcess
from tests.e2e.conftest import PATIENCE_S, ROOT, environment, run, start

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line for language, block in BLOCKS if language == "sh" for line in block.splitlines()]
PROGRAMS = [block for language, block in BLOCKS if language == "python"]
ASKED = [line for line in COMMANDS if "pointsman " in line or "/temporal " in line]
AWAITING_REVIEW = "|| test $? = 4"
STARTS = ["make dev", ".venv/bin/python -m workers dev --fail-after 0"]
FOR_REAL = [
    "export POINTSMAN_CONFIG=config/router.toml TEMPORAL_ADDRESS=temporal.example.com:7233",
    "python -m workers",
]


@dataclass
class Running:
    """A stack as `make dev` starts it, in a folder of its own."""

    stack: WorkerProcess
    address: str
    folder: Path

    def environment(self) -> dict[str, str]:
        return environment({"TEMPORAL_ADDRESS": self.address})


def _dev(folder: Path, *arguments: str) -> Running:
    env = environment({"PYTHONPATH": str(ROOT)})
    stack = start(["-m", "workers", "--log-level", "WARNING", "dev", *arguments], env, folder / "dev.log", cwd=folder)
    stack.until_said("stop     Ctrl-C")
    found = re.search(r"TEMPORAL_ADDRESS=(\S+)", stack.said())
    assert found is not None
    return Running(stack, found.group(1), folder)


@pytest.fixture(scope="module")
def dev(tmp_path_factory: pytest.TempPathFactory) -> Generator[Running]:
    running = _dev(tmp_path_factory.mktemp("dev"))
    yield running
    assert running.stack.signal(signal.SIGINT) == 0


def test_the_readme_holds_the_commands_that_are_tried_here() -> None:
    assert sorted(COMMANDS) == sorted([*STARTS, *ASKED, *FOR_REAL])
    assert len(ASKED) >= 9
    assert len(PROGRAMS) == 2


@pytest.mark.timeout(3 * PATIENCE_S)
def test_the_commands_of_the_tour_end_well_one_after_the_other(dev: Running) -> None:
    # In the folder that the stack runs in, as who follows the tour does: the ledger is there.
    for name in (".venv", "config"):
        (dev.folder / name).symlink_to(ROOT / name)
    (dev.folder / "build").mkdir()
    for command in ASKED:
        ended = run(["bash", "-c", command], dev.environment(), cwd=dev.folder)
        assert ended.returncode == 0, (command, ended.stderr)
        # A question that waits for a person says so on standard error.
        assert ended.stdout or AWAITING_REVIEW in command, command


def test_the_program_that_asks_prints_an_answer(dev: Running) -> None:
    ended = run([sys.executable, "-c", PROGRAMS[0]], dev.environment())
    # The local model where there is one, else a scripted provider: whoever it is, his name and the cost are printed.
    answered = re.search(r" (local-small|small-openai|small-gemini|frontier-\w+) \d", ended.stdout)
    assert (ended.returncode, answered is not None) == (0, True), (ended.stdout, ended.stderr)


def test_the_test_of_ones_own_code_passes(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(PROGRAMS[1], encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    ended = run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)], environment({"PYTHONPATH": str(ROOT)}), cwd=tmp_path
    )
    assert "1 passed" in ended.stdout, ended.stdout


def test_a_rehearsed_outage_is_answered_by_the_second_provider(tmp_path: Path) -> None:
    running = _dev(tmp_path, *STARTS[1].split()[4:])
    (tmp_path / "context.json").write_text('[{"id": "r1", "text": "the rate limit is 250 a second"}]', encoding="utf-8")
    command = [".venv/bin/pointsman", "ask", "What is the rate limit?", "--task", "rehearse"]
    ended = run([*command, "--context", str(tmp_path / "context.json")], running.environment())
    assert ended.returncode == 0, ended.stderr
    assert "the rate limit is 250 a second" in ended.stdout
    assert "provider-b" in ended.stdout
    assert running.stack.signal(signal.SIGINT) == 0


def test_the_example_for_real_providers_takes_questions(dev: Running, tmp_path: Path) -> None:
    keys = re.findall(r'api_key_env = "(\w+)"', (ROOT / "config" / "router.toml").read_text(encoding="utf-8"))
    env = {**dev.environment(), **dict.fromkeys(keys, "none"), "POINTSMAN_CONFIG": "config/router.toml"}
    worker = start(FOR_REAL[1].split()[1:], env, tmp_path / "worker.log")
    worker.until_said("Pointsman takes questions.")
    assert worker.signal(signal.SIGTERM) == 0


def test_make_lists_its_verbs_and_demo_ends_with_status_0(tmp_path: Path) -> None:
    env = environment({"PYTHONPATH": str(ROOT)})
    give_up = time.monotonic() + PATIENCE_S
    with subprocess.Popen(
        [sys.executable, "-m", "workers", "--log-level", "WARNING", "demo"],
        cwd=tmp_path,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as demo:
        printed = demo.communicate(timeout=give_up - time.monotonic())[0]
    assert demo.returncode == 0, printed
    assert "fallback:failure" in printed
    assert printed.count("/namespaces/default/workflows/question-") == 7
    assert "make demo" in run(["make"], env).stdout
