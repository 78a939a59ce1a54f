"""JSON Schema, kept harmless: nothing is fetched, and an unusable schema is refused before any provider is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

# An empty registry: a reference to another document is an error, where jsonschema would otherwise download it.
_OFFLINE: Registry[Any] = Registry()


def schema_fault(schema: dict[str, Any]) -> str | None:
    """Why this is no usable JSON Schema (draft 2020-12), or `None`."""
    try:
        Draft202012Validator.check_schema(schema)
        resolver = _OFFLINE.with_resource("", DRAFT202012.create_resource(schema)).resolver()
        for reference in _references(schema):
            resolver.lookup(reference)
    except SchemaError as fault:
        where = "/".join(str(step) for step in fault.path)
        return f"not a JSON Schema{f' (at {where})' if where else ''}: {fault.message[:200]}"
    except Unresolvable as fault:
        return f"the reference {str(fault.ref)!r} leads nowhere; references stay within the schema, as #/$defs/name"
    except RecursionError:
        return "nested too deeply to be checked"
    return None


def mismatch(value: Any, schema: dict[str, Any]) -> str | None:
    """Where `value` breaks `schema`, as a path and a keyword, or `None`. Never quotes the value."""
    try:
        fault = next(iter(Draft202012Validator(schema, registry=_OFFLINE).iter_errors(value)), None)
    except RecursionError:
        return "nested too deeply to be checked"
    if fault is None:
        return None
    where = "/".join(str(step) for step in fault.absolute_path)
    return f"{where or 'the whole'} breaks {fault.validator!r}"


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)
