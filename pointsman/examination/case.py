"""`Case`: a question with what its answer is checked by, as one line of JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, Self

from jsonschema.exceptions import SchemaError
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pointsman.bounded_validator import compiled
from pointsman.examination.check import (
    Check,
    Choice,
    Contains,
    Exact,
    Fields,
    Grounded,
    MatchesSchema,
    Number,
    Regex,
)
from pointsman.messages import ContextRecord, NonEmpty, Question
from pointsman.schemas import schema_fault

MAX_DEPTH = 100
"""Of lists and objects within each other in what a case brings; about 250 can no longer be written as JSON."""
_NESTING = (dict, list, tuple, BaseModel)
_LEAST_URGENT = 5
"""Temporal's task priority: questions that somebody waits for come first."""


class Case(BaseModel):
    """One question whose answer can be marked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^\S(.*\S)?$")]
    prompt: NonEmpty
    system: str | None = None
    context: tuple[ContextRecord, ...] = ()
    response_schema: dict[str, Any] | None = None
    expected: Any = None
    """What checks compare with that bring nothing of their own."""
    checks: tuple[Check, ...] = ()
    max_output_tokens: Annotated[int, Field(gt=0)] | None = None

    def question(self) -> Question:
        """What the model is asked."""
        return Question(
            prompt=self.prompt,
            system=self.system,
            context=self.context,
            response_schema=self.response_schema,
            max_output_tokens=self.max_output_tokens,
            priority=_LEAST_URGENT,
        )

    def filled(self) -> Self:
        """The case whose checks all bring what they compare with; see `case_faults` for those that have nothing."""
        return self.model_copy(update={"checks": tuple(_filled(check, self) for check in self.checks)})


def case_faults(case: Case) -> list[str]:
    """Why a case cannot be marked, one sentence each that starts with the field."""
    deep = next((name for name, value in case if nested_too_deeply(value)), None)
    if deep is not None:
        return [f"{deep}: nested over {MAX_DEPTH} deep; flatten it"]
    found = list(_check_faults(case))
    if not case.checks:
        found.append("checks: missing; give the case, or the suite, at least one")
    unusable = None if case.response_schema is None else schema_fault(case.response_schema)
    if unusable is not None:
        found.append(f"response_schema: {unusable}")
    return found


def _filled(check: Check, case: Case) -> Check:
    """The check with the case's expectation where it has none of its own; as it is where that does not fit."""
    expected = case.expected
    if isinstance(check, Exact) and check.value is None:
        return check.model_copy(update={"value": expected})
    if isinstance(check, Number) and check.value is None:
        return check.model_copy(update={"value": _number(expected)})
    if isinstance(check, Choice) and check.value is None and isinstance(expected, str):
        return check.model_copy(update={"value": expected})
    if isinstance(check, Contains) and not check.values:
        return check.model_copy(update={"values": _texts(expected)})
    if isinstance(check, MatchesSchema) and check.schema_ is None:
        return check.model_copy(update={"schema_": case.response_schema})
    return check


def _number(expected: Any) -> float | None:
    if isinstance(expected, bool) or not isinstance(expected, int | float | str):
        return None
    try:
        return float(expected)
    except (ValueError, OverflowError):
        return None


def _texts(expected: Any) -> tuple[str, ...]:
    listed = [expected] if isinstance(expected, str) else expected
    fits = isinstance(listed, list) and all(isinstance(text, str) and text for text in listed)
    return tuple(listed) if fits else ()


def _check_faults(case: Case) -> Iterator[str]:
    for position, check in enumerate(case.checks):
        fault = _check_fault(_filled(check, case), case)
        if fault is not None:
            yield f"checks.{position}: {check.check} {fault}"


def _check_fault(check: Check, case: Case) -> str | None:  # noqa: C901, PLR0911, PLR0912 - one line a kind
    match check:
        case Exact(value=None):
            return "has nothing to compare with; give it a value, or the case an expected"
        case Number(value=float() as value) if not math.isfinite(value):
            return f"cannot be compared with {value}; give it a finite value, or the case a finite expected number"
        case Number(value=None):
            return "has no number to compare with; give it a value, or the case an expected number"
        case Choice(value=None):
            return "has no right choice; give it a value, or the case an expected text"
        case Choice(value=value, among=among) if value not in among:
            return f"has a right choice that is not among its choices: {value!r:.80}"
        case Contains(values=()):
            return "looks for nothing; give it values, or the case an expected text or list of texts"
        case Contains(any=True, absent=True):
            return "cannot look for any and for none; leave out any or absent"
        case Regex(pattern=pattern):
            return _pattern_fault(pattern)
        case MatchesSchema(schema_=None):
            return "has no schema; give it one, or the case a response_schema"
        case MatchesSchema(schema_=dict() as schema):
            return schema_fault(schema)
        case Fields(values=None) if not isinstance(case.expected, dict) or not case.expected:
            return "has no fields to compare; give it values, or the case an expected object"
        case Fields(values={}) if check.values is not None and not check.values:
            return "has no fields to compare; give it values"
        case Grounded() if not case.context:
            return "needs a context; give the case one"
        case _:
            return None


def nested_too_deeply(value: Any) -> bool:
    """Whether lists and objects stand more than `MAX_DEPTH` deep in each other."""
    level = [value] if isinstance(value, _NESTING) else []
    # Level by level, and not by recursion, which is what deep nesting breaks.
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _within(outer) if isinstance(inner, _NESTING)]
    return bool(level)


def _within(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    elif isinstance(value, BaseModel):
        yield from (inner for _, inner in value)


def _pattern_fault(pattern: str) -> str | None:
    try:
        compiled(pattern)
    except SchemaError as fault:
        return f"is unusable: {fault.message}"
    return None
