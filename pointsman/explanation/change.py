"""A change of configuration, question or type, as data: so that what is said of it can be tried.

>>> applied((Setting(where="question", path=("max_latency_ms",), value=900.0),), question, configuration)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pointsman.configuration import Configuration
from pointsman.messages import Question


class Setting(BaseModel):
    """One key of the configuration's tables or of the question, and the value that it would have.

    `where` is "type" for what a question would have to be taken for, which is no key of anything.
    """

    model_config = ConfigDict(frozen=True)

    where: Literal["configuration", "question", "type"]
    path: tuple[str, ...]
    value: Any


def applied(
    settings: Iterable[Setting], question: Question, configuration: Configuration
) -> tuple[Question, Configuration]:
    """Question and configuration with these settings; a type's are for the caller to take account of.

    Raises:
        ValidationError: a value that its key may not have.
    """
    asked, tables = question.model_dump(exclude_unset=True), configuration.model_dump(mode="json", exclude_unset=True)
    for setting in settings:
        if setting.where != "type":
            _set(asked if setting.where == "question" else tables, setting)
    read = {"schemas": configuration.schemas, "suites": configuration.suites}
    return Question.model_validate(asked), Configuration.model_validate(tables).model_copy(update=read)


def _set(tables: dict[str, Any], setting: Setting) -> None:
    for key in setting.path[:-1]:
        tables = tables.setdefault(key, {})
    tables[setting.path[-1]] = setting.value
