"""What HTTP does around a body: framings, encodings, statuses and headers, honest and lying."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import replace
from random import Random

from tests.fuzz.case import Case, End, Expected
from tests.fuzz.reading import expected, whole
from tests.fuzz.replies import body, sound

CLOSE = b"connection: close\r\n"
_JSON = b"content-type: application/json\r\n"
_TYPES = (
    b"application/json; charset=utf-8",
    b"application/json; charset=iso-8859-1",
    b"application/json; charset=no-such-charset",
    b"text/plain",
    b"text/html",
    b"text/event-stream",
    b"application/octet-stream",
    b"",
    b"\xff\xfe",
)
_REASONS = {200: b"OK", 429: b"Too Many Requests", 503: b"Service Unavailable"}
_STATUSES = (
    *(201, 202, 203, 204, 205, 206, 207, 226, 299),
    *(300, 301, 302, 303, 304, 305, 307, 308),
    *(400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 418, 422, 423, 425, 429, 431, 451, 499),
    *(500, 501, 502, 503, 504, 507, 508, 520, 522, 529, 530, 599),
)
_RETRY_AFTER = (
    *(b"0", b"-5", b"1", b"2.5", b"1e309", b"1e3", b"NaN", b"inf", b"-inf", b"0x10", b"1_000", b"", b" 7 ", b"9" * 400),
    *(b"\xd9\xa1\xd9\xa2", b"soon", b"Wed, 21 Oct 9999 07:28:00 GMT", b"Wed, 21 Oct 0001 07:28:00 GMT", b"1;2"),
    *(b"Fri, 31 Dec 1999 23:59:59", b"Mon, 99 Foo 2026 99:99:99 GMT", b"99999999999999999999", b"1, 2"),
)


def case(chance: Random, dialect: str) -> Case:
    """Any reply of one provider to one question."""
    schema = chance.random() < 0.3
    kind = chance.choice(_KINDS)
    found = kind(chance, dialect, schema)
    return replace(found, schema=schema)


def plain(status: int, content: bytes, *, headers: bytes = _JSON, reason: bytes | None = None) -> bytes:
    """An honest HTTP reply."""
    line = b"HTTP/1.1 %d %b\r\n" % (status, _REASONS.get(status, b"X") if reason is None else reason)
    return line + headers + CLOSE + b"content-length: %d\r\n\r\n" % len(content) + content


def _body(chance: Random, dialect: str, schema: bool) -> Case:  # noqa: FBT001 - a row of _KINDS
    """An odd body in an honest frame."""
    found = body(chance, dialect, schema=schema)
    return Case(dialect, plain(200, found.content), found.expected, found.why)


def _framed(chance: Random, dialect: str, schema: bool) -> Case:  # noqa: FBT001
    """A sound body in a frame that is legal, if rare: the answer must come out."""
    found = sound(chance, dialect, schema=schema)
    content = found.content
    head = b"HTTP/1.1 200 OK\r\n" + _JSON + CLOSE
    sized = b"content-length: %d\r\n" % len(content)
    packed = gzip.compress(content)
    wires = {
        "chunked": head + b"transfer-encoding: chunked\r\n\r\n" + _chunks(chance, content),
        "chunked with a trailer": head
        + b"transfer-encoding: chunked\r\n\r\n"
        + _chunks(chance, content, b"x-t: 1\r\n"),
        "to the end of the connection": head + b"\r\n" + content,
        "HTTP/1.0": b"HTTP/1.0 200 OK\r\n" + _JSON + b"\r\n" + content,
        "no reason": b"HTTP/1.1 200 \r\n" + _JSON + CLOSE + sized + b"\r\n" + content,
        "gzip": head + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed) + packed,
        "deflate": _deflated(head, content),
        "100 first": b"HTTP/1.1 100 Continue\r\n\r\n" + head + sized + b"\r\n" + content,
        "many headers": head + b"".join(b"x-%d: %d\r\n" % (n, n) for n in range(60)) + sized + b"\r\n" + content,
        "identity": head + b"content-encoding: identity\r\n" + sized + b"\r\n" + content,
    }
    why = chance.choice(sorted(wires))
    return Case(dialect, wires[why], found.expected, f"framed: {why}")


def _typed(chance: Random, dialect: str, schema: bool) -> Case:  # noqa: FBT001
    """A sound body under a strange content type: it may be turned away, but not be misread."""
    found = sound(chance, dialect, schema=schema)
    headers = b"content-type: " + chance.choice(_TYPES) + b"\r\n" if chance.random() < 0.9 else b""
    told = expected(dialect, found.content, schema=schema)
    return Case(dialect, plain(200, found.content, headers=headers), told, f"content type {headers!r}")


def _cut(chance: Random, dialect: str, schema: bool) -> Case:  # noqa: FBT001
    """The message ends before its frame says so: never an answer, however much of it had come."""
    content = sound(chance, dialect, schema=schema).content
    kept = content[: chance.choice((0, 1, len(content) // 2, len(content) - 1, len(content)))]
    head = b"HTTP/1.1 200 OK\r\n" + _JSON + CLOSE
    more = chance.choice((1, 7, 10**6, 10**18))
    wires = {
        "length too long": head + b"content-length: %d\r\n\r\n" % (len(content) + more) + kept,
        "no last chunk": head + b"transfer-encoding: chunked\r\n\r\n" + _chunks(chance, kept)[:-5],
        "in a chunk": head + b"transfer-encoding: chunked\r\n\r\n%x\r\n" % (len(content) + more) + kept,
        "in the headers": head + b"content-len",
        "in the status line": b"HTTP/1.1 2",
        "nothing": b"",
        "gzip": head + b"content-encoding: gzip\r\n\r\n" + gzip.compress(content)[: -chance.randrange(9, 30)],
    }
    why = chance.choice(sorted(wires))
    end: End = "reset" if chance.random() < 0.2 else "close"
    # What is missing at the end of a packed body may be no more than its checksum.
    told = expected(dialect, content, schema=schema) if why == "gzip" else Expected()
    return Case(dialect, wires[why], told, f"cut: {why}", end=end)


def _lying(chance: Random, dialect: str, schema: bool) -> Case:  # noqa: FBT001
    """Frames that lie about what they hold."""
    found = sound(chance, dialect, schema=schema)
    content, told = found.content, expected(dialect, found.content, schema=schema)
    head = b"HTTP/1.1 200 OK\r\n" + _JSON + CLOSE
    short = max(1, len(content) - chance.randrange(1, len(content)))
    sized = b"content-length: %d\r\n" % len(content)
    chunked = b"transfer-encoding: chunked\r\n"
    lies = {
        "length too short": (head + b"content-length: %d\r\n\r\n" % short + content, Expected()),
        "says gzip": (head + b"content-encoding: gzip\r\n" + sized + b"\r\n" + content, Expected()),
        "says deflate": (head + b"content-encoding: deflate\r\n" + sized + b"\r\n" + content, Expected()),
        "says an unknown coding": (head + b"content-encoding: snappy-9\r\n" + sized + b"\r\n" + content, told),
        "two lengths": (head + sized + b"content-length: 1\r\n\r\n" + content, told),
        "length and chunks": (head + sized + chunked + b"\r\n" + _chunks(chance, content), told),
        "negative length": (head + b"content-length: -1\r\n\r\n" + content, told),
        "length in words": (head + b"content-length: ten\r\n\r\n" + content, told),
        "chunk size in words": (head + chunked + b"\r\nzz\r\n" + content + b"\r\n0\r\n\r\n", Expected()),
        "negative chunk": (head + chunked + b"\r\n-5\r\n" + content + b"\r\n0\r\n\r\n", Expected()),
        "endless chunk": (head + chunked + b"\r\nffffffffffffffffff\r\n" + content, Expected()),
        "no headers at all": (content, Expected()),
        "no status": (b"HTTP/1.1 \r\n" + head[17:] + sized + b"\r\n" + content, Expected()),
        "status in words": (b"HTTP/1.1 OK 200\r\n" + head[17:] + sized + b"\r\n" + content, Expected()),
        "status 000": (b"HTTP/1.1 000 X\r\n" + head[17:] + sized + b"\r\n" + content, Expected()),
        "status 999": (b"HTTP/1.1 999 X\r\n" + head[17:] + sized + b"\r\n" + content, Expected()),
        "HTTP/9.9": (b"HTTP/9.9 200 OK\r\n" + head[17:] + sized + b"\r\n" + content, told),
        "not HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n" + content, Expected()),
        "switching protocols": (b"HTTP/1.1 101 X\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n" + content, Expected()),
        "two replies": (plain(200, content) + plain(200, content), told),
    }
    why = chance.choice(sorted(lies))
    wire, told = lies[why]
    return Case(dialect, wire, told, f"lies: {why}")


def _headed(chance: Random, dialect: str, schema: bool) -> Case:  # noqa: FBT001
    """Headers that are too many, too long or none: the reply may be turned away."""
    found = sound(chance, dialect, schema=schema)
    told = expected(dialect, found.content, schema=schema)
    extras = {
        "one of 9 KB": b"x-long: " + b"a" * 9_000 + b"\r\n",
        "one of 100 KB": b"x-long: " + b"a" * 100_000 + b"\r\n",
        "3,000": b"x-many: 1\r\n" * 3_000,
        "a long name": b"x" * 20_000 + b": 1\r\n",
        "no colon": b"nonsense\r\n",
        "empty name": b": 1\r\n",
        "null byte": b"x-null: a\x00b\r\n",
        "letters outside ASCII": "x-zürich: 東京\r\n".encode(),
        "folded": b"x-folded: a\r\n  b\r\n",
        "bare newlines": b"x-a: 1\nx-b: 2\n",
        "bare return": b"x-a: 1\rcontent-length: 1\r\n",
        "space before the colon": b"content-length : 1\r\n",
        "cookies": b"set-cookie: a=" + b"b" * 5_000 + b"; domain=.invalid; expires=never\r\n",
        "strange ids": b"x-request-id: " + bytes(range(128, 256)) + b"\r\nopenai-processing-ms: many\r\n",
        "limits": b"x-ratelimit-remaining-requests: -1\r\nx-ratelimit-reset-tokens: NaN\r\nretry-after: -1\r\n",
    }
    why = chance.choice(sorted(extras))
    return Case(dialect, plain(200, found.content, headers=_JSON + extras[why]), told, f"headers: {why}")


def _status(chance: Random, dialect: str, schema: bool) -> Case:  # noqa: FBT001
    """Another status than 200, with whatever body and whatever hint: no answer, though it may tell of a refusal."""
    status = chance.choice(_STATUSES)
    found = body(chance, dialect, schema=schema)
    hint = b"retry-after: " + chance.choice(_RETRY_AFTER) + b"\r\n" if chance.random() < 0.5 else b""
    hint += b"retry-after-ms: " + chance.choice(_RETRY_AFTER) + b"\r\n" if chance.random() < 0.2 else b""
    place = b"location: http://127.0.0.1:{PORT}/elsewhere\r\n" if 300 <= status < 400 else b""
    if 200 <= status < 300:
        # Another success: a body that may come with it may be the answer.
        told = replace(found.expected, must_answer=False, must_refuse=False)
        return Case(dialect, plain(status, found.content), told, f"status {status}")
    content = b"" if status == 304 else found.content
    wire = plain(status, content, headers=_JSON + hint + place)
    policy = b"content_policy_violation" in content
    return Case(dialect, wire, Expected(refusal=policy), f"status {status} {hint!r}")


def _hung(chance: Random, dialect: str, schema: bool) -> Case:  # noqa: FBT001
    """A part, or all of it, and then silence with an open line."""
    found = sound(chance, dialect, schema=schema)
    wire = plain(200, found.content)
    at = chance.choice((0, 5, wire.index(b"\r\n\r\n") + 2, len(wire) - 1, len(wire)))
    told = whole(found.expected) if at == len(wire) else Expected(faults=("failure timeout",))
    return Case(dialect, wire[:at], told, f"silent after {at} of {len(wire)} bytes", end="hang")


def _chunks(chance: Random, content: bytes, trailer: bytes = b"") -> bytes:
    found, at = b"", 0
    while at < len(content):
        step = chance.choice((1, 3, 50, 4_000))
        piece = content[at : at + step]
        name = b";x=1" if chance.random() < 0.1 else b""
        found += b"%x%b\r\n%b\r\n" % (len(piece), name, piece)
        at += step
    return found + b"0\r\n" + trailer + b"\r\n"


def _deflated(head: bytes, content: bytes) -> bytes:
    packed = zlib.compress(content)
    return head + b"content-encoding: deflate\r\ncontent-length: %d\r\n\r\n" % len(packed) + packed


_KINDS = (*[_body] * 12, *[_framed] * 2, *[_typed] * 1, *[_cut] * 2, *[_lying] * 2, *[_headed] * 2, *[_status] * 4)
HUNG = _hung
