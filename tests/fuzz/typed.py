"""Command lines that people might type, and worse: each made by a seed, with the files that it names."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.values import BLANK, NUMBERS, changed, encoded, odd, scrambled, text

ROUTER = Path(__file__).parents[2] / "config" / "router.toml"
_CONFIGURED = tomllib.loads(ROUTER.read_text(encoding="utf-8"))
TASKS, PROVIDERS = tuple(_CONFIGURED["routes"]), tuple(_CONFIGURED["providers"])
SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a+$"}}, "required": ["a"]}
RECORDS = [{"id": "r-1", "text": "It is blue.", "weight": 1.0}]
PAIR = {"question": "What is 1 + 1?", "a": "2", "b": "The answer is two."}
NAMES = ("alpha", "", " ", ",", "a,b,,", "--json", "-5", "../x", "\x1b[31m", "q" * 5_000, "ключ", "a\nb", "\udcff")


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


def ask(chance: Random, folder: Path) -> list[str]:
    """A question with options."""

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


def route(chance: Random, folder: Path) -> list[str]:
    """One question, or a file of them."""
    if chance.random() < 0.5:
        task = ["--task", chance.choice((*NAMES, *TASKS * 3))] if chance.random() < 0.7 else []
        return ["route", chance.choice((*BLANK, "-", text(chance), text(chance))), *task]
    allowed = chance.choice((PROVIDERS, PROVIDERS[:1], ("x",)))
    return ["route", "--file", str(_lines(chance, folder, {"prompt": "hello", "context": RECORDS, "allow": allowed}))]


def compare(chance: Random, folder: Path) -> list[str]:
    """Two answers, or a file of pairs."""
    if chance.random() < 0.5:
        return ["compare", text(chance), text(chance), "--question", text(chance)]
    return ["compare", "--pairs", str(_lines(chance, folder, PAIR))]


def decide(chance: Random, _folder: Path) -> list[str]:
    """What becomes of a question that waits for a person."""
    options = {"--choose": NAMES, "--text": (*BLANK, text(chance)), "--note": (text(chance),), "--reviewer": NAMES}
    chosen = chance.sample(sorted(options), chance.randrange(4))
    words = [word for name in chosen for word in (name, chance.choice(options[name]))]
    return ["reviews", "decide", chance.choice(NAMES), *words, *(["--reject"] if chance.random() < 0.3 else [])]


def words(chance: Random, folder: Path) -> list[str]:
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
