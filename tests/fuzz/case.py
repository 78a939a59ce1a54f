"""One hostile reply: the bytes on the wire, and what a fair reader may make of them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import TypeAdapter

End = Literal["close", "reset", "hang"]
"""What the provider does after its last byte."""

CORPUS = Path(__file__).parent / "corpus"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}, "count": {"type": "integer", "minimum": 0}},
    "required": ["name"],
}
"""The schema of the questions that ask under one."""


@dataclass(frozen=True)
class Expected:
    """Which outcomes are right. By default none but a fault: whatever is not told here is a false success."""

    texts: tuple[str, ...] = ()
    """The texts that may be answered."""
    tools: bool = False
    """Whether calls of tools may be the answer."""
    refusal: bool = False
    """Whether it may be taken for a refusal."""
    must_answer: bool = False
    """Whether anything but an answer with one of `texts` is wrong."""
    must_refuse: bool = False
    faults: tuple[str, ...] = ()
    """The kinds of fault ("failure http_503") that are right; empty = any."""
    tokens: tuple[int, int] | None = None
    """Tokens in and out that an answer must report."""


@dataclass(frozen=True)
class Case:
    """What one provider sends in answer to one question."""

    dialect: str
    wire: bytes = field(repr=False)
    """Everything that is sent, status line and headers included."""
    expected: Expected
    why: str
    schema: bool = False
    """Whether the question asks for JSON under `SCHEMA`."""
    end: End = "close"

    def document(self) -> dict[str, Any]:
        """As JSON for the corpus; bytes are written as Latin-1, so that a person can read most of them."""
        return asdict(replace(self, wire=b"")) | {"wire": self.wire.decode("latin-1")}

    @classmethod
    def of(cls, document: dict[str, Any]) -> Self:
        """The reverse of `document`; what else stands there is left out."""
        return TypeAdapter(cls).validate_python({**document, "wire": document["wire"].encode("latin-1")})


def corpus() -> list[tuple[str, Case]]:
    """Every case that once was answered wrongly, or well could be, with its name."""
    found = sorted(CORPUS.glob("*.json"))
    return [(path.stem, Case.of(json.loads(path.read_text(encoding="utf-8")))) for path in found]
