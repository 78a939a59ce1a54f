"""Whatever is typed, piped or left in a file or the environment: a status that is documented, and a sentence."""

from __future__ import annotations

import io
import json
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

import pointsman
from pointsman.cli import fleet
from pointsman.cli.command import run
from pointsman.connection import DATA_CONVERTER
from pointsman.errors import NoServer
from pointsman.messages import Question
from pointsman.review import Review
from pointsman.review_client import ReviewClient
from tests.fuzz.settings import SEED, TIME_LIMIT_S, mixed, share
from tests.fuzz.typed import NAMES, PAIR, RECORDS, ROUTER, SCHEMA, TASKS, ask, compare, decide, route, words
from tests.fuzz.values import BLANK, encoded, scrambled, text

SENT: dict[type, list[Any]] = {Question: [], Review: []}
"""What would have gone to the server."""


class _Client:
    async def start(self, question: Question, *, id: str | None = None) -> str:  # noqa: A002 - as the client names it
        del id
        SENT[Question].append(question)
        raise NoServer("no server in this test")

    async def decide(self, question_id: str, review: Review) -> None:
        del question_id
        SENT[Review].append(review)
        raise NoServer("no server in this test")

    async def connect(self) -> _Client:
        return self


@dataclass
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str], bytes], Ended]:
    monkeypatch.setattr(pointsman.RouterClient, "connect", _Client().connect)
    monkeypatch.setattr(ReviewClient, "connect", _Client().connect)
    monkeypatch.setattr(fleet, "told", fleet.Fleet)
    monkeypatch.setenv("POINTSMAN_CONFIG", str(ROUTER))

    def ran(arguments: list[str], piped: bytes = b"") -> Ended:
        out, err = io.BytesIO(), io.BytesIO()
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(piped)))
            patch.setattr("sys.stdout", io.TextIOWrapper(out, "utf-8", write_through=True))
            # As Python opens it.
            patch.setattr("sys.stderr", io.TextIOWrapper(err, "utf-8", "backslashreplace", write_through=True))
            status = run(arguments)
            return Ended(status, out.getvalue().decode(), err.getvalue().decode())

    return ran


def _wrongs(arguments: list[str], ended: Ended) -> Iterator[str]:
    if ended.status not in {0, 1, 2, 3, 4}:
        yield f"the status {ended.status}"
    if "Traceback" in ended.err or "unexpected error" in ended.err:
        yield ended.err[-400:]
    if ended.status in {2, 3, 4} and not ended.err.strip():
        yield f"the status {ended.status} without a sentence"
    if any(unicodedata.category(character) == "Cc" and character not in "\n\t" for character in ended.err):
        yield f"control characters on standard error: {ended.err[:200]!r}"
    if len(ended.err) > 6_000:
        yield f"{len(ended.err)} characters of error"
    yield from _json(arguments, ended)
    yield from _sent()


def _json(arguments: list[str], ended: Ended) -> Iterator[str]:
    if "--json" in arguments and ended.status != 0:
        # Where many things are done at once, those before the fault are told too.
        left = ended.out.strip()
        try:
            while left:
                left = left[json.JSONDecoder().raw_decode(left)[1] :].lstrip()
        except ValueError:
            yield f"no JSON on standard output: {ended.out[:200]!r}"


def _sent() -> Iterator[str]:
    for kind, sent in SENT.items():
        for message in sent:
            (payload,) = DATA_CONVERTER.payload_converter.to_payloads([message])
            if DATA_CONVERTER.payload_converter.from_payloads([payload], [kind]) != [message]:
                yield f"what would be sent arrives as another value: {message!r:.200}"
        sent.clear()


@pytest.mark.timeout(TIME_LIMIT_S)
@pytest.mark.parametrize("made", [ask, route, compare, decide], ids=lambda made: made.__name__)
def test_whatever_is_typed_ends_with_a_status_and_a_sentence(
    made: Callable[[Random, Path], list[str]], command: Callable[[list[str], bytes], Ended], tmp_path: Path
) -> None:
    found, statuses = dict[str, list[str]](), Counter[int]()
    for number in range(share(150)):
        chance = Random(f"{SEED}/{made.__name__}/{number}")
        arguments = made(chance, tmp_path) + (["--json"] if chance.random() < 0.3 else [])
        ended = command(arguments, scrambled(chance, text(chance).encode("utf-8", "surrogatepass")))
        statuses[ended.status] += 1
        wrong = list(_wrongs(arguments, ended))
        if wrong:
            found[f"{number}: {arguments!r:.300}"] = wrong

    assert not found
    assert mixed(statuses, share(150)), statuses


@pytest.mark.parametrize(
    ("arguments", "status", "sent"),
    [
        (["ask", "What is 1 + 1?"], 3, Question),
        (["ask", "-"], 3, Question),
        (["ask", "What is 1 + 1?", "--schema", "SCHEMA", "--context", "RECORDS", "--max-cost", "1"], 3, Question),
        (["route", "What is 1 + 1?"], 0, None),
        (["route", "What is 1 + 1?", "--task", TASKS[0], "--json"], 0, None),
        (["route", "--file", "QUESTIONS"], 0, None),
        (["compare", "2", "The answer is two.", "--question", "What is 1 + 1?"], 0, None),
        (["compare", "--pairs", "PAIRS"], 0, None),
        (["reviews", "decide", "q-1", "--choose", "alpha", "--note", "the better one"], 3, Review),
        (["reviews", "decide", "q-1", "--reject"], 3, Review),
    ],
    ids=lambda one: " ".join(one[:3]) if isinstance(one, list) else "",
)
def test_sound_words_are_taken_and_sent_on_where_there_is_somebody_to_send_them_to(
    arguments: list[str],
    status: int,
    sent: type | None,
    command: Callable[[list[str], bytes], Ended],
    tmp_path: Path,
) -> None:
    files = {"SCHEMA": SCHEMA, "RECORDS": RECORDS, "QUESTIONS": {"prompt": "What is 1 + 1?"}, "PAIRS": PAIR}
    for name, document in files.items():
        (tmp_path / name).write_bytes(encoded(document))
    for messages in SENT.values():
        messages.clear()

    ended = command([str(tmp_path / word) if word in files else word for word in arguments], b"What is 1 + 1?")

    assert ended.status == status, ended.err
    assert {kind: len(messages) for kind, messages in SENT.items()} == {kind: int(kind is sent) for kind in SENT}
    assert list(_wrongs(arguments, ended)) == []


def test_an_answer_always_agrees_with_itself_or_cannot_be_told(
    command: Callable[[list[str], bytes], Ended], tmp_path: Path
) -> None:
    chance = Random(SEED)
    pairs = tmp_path / "pairs.jsonl"
    texts = [text(chance) for _ in range(share(200))]
    pairs.write_bytes(b"\n".join(encoded({"question": "What is it?", "a": told, "b": told}) for told in texts))

    ended = command(["compare", "--pairs", str(pairs)], b"")

    verdicts = [json.loads(line)["verdict"] for line in ended.out.splitlines()]
    assert len(verdicts) == len(texts), ended.err
    assert [told for told, verdict in zip(texts, verdicts, strict=True) if verdict == "disagree"] == []


@pytest.mark.timeout(TIME_LIMIT_S)
def test_whatever_stands_in_the_environment_ends_with_a_status_and_a_sentence(
    command: Callable[[list[str], bytes], Ended], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = dict[str, list[str]]()
    values = (*NAMES[:-3], *(told for told in BLANK if "\x00" not in told), "/dev/null", str(tmp_path), "1" * 9_000)
    statuses = Counter[int]()
    names = ("POINTSMAN_CONFIG", "COLUMNS", "TERM", "NO_COLOR", "USER", "LOGNAME", "LANG", "PYTHONIOENCODING", "HOME")
    for number in range(share(60)):
        chance = Random(f"{SEED}/environment/{number}")
        with monkeypatch.context() as patch:
            for name in chance.sample(names, chance.choice((1, 2))):
                patch.setitem(os.environ, name, chance.choice(values))
            arguments = chance.choice(
                (["check"], ["route", "hello"], ["reviews", "decide", "q", "--reject"], ["--help"])
            )
            ended = command(arguments, b"")
        statuses[ended.status] += 1
        wrong = list(_wrongs(arguments, ended))
        if wrong:
            found[f"{number}: {arguments!r}"] = wrong

    assert not found
    assert mixed(statuses, share(60)), statuses


def test_words_in_any_order_end_with_a_status_and_a_sentence(
    command: Callable[[list[str], bytes], Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing listens there: whatever asks a server is told so at once.
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:9")
    found, statuses = dict[str, list[str]](), Counter[int]()
    for number in range(share(100)):
        arguments = words(Random(f"{SEED}/words/{number}"), tmp_path)
        ended = command(arguments, b"hello")
        statuses[ended.status] += 1
        wrong = list(_wrongs(arguments, ended))
        if wrong:
            found[f"{number}: {arguments!r:.300}"] = wrong

    assert not found
    assert mixed(statuses, share(100)), statuses
