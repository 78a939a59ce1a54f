"""JSON Schema, kept harmless: nothing is fetched, and an unusable schema is refused before any provider is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from pointsman.bounded_validator import BoundedValidator, compiled, step_budget

# An empty registry: a reference to another document is an error, where jsonschema would otherwise download it.
_OFFLINE: Registry[Any] = Registry()
_STAY_WITHIN = "references stay within the schema, as #/$defs/name"


def schema_fault(schema: dict[str, Any]) -> str | None:
    """Why this is no usable JSON Schema (draft 2020-12), or `None`."""
    try:
        _check_form(schema)
        if {"patternProperties", "unevaluatedProperties"} <= set(_keys(schema)):
            return "patternProperties and unevaluatedProperties do not go together; use additionalProperties"
        _follow_references(schema, _OFFLINE.with_resource("", DRAFT202012.create_resource(schema)).resolver(), set())
    except SchemaError as fault:
        where = "/".join(str(step) for step in fault.path)
        return f"not a JSON Schema{f' (at {where})' if where else ''}: {fault.message[:200]}"
    except Unresolvable as fault:
        return f"the reference {str(getattr(fault, 'anchor', fault.ref))!r} leads nowhere; {_STAY_WITHIN}"
    except ValueError:
        return f"a reference counts into a list with a word; {_STAY_WITHIN}"
    except RecursionError:
        return "nested too deeply to be checked"
    return None


def mismatch(value: Any, schema: dict[str, Any]) -> str | None:
    """Where `value` breaks `schema`, as a path and a keyword, or `None`. Never quotes the value.

    Raises:
        TooCostly: the schema takes too long to apply to this value.
    """
    try:
        with step_budget():
            fault = next(iter(BoundedValidator(schema, registry=_OFFLINE).iter_errors(value)), None)
    except (RecursionError, OverflowError, SchemaError):  # the last: a pattern that cannot be compiled as deep as here
        return "nested too deeply, or a number too large, to be checked"
    if fault is None:
        return None
    where = "/".join(str(step) for step in fault.absolute_path)
    return f"{where or 'the whole'} breaks {fault.validator!r}"


def _check_form(schema: Any) -> None:
    # Patterns are compiled below by what will match them; the checker would use another dialect of them.
    Draft202012Validator.check_schema(schema, format_checker=FormatChecker(()))


def _follow_references(schema: Any, resolver: Any, seen: set[int]) -> None:
    """Look up every reference, and check what it leads to: it may stand where nothing else looks for schemas."""
    _compile_patterns(schema)
    for keyword in ("$ref", "$dynamicRef"):
        if not isinstance(schema, dict) or keyword not in schema:
            continue
        found = resolver.lookup(schema[keyword])
        if id(found.contents) not in seen:
            seen.add(id(found.contents))
            _check_form(found.contents)
            _follow_references(found.contents, found.resolver, seen)
    for inner in DRAFT202012.create_resource(schema).subresources():
        _follow_references(inner.contents, resolver.in_subresource(inner), seen)


def _keys(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        yield from document
    for inner in document.values() if isinstance(document, dict) else document if isinstance(document, list) else ():
        yield from _keys(inner)


def _compile_patterns(schema: Any) -> None:
    if not isinstance(schema, dict):
        return
    for pattern in (*schema.get("patternProperties", ()), *filter(None, [schema.get("pattern")])):
        compiled(pattern)
