"""A JSON Schema validator that always ends soon: a caller's schema must not be able to hold up a whole worker.

A pattern may take exponential time on an unlucky text, and `anyOf` over references may fan out without end. So patterns
are matched by the `regex` package under a time limit, and every keyword that is applied takes a step from a budget.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import regex
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend

from pointsman.pattern_size import pattern_size

PATTERN_LIMIT_S = 0.2
"""For one pattern on one text; an ordinary one takes microseconds."""
MAX_PATTERN_SIZE = 50_000
"""Of a compiled pattern, in characters that it spells out: some 15 MB, where an unbounded one takes all there is."""
MAX_STEPS = 200_000
"""Keywords applied to one value: about a second's work."""

_Keyword = Callable[..., Iterator[ValidationError] | None]
_steps_left: ContextVar[int] = ContextVar("_steps_left", default=MAX_STEPS)


class TooCostly(Exception):
    """The schema takes too long to apply to this value."""


@contextmanager
def step_budget() -> Generator[None]:
    """Start a budget of `MAX_STEPS`; what is applied beyond it raises `TooCostly`."""
    token = _steps_left.set(MAX_STEPS)
    try:
        yield
    finally:
        _steps_left.reset(token)


@lru_cache(maxsize=256)
def compiled(pattern: str) -> regex.Pattern[str]:
    """A pattern of a schema.

    Raises:
        SchemaError: it is none, or none that can be compiled.
    """
    if pattern_size(pattern) > MAX_PATTERN_SIZE:
        raise SchemaError(f"{pattern[:80]!r} repeats too much to be compiled; lower its counts")
    try:
        return regex.compile(pattern)
    except regex.error as fault:
        raise SchemaError(f"{pattern[:80]!r} is not a pattern ({fault})") from None
    except (ValueError, OverflowError) as fault:  # flags that exclude each other, say
        raise SchemaError(f"{pattern[:80]!r} is not a usable pattern ({fault})") from None
    except RecursionError:
        raise SchemaError(f"{pattern[:80]!r} is not a usable pattern (nested too deeply)") from None


def _found(pattern: str, text: str) -> bool:
    try:
        return compiled(pattern).search(text, timeout=PATTERN_LIMIT_S) is not None
    except TimeoutError:
        raise TooCostly from None


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not _found(pattern, instance):
        yield ValidationError("pattern")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for pattern, inner in patterns.items():
            for name in [name for name in instance if _found(pattern, name)]:
                yield from validator.descend(instance[name], inner, path=name, schema_path=pattern)


def _additional_properties(validator: Any, inner: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    patterns = schema.get("patternProperties", {})
    for name in instance:
        if name not in schema.get("properties", {}) and not any(_found(pattern, name) for pattern in patterns):
            if inner is False:
                yield ValidationError("additionalProperties")
            else:
                yield from validator.descend(instance[name], inner, path=name)


def _counted(keyword: _Keyword) -> _Keyword:
    def applied(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError] | None:
        left = _steps_left.get()
        if left <= 0:
            raise TooCostly
        _steps_left.set(left - 1)
        return keyword(validator, value, instance, schema)

    return applied


_OWN: dict[str, _Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
}
BoundedValidator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {name: _counted(keyword) for name, keyword in {**Draft202012Validator.VALIDATORS, **_OWN}.items()},
)
"""Draft 2020-12; to be used inside `step_budget()`."""
