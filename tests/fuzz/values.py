"""Values that break readers: texts, numbers, whole JSON values, and changes of a document at a random place."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

TEXTS = (
    "it is blue",
    "Zürich \N{EM DASH} 東京 \N{GRINNING FACE}",
    "שלום \N{RIGHT-TO-LEFT OVERRIDE}abc",
    "half an emoji \ud83d",
    "\udc00 low half first",
    "\x00\x01\x1b[31mred",
    "a" * 5_000,
    "line\u2028separator\r\nand more",
    '{"name": "Ada", "count": 3}',
    'Sure! ```json\n{"name": "Ada"}\n```',
    '{"name": 4}',
    '{"name": "Ada", "count": -1}',
    '{"name": "Ada"',
    '{"name": "Ada", "name": 4}',
    '{"name": "Ada", "count": NaN}',
    '{"name": "Ada", "count": 1e999}',
    '[{"name": "Ada"}]',
    "{" * 3_000,
    "```json\n" * 200,
    '{"error": {"code": 503, "message": "overloaded"}}',
    "insufficient_quota context_length_exceeded prompt is too long",
    "I cannot help with that.",
    "I'm sorry, but I can\N{RIGHT SINGLE QUOTATION MARK}t assist with that.",
)
BLANK = ("", " ", "\n\t ", "\u00a0", "\u2003\u3000", "\u200b", "\ufeff", "\u200b\u200d\u2060", "\x00", "\u0085")
NUMBERS = (0, -1, 1, 0.5, -0.5, 7, 2**31, 2**53 + 1, 2**63, -(2**63), 10**30, 1e300, -1e300, 10**400)
CONSTANTS = (float("nan"), float("inf"), float("-inf"))
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    "",
    "x",
    "7",
    [],
    {},
    [None],
    [[]],
    {"": None},
    [{}],
    "\ud800",
    *NUMBERS,
    *CONSTANTS,
)


def encoded(document: Any, **options: Any) -> bytes:
    """A document as JSON in UTF-8; half surrogate pairs stand as escapes."""
    return json.dumps(document, **options).encode("utf-8", "surrogatepass")


def text(chance: Random) -> str:
    """A text that a model may have written."""
    if chance.random() < 0.2:
        return "".join(chr(chance.choice((chance.randrange(32, 127), chance.randrange(0x110000)))) for _ in range(20))
    return chance.choice(TEXTS)


def odd(chance: Random) -> Any:
    """A JSON value that nobody expects there."""
    if chance.random() < 0.05:
        deep: Any = []
        for _ in range(chance.choice((50, 190, 400))):
            deep = [deep] if chance.random() < 0.5 else {"x": deep}
        return deep
    return copy.deepcopy(chance.choice(ODD))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys or positions."""
    if isinstance(value, dict):
        for key in value:
            yield value, key
            yield from places(value[key])
    elif isinstance(value, list):
        for position in range(len(value)):
            yield value, position
            yield from places(value[position])


def changed(chance: Random, document: Any) -> Any:
    """The document with something at a random place gone, replaced, doubled, wrapped or renamed."""
    found = copy.deepcopy(document)
    spots = list(places(found))
    if not spots:
        return odd(chance)
    container, key = chance.choice(spots)
    match chance.randrange(6):
        case 0:
            del container[key]
        case 1 | 2:
            container[key] = odd(chance)
        case 3:
            container[key] = [container[key], container[key]] if chance.random() < 0.5 else {"value": container[key]}
        case 4:
            container[key] = text(chance)
        case _ if isinstance(container, dict):
            container[str(key).upper() if chance.random() < 0.5 else f"{key} "] = container.pop(key)
        case _:
            container.append(odd(chance))
    return found


def scrambled(chance: Random, content: bytes) -> bytes:
    """The bytes with some of them flipped, cut out, doubled or put in."""
    found = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        if not found:
            break
        at = chance.randrange(len(found))
        span = chance.choice((1, 1, 2, 8, 40))
        match chance.randrange(5):
            case 0:
                found[at] ^= 1 << chance.randrange(8)
            case 1:
                del found[at : at + span]
            case 2:
                found[at:at] = found[at : at + span]
            case 3:
                found[at:at] = bytes(chance.randrange(256) for _ in range(span))
            case _:
                del found[at:]
    return bytes(found)


def smaller(document: Any) -> Iterator[Any]:
    """The document with one thing less in it, the largest losses first."""
    spots = list(places(document))
    for number in range(len(spots)):
        found = copy.deepcopy(document)
        container, key = list(places(found))[number]
        del container[key]
        yield found
