"""Bad input in one clear sentence each: the path of the field, what is wrong, and what to do."""

from __future__ import annotations

import difflib
import types
import typing
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pointsman.errors import PointsmanError

_SHOWN_CHARACTERS = 40
_SENTENCE_CHARACTERS = 1000
_SENTENCES = 10
_NOT_UNICODE = "not valid Unicode (a lone surrogate); send text that can be encoded as UTF-8"


class ConfigurationError(PointsmanError):
    """The configuration cannot be used; `faults` holds one sentence per fault."""

    def __init__(self, faults: list[str]) -> None:
        """Carry the sentences, joined by line breaks as the message."""
        self.faults = [shortened(fault) for fault in faults]
        super().__init__("\n".join(self.faults))


def sentences(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Pydantic's errors about `model` as sentences that start with the field's path."""
    return [shortened(_sentence(detail, model)) for detail in error.errors(include_url=False)]


def in_one(error: ValidationError, model: type[BaseModel]) -> str:
    """The same in one line, fit for a failure that stands in a history: the first ten, and how many there are more."""
    found = sentences(error, model)
    more = [] if len(found) <= _SENTENCES else [f"and {len(found) - _SENTENCES} more"]
    return "; ".join([*found[:_SENTENCES], *more])


def shortened(sentence: str) -> str:
    """A sentence that quotes what somebody sent, cut in its middle: its beginning names the place, its end the cure."""
    if len(sentence) <= _SENTENCE_CHARACTERS:
        return sentence
    half = _SENTENCE_CHARACTERS // 2
    return f"{sentence[:half]} … {sentence[-half:]}"


def _sentence(detail: ErrorDetails, model: type[BaseModel]) -> str:
    location = tuple(step for step in detail["loc"] if step != "[key]")
    path = ".".join(str(step) for step in location)
    if detail["type"] == "extra_forbidden":
        return f"{path}: unknown key{_suggestion(location, model)}"
    if detail["type"] == "missing":
        return f"{path}: missing; it is required"
    if detail["type"] == "string_unicode":
        return f"{path}: {_NOT_UNICODE}"
    if detail["type"] == "json_invalid" and "hex escape" in detail["msg"]:
        # Half of a pair, written as an escape such as \\ud800.
        return f"{path or 'input'}: {_NOT_UNICODE}"
    problem = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "value_error":
        return f"{path}: {problem}" if path else problem
    return f"{path or 'input'}: {problem[:1].lower()}{problem[1:]}{_shown(detail.get('input'))}"


def _shown(value: Any) -> str:
    # Short scalars help; a prompt or a document would bury the sentence, and must not reach a log.
    if isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= _SHOWN_CHARACTERS):
        return f" (it is {value!r})"
    return ""


def _suggestion(location: tuple[int | str, ...], model: type[BaseModel]) -> str:
    known = _fields_at(location[:-1], model)
    near = difflib.get_close_matches(str(location[-1]), known, n=1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; known here: {', '.join(sorted(known))}" if known else "; remove it"


def _fields_at(path: tuple[int | str, ...], annotation: Any) -> list[str]:
    """Names of the fields that a model has at `path`, walking through mappings, tuples and optional types."""
    for candidate in _alternatives(annotation):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            if not path:
                return [name for name, field in candidate.model_fields.items() if not field.exclude]
            field = candidate.model_fields.get(str(path[0]))
            if field is not None:
                return _fields_at(path[1:], field.annotation)
        elif path and get_origin(candidate) in {dict, tuple, list}:
            values = [argument for argument in get_args(candidate) if argument is not Ellipsis]
            return _fields_at(path[1:], values[-1])
    return []


def _alternatives(annotation: Any) -> list[Any]:
    origin = get_origin(annotation)
    if origin is typing.Annotated:
        return _alternatives(get_args(annotation)[0])
    if origin in {Union, types.UnionType}:
        return [alternative for argument in get_args(annotation) for alternative in _alternatives(argument)]
    return [annotation]
