"""`EvalSuite`: the cases of one task, complete, with what a result must reach; and the file that heads them."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

from pointsman.examination.case import Case
from pointsman.examination.check import Check, Judge

_Threshold = Annotated[float, Field(gt=0, le=1)]


class SuiteHead(BaseModel):
    """The file `suite.toml`: what holds for all cases, and for those that say nothing else."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    description: Annotated[str, Field(min_length=1, max_length=500)]
    threshold: _Threshold
    """Share of the cases that must pass."""
    checks: tuple[Check, ...] = ()
    """Of cases that list none."""
    system: str | None = None
    schema_: Annotated[str | None, Field(alias="schema")] = None
    """Name of a JSON Schema in the suite's folder, for cases that bring none; without it the route's counts."""
    max_output_tokens: Annotated[int, Field(gt=0)] | None = None
    judge: str | None = None
    """The task whose route judges answers, where a check asks for a judge."""


class EvalSuite(BaseModel):
    """A suite whose cases stand for themselves: nothing of its head, or of the route, is needed to ask and to mark."""

    model_config = ConfigDict(frozen=True)

    task: str
    description: str
    threshold: _Threshold
    judge: str | None = None
    cases: tuple[Case, ...]
    route_schema: dict[str, Any] | None = None
    """The route's, also where no case is asked with it: what passed says nothing of answers in another form."""

    @cached_property
    def digest(self) -> str:
        """By which a result knows its suite: another case, check, schema, route's schema or threshold gives another."""
        content = self.model_dump(mode="json", by_alias=True, exclude={"description"})
        if self.route_schema is None:
            del content["route_schema"]  # results from before there was this field keep their suite
        # Keys in order: a schema that is merely written in another order is the same.
        return hashlib.sha256(to_json(_ordered(content))).hexdigest()

    @property
    def judges(self) -> bool:
        """Whether a judge is asked."""
        return any(isinstance(check, Judge) for case in self.cases for check in case.checks)


def completed(head: SuiteHead, cases: tuple[Case, ...], schema: dict[str, Any] | None) -> tuple[Case, ...]:
    """The cases with what the suite says for those that say nothing else."""
    return tuple(_completed(case, head, schema).filled() for case in cases)


def _completed(case: Case, head: SuiteHead, schema: dict[str, Any] | None) -> Case:
    defaults: dict[str, Any] = {
        "system": head.system,
        "checks": head.checks,
        "response_schema": schema,
        "max_output_tokens": head.max_output_tokens,
    }
    missing = {name: value for name, value in defaults.items() if not getattr(case, name)}
    return case.model_copy(update=missing)


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(inner) for inner in value] if isinstance(value, list) else value
