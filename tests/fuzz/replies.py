"""Bodies: replies that keep to a vendor's protocol, and replies that break it at a known place."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.fuzz.case import Expected
from tests.fuzz.reading import expected, whole
from tests.fuzz.values import BLANK, CONSTANTS, NUMBERS, changed, encoded, odd, scrambled, text
from workers.embedded.scripted.anthropic import Anthropic
from workers.embedded.scripted.dialect import Dialect
from workers.embedded.scripted.gemini import Gemini
from workers.embedded.scripted.ollama import Ollama
from workers.embedded.scripted.openai import OpenAI
from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import Reply, Tokens, ToolCall

DIALECTS: dict[str, Dialect] = {known.name: known for known in (OpenAI(), Anthropic(), Gemini(), Ollama())}
_FINISHES = ("stop", "stop", "stop", "length", "content_filter", "tool_calls")
_UNKNOWN = ("brand_new", "STOPPED", "error", "MALFORMED_FUNCTION_CALL", "pause_turn", "", "Stop", "null")
_ENDS = {"openai": "finish_reason", "anthropic": "stop_reason", "gemini": "finishReason", "ollama": "done_reason"}
_USAGES = {"openai": "usage", "anthropic": "usage", "gemini": "usageMetadata", "ollama": None}


@dataclass(frozen=True)
class Body:
    """Bytes of a body under status 200, and what they hold."""

    content: bytes
    expected: Expected
    why: str


def body(chance: Random, dialect: str, *, schema: bool) -> Body:
    """Any body."""
    kind = chance.choice(_KINDS)
    document = _document(chance, dialect)
    return kind(chance, dialect, document, schema)


def sound(chance: Random, dialect: str, *, schema: bool) -> Body:
    """A body that keeps to the protocol: what it holds must come out."""
    tokens = Tokens(chance.randrange(1, 10**6), chance.randrange(1, 10**5))
    content = encoded(_document(chance, dialect, tokens))
    told = whole(expected(dialect, content, schema=schema))
    return Body(content, replace(told, tokens=(tokens.input, tokens.output)), "keeps to the protocol")


def _document(chance: Random, dialect: str, usage: Tokens | None = None) -> dict[str, Any]:
    finish = chance.choice(_FINISHES)
    calls = (ToolCall("look_up", '{"id": 4}'),) if finish == "tool_calls" else ()
    reply = Reply(text(chance), finish, usage=usage or Tokens(), tool_calls=calls)
    request = Request(model="m", prompt="", name="a", dialect=dialect, number=1, headers={}, body={})
    return DIALECTS[dialect].reply(reply, request)


def _sound(chance: Random, dialect: str, _document: dict[str, Any], schema: bool) -> Body:  # noqa: FBT001 - a row of _KINDS
    return sound(chance, dialect, schema=schema)


def _spelled(chance: Random, dialect: str, document: dict[str, Any], schema: bool) -> Body:  # noqa: FBT001
    """The same JSON in another spelling."""
    listed = list(document.items())
    chance.shuffle(listed)
    shuffled = dict(listed) | {"x_new_field": odd(Random(chance.random())) if chance.random() < 0.3 else {"a": [1]}}
    shuffled = json.loads(json.dumps(shuffled))
    content = encoded(shuffled, ensure_ascii=True, indent=chance.choice((None, 0, 7)))
    return Body(content + b"\n" * chance.randrange(3), expected(dialect, content, schema=schema), "spelled otherwise")


def _twice(chance: Random, dialect: str, document: dict[str, Any], schema: bool) -> Body:  # noqa: FBT001
    """A key that stands twice; the last one counts, as in every JSON parser that is used here."""
    key = chance.choice(list(document))
    first = encoded({key: odd(chance)})[:-1]
    content = first + b", " + encoded(document)[1:]
    return Body(content, expected(dialect, content, schema=schema), f"{key} stands twice")


def _blank(chance: Random, dialect: str, document: dict[str, Any], _schema: bool) -> Body:  # noqa: FBT001
    """Nothing that a reader would see."""
    blank = chance.choice(BLANK)
    content = encoded(_with_text(dialect, document, blank))
    return Body(content, expected(dialect, content, schema=False), "blank text")


def _ended(chance: Random, dialect: str, document: dict[str, Any], schema: bool) -> Body:  # noqa: FBT001
    """Another end than the protocol knows."""
    word = chance.choice((*_UNKNOWN, None, 3, ["stop"], {"stop": 1}, True))
    content = encoded(_with_end(dialect, document, word))
    return Body(content, expected(dialect, content, schema=schema), f"ends with {word!r}")


def _used(chance: Random, dialect: str, document: dict[str, Any], schema: bool) -> Body:  # noqa: FBT001
    """Odd counts of tokens."""
    found = dict(document)
    names: list[Any] = [*NUMBERS, *CONSTANTS, None, "7", [], True]
    key = _USAGES[dialect]
    if key is None:
        found["prompt_eval_count"], found["eval_count"] = chance.choice(names), chance.choice(names)
    elif chance.random() < 0.2:
        found[key] = odd(chance)
    else:
        usage = dict(found[key])
        for name in chance.sample(sorted(usage), chance.randrange(1, len(usage) + 1)):
            usage[name] = chance.choice(names) if not isinstance(usage[name], dict) else odd(chance)
        found[key] = usage
    content = encoded(found)
    return Body(content, expected(dialect, content, schema=schema), "odd usage")


def _failed_inside(chance: Random, dialect: str, document: dict[str, Any], schema: bool) -> Body:  # noqa: FBT001
    """An error object, in place of the answer or beside it."""
    error = chance.choice(
        (
            {"code": 503, "message": "overloaded"},
            {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"},
            {"type": "overloaded_error", "message": "Overloaded"},
            {"code": "insufficient_quota", "message": "quota", "type": "insufficient_quota"},
            {"code": 10**30, "message": None},
            {"code": True},
            "overloaded",
        )
    )
    beside = document if chance.random() < 0.6 else {}
    content = encoded({**beside, "error": error})
    return Body(content, expected(dialect, content, schema=schema), "an error inside")


def _altered(chance: Random, dialect: str, document: dict[str, Any], schema: bool) -> Body:  # noqa: FBT001
    """Something at a random place is not what it should be."""
    found: Any = document
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        found = changed(chance, found)
    content = encoded(found)
    return Body(content, expected(dialect, content, schema=schema), "altered at a random place")


def _broken(chance: Random, dialect: str, document: dict[str, Any], schema: bool) -> Body:  # noqa: FBT001
    """Not even JSON, most of the time."""
    content = scrambled(chance, encoded(document, ensure_ascii=chance.random() < 0.5) if chance.random() < 0.9 else b"")
    return Body(content, expected(dialect, content, schema=schema), "scrambled bytes")


def _foreign(chance: Random, dialect: str, document: dict[str, Any], schema: bool) -> Body:  # noqa: FBT001
    """Something else altogether, or the same in another encoding."""
    other = DIALECTS[chance.choice([name for name in DIALECTS if name != dialect])]
    content = chance.choice(
        (
            b"",
            b"null",
            b"[]",
            b"7",
            b'"it is blue"',
            b"<html>overloaded insufficient_quota</html>",
            b"data: " + encoded(document) + b"\n\ndata: [DONE]\n\n",
            encoded(document) + encoded(document),
            encoded(document) + b"trailing",
            b"\xef\xbb\xbf" + encoded(document),
            json.dumps(document).encode("utf-16"),
            json.dumps(document).encode("utf-32-le"),
            b"[" * 100_000,
            b'{"choices":' * 20_000,
            b"9" * 10_000,
            encoded(_document(chance, other.name)),
        )
    )
    return Body(content, expected(dialect, content, schema=schema), "no reply of this protocol")


def _with_text(dialect: str, document: dict[str, Any], written: str) -> dict[str, Any]:
    found = json.loads(json.dumps(document))
    match dialect:
        case "openai":
            found["choices"][0]["message"]["content"] = written
            found["choices"][0]["message"].pop("tool_calls", None)
        case "anthropic":
            found["content"] = [{"type": "text", "text": written}]
        case "gemini":
            found["candidates"][0]["content"] = {"role": "model", "parts": [{"text": written}]}
        case _:
            found["message"] = {"role": "assistant", "content": written}
    return dict(found)


def _with_end(dialect: str, document: dict[str, Any], word: Any) -> dict[str, Any]:
    found = json.loads(json.dumps(document))
    inner = {"openai": lambda: found["choices"][0], "gemini": lambda: found["candidates"][0]}.get(
        dialect, lambda: found
    )()
    inner[_ENDS[dialect]] = word
    return dict(found)


_KINDS = (
    _sound,
    _spelled,
    _twice,
    _blank,
    _ended,
    _used,
    _failed_inside,
    _altered,
    _altered,
    _altered,
    _broken,
    _foreign,
)
