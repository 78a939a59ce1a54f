"""Whatever is typed, piped or left in a file or the environment: a status that is documented, and a sentence."""

from __future__ import annotations

import io
import json
import os
import unicodedata
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
from tests.fuzz.settings import SEED, TIME_LIMIT_S, share
from tests.fuzz.values import BLANK, NUMBERS, changed, encoded, odd, scrambled, text

ROUTER = Path(__file__).parents[2] / "config" / "router.toml"
SENT: dict[type, list[Any]] = {Question: [], Review: []}
"""What would have gone to the server."""
SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a+$"}}, "required": ["a"]}
RECORDS = [{"id": "r-1", "text": "It is blue.", "weight": 1.0}]
PAIR = {"question": "What is 1 + 1?", "a": "2", "b": "The answer is two."}
NAMES = ("alpha", "", " ", ",", "a,b,,", "--json", "-5", "../x", "\x1b[31m", "q" * 5_000, "ключ", "a\nb", "\udcff")


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


def _file(chance: Random, folder: Path, sound: Any) -> Path:
    """A JSON file that is sound, altered, broken, or none."""
    path = folder / "input.json"
    match chance.randrange(8):
        case 0:
            return folder / "missing.json"
        case 1:
            return folder
        case 2:
            path.write_bytes(scrambled(chance, encoded(sound)))
        case 3:
            path.write_bytes(
                chance.choice((b"", b"\xff\xfe", b"[" * 50_000, b"null", b"9" * 6_000, b"NaN", b"\xef\xbb\xbf{}"))
            )
        case 4:
            path.write_bytes(encoded(odd(chance)))
        case _:
            path.write_bytes(encoded(changed(chance, sound)))
    return path


def _lines(chance: Random, folder: Path, sound: Any) -> Path:
    path = folder / "input.jsonl"
    made = [encoded(changed(chance, sound)) if chance.random() < 0.7 else encoded(sound) for _ in range(3)]
    content = b"\n".join(made)
    path.write_bytes(scrambled(chance, content) if chance.random() < 0.3 else content)
    return path


def _ask(chance: Random, folder: Path) -> list[str]:
    def number() -> str:
        return str(chance.choice((*NUMBERS[:12], "nan", "inf", "-inf", "1_0", "", "x", "٣")))

    options: dict[str, Callable[[], str]] = {
        "--schema": lambda: str(_file(chance, folder, SCHEMA)),
        "--context": lambda: str(_file(chance, folder, RECORDS)),
        "--deadline": number,
        "--max-cost": number,
        "--max-latency-ms": number,
        "--max-output-tokens": number,
        "--stakes": lambda: chance.choice(("high", "normal", *NAMES)),
        "--on-exhausted": lambda: chance.choice(("fail", "wait", *NAMES)),
        "--allow": lambda: chance.choice(NAMES),
        "--deny": lambda: chance.choice(NAMES),
        "--task": lambda: chance.choice(NAMES),
        "--system": lambda: text(chance),
        "--id": lambda: chance.choice(NAMES),
    }
    chosen = chance.sample(sorted(options), chance.choice((0, 1, 1, 2, 4)))
    prompt = chance.choice((*BLANK, "-", text(chance), text(chance)))
    return ["ask", prompt, *(word for name in chosen for word in (name, options[name]()))]


def _route(chance: Random, folder: Path) -> list[str]:
    if chance.random() < 0.5:
        return ["route", chance.choice((*BLANK, "-", text(chance))), "--task", chance.choice(NAMES)]
    return ["route", "--file", str(_lines(chance, folder, {"prompt": "hello", "context": RECORDS, "allow": ["x"]}))]


def _compare(chance: Random, folder: Path) -> list[str]:
    if chance.random() < 0.5:
        return ["compare", text(chance), text(chance), "--question", text(chance)]
    return ["compare", "--pairs", str(_lines(chance, folder, PAIR))]


def _decide(chance: Random, _folder: Path) -> list[str]:
    options = {"--choose": NAMES, "--text": (*BLANK, text(chance)), "--note": (text(chance),), "--reviewer": NAMES}
    chosen = chance.sample(sorted(options), chance.randrange(4))
    words = [word for name in chosen for word in (name, chance.choice(options[name]))]
    return ["reviews", "decide", chance.choice(NAMES), *words, *(["--reject"] if chance.random() < 0.3 else [])]


def _words(chance: Random, folder: Path) -> list[str]:
    """Words in any order, known ones among them."""
    known = (
        "ask",
        "route",
        "compare",
        "check",
        "reviews",
        "decide",
        "health",
        "--json",
        "--help",
        "--config",
        "--",
        "-",
    )
    return [chance.choice((*known, *NAMES, str(folder))) for _ in range(chance.randrange(6))]


@pytest.mark.timeout(TIME_LIMIT_S)
@pytest.mark.parametrize("made", [_ask, _route, _compare, _decide], ids=lambda made: made.__name__.strip("_"))
def test_whatever_is_typed_ends_with_a_status_and_a_sentence(
    made: Callable[[Random, Path], list[str]], command: Callable[[list[str], bytes], Ended], tmp_path: Path
) -> None:
    found = dict[str, list[str]]()
    for number in range(share(150)):
        chance = Random(f"{SEED}/{made.__name__}/{number}")
        arguments = made(chance, tmp_path) + (["--json"] if chance.random() < 0.3 else [])
        ended = command(arguments, scrambled(chance, text(chance).encode("utf-8", "surrogatepass")))
        wrong = list(_wrongs(arguments, ended))
        if wrong:
            found[f"{number}: {arguments!r:.300}"] = wrong

    assert not found


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
        wrong = list(_wrongs(arguments, ended))
        if wrong:
            found[f"{number}: {arguments!r}"] = wrong

    assert not found


def test_words_in_any_order_end_with_a_status_and_a_sentence(
    command: Callable[[list[str], bytes], Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing listens there: whatever asks a server is told so at once.
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:9")
    found = dict[str, list[str]]()
    for number in range(share(100)):
        arguments = _words(Random(f"{SEED}/words/{number}"), tmp_path)
        wrong = list(_wrongs(arguments, command(arguments, b"hello")))
        if wrong:
            found[f"{number}: {arguments!r:.300}"] = wrong

    assert not found
