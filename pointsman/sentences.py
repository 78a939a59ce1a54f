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


def sentences(error: ValidationError, model: type[BaseModel], *, toml: bool = False) -> list[str]:
    """Pydantic's errors about `model` as sentences that start with the field's path; `toml` says a file is at fault."""
    return [shortened(_sentence(detail, model, toml=toml)) for detail in error.errors(include_url=False)]


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


def file_fault(fault: OSError | UnicodeDecodeError) -> str:
    """Why a file's text cannot be had, and what to do; to stand behind the file's name."""
    if isinstance(fault, UnicodeDecodeError):
        return f"cannot be read (byte {fault.start + 1} is not UTF-8); convert it"
    return f"cannot be read ({fault.strerror}); give a file that this process may read"


def _sentence(detail: ErrorDetails, model: type[BaseModel], *, toml: bool) -> str:
    location = tuple(step for step in detail["loc"] if step != "[key]")
    path = ".".join(str(step) for step in location)
    problem = detail["msg"].removeprefix("Value error, ")
    match detail["type"]:
        case "extra_forbidden":
            problem = f"unknown key{_suggestion(location, model)}"
        case "missing":
            problem = "missing; it is required"
        case "string_unicode":
            problem = _NOT_UNICODE
        case "json_invalid" if "hex escape" in problem:
            # Half of a pair, written as an escape such as \\ud800.
            problem = _NOT_UNICODE
        case "model_type" | "dict_type":
            wanted = _table(path, location, detail.get("input"), model) if toml else "input should be an object"
            problem = f"{wanted}{_shown(detail.get('input'))}"
        case "value_error":
            # What is wrong between the fields of a table names the one to change.
            named = path and problem.partition(": ")[0] in _fields_at(location, model)
            return f"{path}{'.' if named else ': '}{problem}" if path else problem
        case _:
            problem = f"{problem[:1].lower()}{problem[1:]}{_shown(detail.get('input'))}"
    return f"{path or 'input'}: {problem}"


def _table(path: str, location: tuple[int | str, ...], given: Any, model: type[BaseModel]) -> str:
    """What to write where a table of TOML belongs: a table, or tables by name."""
    inner = "" if _fields_at(location, model) or not _fields_at((*location, "NAME"), model) else ".NAME"
    if isinstance(given, list):
        return f"is a table and not a list; write [{path}{inner}] in single brackets and its keys below"
    return f"is a table; write [{path}{inner}] on a line of its own and its keys below"


def _shown(value: Any) -> str:
    # Short scalars help; a prompt or a document would bury the sentence, and must not reach a log.
    if isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= _SHOWN_CHARACTERS):
        return f" (it is {value!r})"
    return ""


def _suggestion(location: tuple[int | str, ...], model: type[BaseModel]) -> str:
    known = _fields_at(location[:-1], model)
    given = str(location[-1])
    near = difflib.get_close_matches(given, known)
    if near:
        # Of the similar ones that with the longest common beginning: hedge is meant for hedging, not for ledger.
        return f"; did you mean {max(near, key=lambda name: _beginning(given, name))}?"
    return f"; known here: {', '.join(sorted(known))}" if known else "; remove it"


def _beginning(one: str, other: str) -> int:
    """How many letters two names begin with alike."""
    unlike = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(unlike, min(len(one), len(other)))


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
