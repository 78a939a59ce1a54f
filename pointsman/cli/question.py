"""A question from the command line's words and files."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from pydantic import ValidationError

from pointsman.errors import InvalidQuestion
from pointsman.messages import Question
from pointsman.sentences import file_fault, sentences


@dataclass(frozen=True)
class Limits:
    """The options of `pointsman ask` that are fields of a question, as they were typed."""

    task: str | None = None
    stakes: str | None = None
    system: str | None = None
    deadline_s: float | None = None
    max_cost_usd: float | None = None
    max_latency_ms: float | None = None
    max_output_tokens: int | None = None
    on_exhausted: str | None = None
    allow: str | None = None
    deny: str | None = None
    tenant: str | None = None

    def fields(self) -> dict[str, Any]:
        """The given ones as fields of a `Question`."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return given | {name: _names(given[name]) for name in ("allow", "deny") if name in given}


def question_from(prompt: str, limits: Limits, *, schema: Path | None = None, context: Path | None = None) -> Question:
    """Build the question; the prompt `-` is read from standard input.

    Raises:
        InvalidQuestion: one sentence per fault.
    """
    fields = {"prompt": _standard_input() if prompt == "-" else prompt, **limits.fields()}
    if schema is not None:
        fields["response_schema"] = _json_file(schema, "--schema")
    if context is not None:
        fields["context"] = _json_file(context, "--context")
    return parse(fields)


def parse(fields: dict[str, Any]) -> Question:
    """A question from JSON-like fields.

    Raises:
        InvalidQuestion: one sentence per fault.
    """
    try:
        return Question.model_validate(fields)
    except ValidationError as fault:
        raise InvalidQuestion("\n".join(sentences(fault, Question))) from fault


def _standard_input() -> str:
    # Python has `None` for a stream that was closed, whatever its types say.
    stream: TextIO | None = sys.stdin
    if stream is None:
        raise InvalidQuestion("prompt: standard input is closed; pipe the question into it")
    try:
        return stream.buffer.read().decode()
    except UnicodeDecodeError:
        raise InvalidQuestion("prompt: standard input is not UTF-8; convert it") from None
    except OSError as fault:
        raise InvalidQuestion(f"prompt: standard input cannot be read ({fault.strerror})") from fault


def _json_file(path: Path, option: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidQuestion(f"{option}: no such file: {path}") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise InvalidQuestion(f"{option}: {path} {file_fault(fault)}") from fault
    except (ValueError, RecursionError) as fault:
        raise InvalidQuestion(f"{option}: {path} is not JSON ({fault})") from fault


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
