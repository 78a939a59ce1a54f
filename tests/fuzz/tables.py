"""Configuration files gone wrong: sound ones with a value, a line or some bytes changed."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from datetime import date, datetime, time
from random import Random
from typing import Any

from tests.fuzz.values import TEXTS, places, scrambled

_VALUES: tuple[Any, ...] = (
    *(0, -1, 1, 2**31, 2**63 - 1, -(2**63), 10**30, 10**400, 0.0, -0.0, 1e-320, 1e308, -1e308, 0.5),
    *(
        math.nan,
        math.inf,
        -math.inf,
        True,
        False,
        "",
        " ",
        "x",
        "alpha",
        "a/b",
        "\x00",
        "nan",
        "10",
        "../../etc/passwd",
    ),
    *(date(1, 1, 1), date(9999, 12, 31), date(2026, 11, 30), datetime(1, 1, 1), time(0, 0)),  # noqa: DTZ001
    *([], [[]], ["x"], ["x", "x"], [1, "x"], {}, {"x": 1}, [{}], [{"x": {}}], {"": {}}, "x" * 3_000, ["x"] * 500),
)


def written(document: dict[str, Any]) -> str:
    """A document as TOML; tables below the first level stand inline."""
    return "\n".join(f"{json.dumps(key)} = {_value(value)}" for key, value in document.items())


def changed(chance: Random, document: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The document with values, keys or tables changed, and what was done."""
    found, told = deepcopy(document), []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        container, key = chance.choice(list(places(found)))
        match chance.randrange(5):
            case 0:
                del container[key]
                told.append(f"{key} is gone")
            case 1 if isinstance(container, dict):
                name = chance.choice((f"{key}x", str(key).upper(), "", "\N{CYRILLIC SMALL LETTER A}", " "))
                container[name] = container.pop(key)
                told.append(f"{key} is called {name!r}")
            case 2:
                container[key] = [container[key], container[key]]
                told.append(f"{key} is doubled")
            case _:
                container[key] = chance.choice(_VALUES) if chance.random() < 0.8 else chance.choice(TEXTS)
                told.append(f"{key} = {container[key]!r:.40}")
    return found, "; ".join(told)


def broken(chance: Random, text: str) -> bytes:
    """The text with lines gone, doubled or moved, or with some of its bytes changed."""
    lines = text.splitlines(keepends=True)
    match chance.randrange(6):
        case 0:
            del lines[chance.randrange(len(lines))]
        case 1:
            lines.insert(chance.randrange(len(lines)), chance.choice(lines))
        case 2:
            chance.shuffle(lines)
        case 3:
            depth = chance.choice((50, 200, 2_000))
            lines.append(
                chance.choice((f"x = {'[' * depth}{']' * depth}", f"[{'a.' * depth}b]", f"x = {'{a = ' * depth}1"))
            )
        case 4:
            return chance.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"")) + text.encode(
                chance.choice(("utf-8", "utf-16", "latin-1")), "replace"
            )
        case _:
            return scrambled(chance, text.encode())
    return "".join(lines).encode()


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {_value(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, str):
        # TOML has no escape for half a surrogate pair, and names delete by its own.
        return json.dumps(value.encode("utf-8", "replace").decode()).replace("\x7f", "\\u007f")
    return json.dumps(value)
