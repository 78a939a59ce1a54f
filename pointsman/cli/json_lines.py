"""A file with one JSON object a line, for commands that do many things at once."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pointsman.errors import InvalidQuestion
from pointsman.sentences import file_fault


def lines(path: Path, option: str) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers.

    Raises:
        InvalidQuestion: the file cannot be read; the sentence names the option that named it.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise InvalidQuestion(f"{option}: {path} {file_fault(fault)}") from fault
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def fields(line: str, example: str) -> dict[str, Any]:
    """The object in a line.

    Raises:
        InvalidQuestion: there is none; the sentence shows the example.
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise InvalidQuestion(f"not JSON ({fault})") from fault
    if not isinstance(found, dict):
        raise InvalidQuestion(f"expected an object such as {example}")
    return found


@contextmanager
def told(number: int) -> Generator[None]:
    """Around the work on a line: what is wrong with it is told with its number."""
    try:
        yield
    except InvalidQuestion as fault:
        raise InvalidQuestion(f"line {number}: {fault}") from fault
