"""With encryption on, nothing that was asked or answered can be read in the server's files, and keys can change."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import secrets
import signal
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.worker import Replayer

from pointsman.cli.exits import Exit
from pointsman.encoding.keys import key_ring
from pointsman.encoding.payloads import Payloads
from pointsman.plugin import PointsmanPlugin
from tests.e2e.conftest import PATIENCE_S, UNMOVED, Site, new_site, sentence, start
from workers.embedded.scripted.script import Hang, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders
from workers.wiring import SANDBOX
from workflows.route_and_answer import RouteAndAnswer

KEYS = "E2E_PAYLOAD_KEYS"
TABLES = f"""
[payloads]
keys_env = "{KEYS}"
compress_from_bytes = 2000
store = "kept"
store_from_bytes = 100_000

[routes.disputed]
chain = ["alpha", "beta"]
require_eval = false
stakes = "high"
reconcile = "review"

[routes.measured]
chain = ["alpha", "beta"]
{UNMOVED}"""
OLD = f"old:{base64.b64encode(bytes(range(32))).decode()}"
NEW = f"new:{base64.b64encode(bytes(range(32, 64))).decode()}"


def _canary(kind: str) -> str:
    return f"canary-{kind}-7f3a91"


@pytest.fixture(scope="module")
def sealed_server(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """A site whose payloads are encrypted, compressed and, if they are large, kept in a folder."""
    folder = tmp_path_factory.mktemp("sealed")
    with _new_sealed_site(loop, providers, folder) as site:
        suites = _suite(tmp_path_factory.mktemp("suites"))
        text = site.config.read_text(encoding="utf-8")
        evals = f"[catalogue]\nevals = {json.dumps(str(suites))}\n"
        site.config.write_text(text.replace("[catalogue]\n", evals), encoding="utf-8")
        yield site


@contextmanager
def _new_sealed_site(loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, folder: Path) -> Generator[Site]:
    (folder / "kept").mkdir()
    with new_site(loop, providers, folder, TABLES) as site:
        yield site


def _suite(folder: Path) -> Path:
    """Suites whose one case has canaries, in a folder of their own: the owner's file is no secret of the server's."""
    suite = folder / "measured"
    suite.mkdir()
    about = f'description = "one"\nthreshold = 0.5\nsystem = "{_canary("suite")}"\nchecks = [{{ check = "exact" }}]\n'
    (suite / "suite.toml").write_text(about, encoding="utf-8")
    case = {"id": "one", "prompt": _canary("case"), "expected": _canary("expected")}
    (suite / "cases.jsonl").write_text(json.dumps(case), encoding="utf-8")
    return folder


@pytest.fixture
def sealed(sealed_server: Site) -> Iterator[Site]:
    """The same, and no worker of a test is there in the next: it may have other keys."""
    yield sealed_server
    for worker in sealed_server.started:
        worker.end()


@pytest.fixture
def rotated(loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path: Path) -> Iterator[Site]:
    """Another one, for a test that changes the keys: what its entities keep cannot be read with the old one alone."""
    with _new_sealed_site(loop, providers, tmp_path) as site:
        yield site


def _files(folder: Path) -> dict[str, bytes]:
    """What stands in the files of a server and its workers, but for their configuration."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix not in {".toml", ".json"}]
    assert "temporal.db-wal" in {path.name for path in files}
    return {path.name: path.read_bytes() for path in files}


def _quotes(data: bytes) -> list[bytes]:
    """Each canary in the data, with what stands before it."""
    return re.findall(rb".{0,200}canary-.{0,20}", data, re.DOTALL)


def _until_done(site: Site, *words: str) -> None:
    """An entity answers within seconds or not at all, which a busy machine may take."""
    give_up = time.monotonic() + PATIENCE_S
    while site.cli(*words, **{KEYS: OLD}).returncode != Exit.DONE:
        assert time.monotonic() < give_up, words


def test_without_encryption_the_canary_is_found(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(_canary("open answer")))
    assert pointsman.cli("ask", _canary("open prompt")).returncode == Exit.DONE
    found = b"".join(_files(pointsman.folder).values())
    assert _canary("open prompt").encode() in found
    assert _canary("open answer").encode() in found


def test_with_encryption_no_canary_is_found_and_every_command_reads(sealed: Site, providers: ScriptedProviders) -> None:
    worker = sealed.start_worker(E2E_PAYLOAD_KEYS=OLD)
    context = sealed.folder / "context.json"
    context.write_text(json.dumps([{"id": "c", "text": _canary("context")}]), encoding="utf-8")
    providers.script("alpha", Reply(_canary("answer")))
    words = ("--system", _canary("system"), "--context", str(context), "--id", "sealed-plain", "--json")
    answered = sealed.cli("ask", _canary("prompt"), *words, **{KEYS: OLD})
    assert answered.returncode == Exit.DONE, answered.stderr
    assert _canary("answer") in json.loads(answered.stdout)["text"]
    for name in ("alpha", "beta", "gamma", "delta"):
        providers.script(name, Status(500, message=f"cannot answer {_canary('error')}"))
    failed = sealed.cli("ask", _canary("failing prompt"), "--id", "sealed-failed", **{KEYS: OLD})
    assert failed.returncode == Exit.FAILED
    assert "Every provider failed" in failed.stderr
    providers.script("alpha", Reply(f"{_canary('left')} The answer is 5."))
    providers.script("beta", Reply(f"{_canary('right')} The answer is 6."))
    disputed = ("--task", "disputed", "--id", "sealed-review")
    assert sealed.cli("ask", _canary("disputed"), *disputed, **{KEYS: OLD}).returncode == Exit.AWAITING_REVIEW
    shown = sealed.cli("reviews", "show", "sealed-review", "--json", **{KEYS: OLD})
    assert _canary("left") in shown.stdout
    note = ("--text", _canary("reviewed"), "--note", _canary("note"), "--reviewer", "ada")
    assert sealed.cli("reviews", "decide", "sealed-review", *note, **{KEYS: OLD}).returncode == Exit.DONE
    reviewed = sealed.cli("answer", "sealed-review", "--json", **{KEYS: OLD})
    assert json.loads(reviewed.stdout)["text"] == _canary("reviewed")
    providers.script("alpha", Reply(_canary("measured")))
    measured = sealed.cli("eval", "run", "--task", "measured", "--provider", "alpha", **{KEYS: OLD})
    assert _canary("expected") in measured.stdout, measured.stderr
    _until_done(sealed, "health")
    _until_done(sealed, "catalogue", "show")
    assert worker.signal(signal.SIGTERM) == 0
    files = _files(sealed.folder)
    assert {name: _quotes(data) for name, data in files.items() if b"canary-" in data} == {}
    found = b"".join(files.values())
    assert b"Encoded failure" in found
    # No other form of it either, as a search of the base64 alphabet's three alignments shows.
    for kind in ("prompt", "answer", "error", "note"):
        forms = [base64.b64encode(b"x" * shift + _canary(kind).encode())[4:-4] for shift in range(3)]
        assert not any(form in found for form in forms)


def test_an_encrypted_question_replays_with_the_plugin(sealed: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply("Paris"))
    worker = sealed.start_worker(E2E_PAYLOAD_KEYS=OLD)
    assert sealed.cli("ask", "What is the capital of France?", "--id", "replayed", **{KEYS: OLD}).returncode == 0
    assert worker.signal(signal.SIGTERM) == 0
    keys, _ = key_ring(OLD, KEYS)
    plugin = PointsmanPlugin(Payloads(keys, 2000, sealed.folder / "kept", 100_000))

    async def replay() -> None:
        history = await sealed.server.client.get_workflow_handle("replayed").fetch_history()
        await Replayer(workflows=[RouteAndAnswer], plugins=[plugin], workflow_runner=SANDBOX).replay_workflow(history)
        reader = Client(sealed.server.client.service_client, plugins=[plugin])
        assert (await reader.get_workflow_handle("replayed").result())["text"] == "Paris"

    sealed.wait_for(replay())


def test_temporals_own_tools_read_with_the_codec_server(sealed: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(_canary("shown")))
    worker = sealed.start_worker(E2E_PAYLOAD_KEYS=OLD)
    assert sealed.cli("ask", _canary("asked"), "--id", "shown", **{KEYS: OLD}).returncode == Exit.DONE
    codec = start(
        ["-m", "workers", "codec-server", "--listen", "127.0.0.1:0"],
        sealed.environment({KEYS: OLD}),
        sealed.folder / "codec.log",
    )
    try:
        codec.until_said("The codec server answers at http://127.0.0.1:")
        address = codec.said().split()[-1].rstrip(".")
        words = ("workflow", "result", "--workflow-id", "shown", "--output", "json")
        assert _canary("shown") in sealed.temporal(*words, "--codec-endpoint", address).stdout
        assert _canary("shown") not in sealed.temporal(*words).stdout
        assert codec.signal(signal.SIGTERM) == 0
        assert len(codec.said().splitlines()) == 1
    finally:
        codec.end()
    assert worker.signal(signal.SIGTERM) == 0


def test_a_worker_without_the_key_fails_no_question_for_good(rotated: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply("read at last"))
    poor = rotated.start_worker(E2E_PAYLOAD_KEYS=OLD)
    both = {KEYS: f"{NEW},{OLD}"}
    assert rotated.cli("ask", "Can you read me?", "--id", "rotated", "--no-wait", **both).returncode == 0
    poor.until_said("encrypted with the key 'new', which this process does not have; add it to E2E_PAYLOAD_KEYS")
    assert "Traceback" not in poor.said()
    assert json.loads(rotated.cli("status", "rotated", "--json", **both).stdout)["status"] == "routing"
    assert poor.signal(signal.SIGTERM) == 0
    rich = rotated.start_worker(E2E_PAYLOAD_KEYS=both[KEYS])
    answered = rotated.cli("answer", "rotated", "--json", **both)
    assert answered.returncode == Exit.DONE, answered.stderr
    assert json.loads(answered.stdout)["text"] == "read at last"
    assert len(providers.hits()) == 1
    assert rich.signal(signal.SIGTERM) == 0


def test_a_client_without_the_key_says_which_is_missing(rotated: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply("Paris"))
    both = {KEYS: f"{NEW},{OLD}"}
    worker = rotated.start_worker(E2E_PAYLOAD_KEYS=both[KEYS])
    assert rotated.cli("ask", "What is the capital of France?", "--id", "kept-from", **both).returncode == 0
    other = rotated.cli("answer", "kept-from", **{KEYS: OLD})
    assert (other.returncode, "the key 'new', which this process does not have" in sentence(other)) == (2, True)
    plain = rotated.cli("answer", "kept-from", POINTSMAN_CONFIG=None)
    assert (plain.returncode, "the key 'new' and this process has no keys" in sentence(plain)) == (2, True)
    # What can be told is told all the same, and what cannot is neither running nor free.
    told = rotated.cli("explain", "kept-from", "--json", **{KEYS: OLD})
    assert (told.returncode, "the key 'new', which this process does not have" in told.stderr) == (2, True)
    story = json.loads(told.stdout)
    assert (story["status"], story["under_way"], story["cost_known"]) == ("answered", [], False)
    assert story["unread_because"] == told.stderr.strip()
    assert rotated.cli("explain", "kept-from", **both).returncode == 0
    again = rotated.cli("ask", "What is the capital of France?", "--id", "kept-from", **{KEYS: OLD})
    assert (again.returncode, "the key 'new'" in sentence(again)) == (2, True)
    alone = {"POINTSMAN_CONFIG": None, "POINTSMAN_PAYLOAD_KEYS": NEW}
    assert rotated.cli("answer", "kept-from", **alone).stdout.splitlines()[0] == "Paris"
    assert worker.signal(signal.SIGTERM) == 0


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (None, "payloads.keys_env: the environment variable E2E_PAYLOAD_KEYS is not set; set it"),
        ("old:AAAA", "E2E_PAYLOAD_KEYS: the key 'old' has 3 bytes and needs 32"),
        (f"{OLD},{OLD}", "E2E_PAYLOAD_KEYS: the id 'old' stands twice"),
    ],
    ids=["missing", "too short", "twice"],
)
def test_keys_that_cannot_be_used_are_said_by_everybody(sealed: Site, keys: str | None, said: str) -> None:
    for words in (("ask", "x"), ("check",), ("health",), ("answer", "x")):
        ended = sealed.cli(*words, **{KEYS: keys})
        assert (ended.returncode, sentence(ended).startswith(said)) == (2, True), ended.stderr
    worker = sealed.start_worker(wait=False, E2E_PAYLOAD_KEYS=keys)
    assert worker.process.wait(60) == Exit.BAD_INPUT
    assert worker.said().splitlines()[0].startswith(said)


def test_a_question_of_three_megabytes_is_answered_where_large_payloads_are_stored(
    sealed: Site, providers: ScriptedProviders
) -> None:
    prompt = secrets.token_hex(1_500_000)
    providers.script("alpha", Status(401))
    providers.script("beta", Reply("read it all"))
    worker = sealed.start_worker(E2E_PAYLOAD_KEYS=OLD)
    refused = sealed.cli("ask", "-", stdin=prompt, POINTSMAN_CONFIG=None, POINTSMAN_PAYLOAD_KEYS=OLD)
    assert (refused.returncode, "at most 1,500,000 fit" in sentence(refused)) == (2, True)
    asked = sealed.cli("ask", "-", "--id", "three-megabytes", "--json", stdin=prompt, **{KEYS: OLD})
    assert asked.returncode == Exit.DONE, asked.stderr
    assert [hit.prompt == prompt for hit in providers.hits()] == [True, True]
    assert sum(map(len, sealed.history("three-megabytes"))) < 100_000
    elsewhere = {"POINTSMAN_CONFIG": None, "POINTSMAN_PAYLOAD_KEYS": OLD}
    again = sealed.cli("ask", "x", "--id", "three-megabytes", **elsewhere)
    assert (again.returncode, "kept outside of the server" in sentence(again)) == (2, True)
    assert worker.signal(signal.SIGTERM) == 0


def test_a_worker_without_the_key_does_not_flood_its_log_with_what_was_begun_without_it(
    rotated: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Hang(), Reply("read at last"))
    first = rotated.start_worker(E2E_PAYLOAD_KEYS=OLD)
    assert rotated.cli("ask", "Can you read me?", "--id", "begun", "--no-wait", **{KEYS: OLD}).returncode == 0
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    first.end()
    poor = rotated.start_worker(E2E_PAYLOAD_KEYS=NEW)
    poor.until_said("encrypted with the key 'old', which this process does not have; add it to E2E_PAYLOAD_KEYS")
    # It was started while the entities could not be read either, and asked them for news all the time.
    said = poor.said()
    assert "Traceback" not in said
    assert "Missing initialize workflow" not in said
    assert len(said.splitlines()) < 40, said
    assert poor.signal(signal.SIGTERM) == 0
