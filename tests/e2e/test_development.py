"""`python -m workers dev`: what it tells, that Ctrl-C ends all of it, and that it forgets nothing."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.warm import WorkerProcess
from pointsman.cli.exits import Exit
from tests.e2e.conftest import PATIENCE_S, ROOT, environment, python, run, sentence, start
from workers.embedded.temporal_server import binary, free_port


@contextmanager
def _dev(folder: Path, log: str, **env: str) -> Generator[tuple[WorkerProcess, str]]:
    """The stack in a folder of its own, and the address that it tells."""
    stack = start(["-m", "workers", "dev"], environment({"PYTHONPATH": str(ROOT), **env}), folder / log, cwd=folder)
    try:
        stack.until_said("stop     Ctrl-C")
        found = re.search(r"TEMPORAL_ADDRESS=(\S+) \S+pointsman ask ", stack.said())
        assert found is not None
        yield stack, found.group(1)
    finally:
        stack.end()


def _servers(folder: Path) -> list[int]:
    """The process ids of the Temporal servers whose files lie in the folder."""
    listed = run(["ps", "-A", "-o", "pid,args"], environment({})).stdout.splitlines()
    return [int(line.split()[0]) for line in listed if str(folder) in line and "leash" not in line]


def test_what_was_asked_before_a_restart_can_still_be_fetched(tmp_path: Path) -> None:
    pointsman = binary("pointsman")
    with _dev(tmp_path, "first.log") as (stack, address):
        env = environment({"TEMPORAL_ADDRESS": address})
        ask = [pointsman, "ask", "Summarize what a circuit breaker does", "--task", "outage", "--id", "kept"]
        asked = run(ask, env, cwd=tmp_path)
        assert asked.returncode == 0, asked.stderr
        assert "(scripted)" in asked.stdout
        assert re.search(r"http://127\.0\.0\.1:\d+", stack.said())
        assert len(_servers(tmp_path)) == 1
        assert stack.signal(signal.SIGINT) == 0
        # Another stack may have taken its port by now.
        assert _servers(tmp_path) == []
    with _dev(tmp_path, "second.log") as (stack, address):
        fetched = run([pointsman, "answer", "kept"], environment({"TEMPORAL_ADDRESS": address}), cwd=tmp_path)
        assert (fetched.returncode, fetched.stdout) == (0, asked.stdout)
        assert stack.signal(signal.SIGINT) == 0
    assert (tmp_path / ".pointsman" / "temporal.db").exists()


ELSEWHERE = {
    "TEMPORAL_API_KEY": "x",
    "TEMPORAL_NAMESPACE": "abc.def",
    "TEMPORAL_ADDRESS": "abc.def.tmprl.cloud:7233",
    "TEMPORAL_PROFILE": "nope",
    "TEMPORAL_CONFIG_FILE": "/etc/passwd",
    "TEMPORAL_TLS_CLIENT_CERT_PATH": "/nope",
}


def test_the_stack_and_the_command_that_it_prints_ignore_what_the_shell_says_about_another_server(
    tmp_path: Path,
) -> None:
    with _dev(tmp_path, "dev.log", **ELSEWHERE) as (stack, _):
        found = re.search(r"^  ask +(.*)$", stack.said(), re.MULTILINE)
        assert found is not None
        command = found.group(1).replace(".venv/bin/pointsman", binary("pointsman"))
        asked = run(["bash", "-c", command], environment({**ELSEWHERE}), cwd=tmp_path)
        assert asked.returncode == 0, asked.stderr
        assert stack.signal(signal.SIGINT) == 0


def test_a_server_that_ends_by_itself_ends_the_stack_with_a_sentence(tmp_path: Path) -> None:
    port = free_port(0)
    with _dev(tmp_path, "dev.log", POINTSMAN_LISTEN=f"127.0.0.1:{port}") as (stack, _):
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S):
            pass
        (server,) = _servers(tmp_path)
        os.kill(server, signal.SIGKILL)
        assert stack.process.wait(PATIENCE_S) == Exit.NOT_REACHED
        log = tmp_path / ".pointsman" / "temporal.log"
        assert f"the embedded Temporal server has ended by itself; its log is {log}" in stack.said()
        assert "Traceback" not in stack.said()


@pytest.mark.parametrize("in_the_way", [".pointsman", ".pointsman/lock/", ".pointsman/temporal.log/"])
def test_a_folder_that_cannot_be_used_is_said_in_a_sentence(tmp_path: Path, in_the_way: str) -> None:
    if in_the_way.endswith("/"):
        (tmp_path / in_the_way).mkdir(parents=True)
    else:
        (tmp_path / in_the_way).touch()
    ended = run(python("-m", "workers", "dev"), environment({"PYTHONPATH": str(ROOT)}), cwd=tmp_path)
    assert ended.returncode == 2
    assert str(tmp_path / ".pointsman") in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [("dev", "--fail-after", "-1"), ("demo", "--degrade-after", "x"), ("dvo",)])
def test_an_argument_that_makes_no_sense_is_refused_in_a_sentence(words: tuple[str, ...]) -> None:
    ended = run(python("-m", "workers", *words), environment({}))
    assert ended.returncode == 2
    assert words[-1] in sentence(ended)


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [(signal.SIGINT, 130, "question 1 of"), (signal.SIGTERM, 143, "starting the workers")],
)
def test_a_signal_ends_the_demo_and_all_that_it_started(
    tmp_path: Path, number: signal.Signals, status: int, said: str
) -> None:
    demo = start(["-m", "workers", "demo"], environment({"PYTHONPATH": str(ROOT)}), tmp_path / "log", cwd=tmp_path)
    demo.until_said(said)
    assert demo.signal(number) == status
    assert "Traceback" not in demo.said()
    assert str(tmp_path) not in run(["ps", "-A", "-o", "args"], environment({})).stdout


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_during_the_imports_ends_the_process_with_its_status(number: signal.Signals, status: int) -> None:
    program = f"from pointsman.entering import entering\nimport os\nwith entering():\n os.kill(os.getpid(), {number})"
    ended = run(python("-c", program), environment({"PYTHONPATH": str(ROOT)}))
    assert (ended.returncode, ended.stderr) == (status, "")


def test_what_the_server_complains_of_is_all_that_its_log_holds(tmp_path: Path) -> None:
    (tmp_path / ".pointsman" / "temporal.db").mkdir(parents=True)
    ended = run(python("-m", "workers", "dev"), environment({"PYTHONPATH": str(ROOT)}), cwd=tmp_path)
    assert ended.returncode == 3
    log = tmp_path / ".pointsman" / "temporal.log"
    assert ended.stderr == f"the embedded Temporal server did not start; its log is {log}\n"
    assert "Fatal" not in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("delay_s", [0.15, 0.3, 0.6])
@pytest.mark.parametrize("module", ["workers", "pointsman.cli"])
def test_ctrl_c_while_a_process_starts_leaves_no_traceback(module: str, delay_s: float) -> None:
    arguments = ["status", "x"] if module == "pointsman.cli" else ["demo"]
    with subprocess.Popen(
        python("-m", module, *arguments), cwd=ROOT, env=environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as started:
        try:
            started.wait(delay_s)
        except subprocess.TimeoutExpired:
            started.send_signal(signal.SIGINT)
        complained = started.communicate(timeout=PATIENCE_S)[1]
    assert b"Traceback" not in complained


def test_the_stack_goes_on_when_nobody_reads_what_it_says(tmp_path: Path) -> None:
    command = f"exec {' '.join(python('-m', 'workers', 'dev'))} 2> log > >(head -1 > /dev/null)"
    env = environment({"PYTHONPATH": str(ROOT)})
    with subprocess.Popen(["bash", "-c", command], cwd=tmp_path, env=env) as stack:
        with pytest.raises(subprocess.TimeoutExpired):
            stack.wait(12)
        stack.send_signal(signal.SIGINT)
        assert stack.wait(PATIENCE_S) == 0
    assert "Traceback" not in (tmp_path / "log").read_text(encoding="utf-8")


@pytest.mark.timeout(3 * PATIENCE_S)
def test_a_second_demo_finds_its_first_provider_failing_anew_and_nobody_has_to_read_either(tmp_path: Path) -> None:
    demo = f"{' '.join(python('-m', 'workers'))} --log-level WARNING demo 2>> log"
    env = environment({"PYTHONPATH": str(ROOT)})
    unread = run(["bash", "-c", f"{demo} | head -1 > /dev/null; exit ${{PIPESTATUS[0]}}"], env, cwd=tmp_path)
    second = run(["bash", "-c", demo], env, cwd=tmp_path)
    assert (unread.returncode, second.returncode) == (0, 0)
    assert "fallback:failure" in second.stdout
    assert (tmp_path / "log").read_text(encoding="utf-8") == ""
