"""Cases in a file, one JSON object a line; every fault is a sentence with its line and field."""

from __future__ import annotations

import json
from typing import TypeVar

from pydantic import ValidationError

from pointsman.examination.case import Case
from pointsman.sentences import sentences

_Case = TypeVar("_Case", bound=Case)


def read_cases(text: str, kind: type[_Case]) -> tuple[tuple[tuple[int, _Case], ...], tuple[str, ...]]:
    """The cases with the numbers of their lines, and the faults of lines that are none, or that repeat an id."""
    cases: list[tuple[int, _Case]] = []
    faults: list[str] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            case = kind.model_validate(_object(line))
        except ValidationError as fault:
            faults += [f"line {number}: {sentence}" for sentence in sentences(fault, kind)]
            continue
        except ValueError as fault:
            faults.append(f"line {number}: {fault}")
            continue
        first = lines.setdefault(case.id, number)
        if first != number:
            faults.append(f"line {number}: id: {case.id!r} stands in line {first} already; give each case its own")
        cases.append((number, case))
    return tuple(cases), tuple(faults)


def _object(line: str) -> dict[str, object]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"not JSON ({fault}); write one object a line") from None
    if not isinstance(found, dict):
        raise ValueError('no object; write one such as {"id": "a-1", "prompt": "...", "expected": "..."}')  # noqa: TRY004
    return found
