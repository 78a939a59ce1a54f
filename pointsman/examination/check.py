"""The checks that an answer can be put to, as they stand in a file: `{"check": "number", "value": 5}`.

A check without a value of its own takes the case's `expected`, one without a schema the case's `response_schema`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pointsman.provider import Share

_Measure = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Text = Annotated[str, StringConstraints(min_length=1)]


class _Check(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Exact(_Check):
    """The whole answer is the value: as text without a final full stop, or as JSON where the answer has a value."""

    check: Literal["exact"] = "exact"
    value: Any = None
    ignore_case: bool = True


class Number(_Check):
    """The number that the answer comes to is the value, within the larger of two tolerances."""

    check: Literal["number"] = "number"
    value: Annotated[float, Field(allow_inf_nan=False)] | None = None
    tolerance: _Measure = 0.0
    """In the value's own unit."""
    relative: _Measure = 0.0
    """As a share of the value."""


class Choice(_Check):
    """Exactly one of the choices is named, and it is the right one."""

    check: Literal["choice"] = "choice"
    among: Annotated[tuple[_Text, ...], Field(min_length=2)]
    value: str | None = None


class Regex(_Check):
    """The pattern is found somewhere in the answer, or, with `absent`, nowhere."""

    check: Literal["regex"] = "regex"
    pattern: _Text
    absent: bool = False


class Contains(_Check):
    """All of the texts occur in the answer (with `any` one of them, with `absent` none), in upper or lower case."""

    check: Literal["contains"] = "contains"
    values: tuple[_Text, ...] = ()
    any: bool = False
    absent: bool = False


class MatchesSchema(_Check):
    """The answer holds JSON that matches the schema."""

    check: Literal["json_schema"] = "json_schema"
    schema_: Annotated[dict[str, Any] | None, Field(alias="schema")] = None


class Fields(_Check):
    """The answer's JSON has these values at these places, such as {"total.amount": 12.5, "items.0.name": "chair"}.

    What it holds besides does not count. Texts are compared without regard to case and white space, and a field that is
    left out is one that is null.
    """

    check: Literal["fields"] = "fields"
    values: dict[str, Any] | None = None
    """By dotted path; without them the case's `expected` is compared, as deep as it goes."""
    tolerance: _Measure = 0.0
    """Of every number, in its own unit."""


class Grounded(_Check):
    """The context supports the answer; by which rule, `pointsman.examination.grounding` says."""

    check: Literal["grounded"] = "grounded"
    min_share: Share = 1.0
    """Of the answer's claims, or of its sentences where it makes none."""


class Refusal(_Check):
    """The model refuses, or says that it cannot or does not know; or it does not."""

    check: Literal["refusal"] = "refusal"
    expected: bool


class WithinLatency(_Check):
    """The request that was answered took no longer."""

    check: Literal["latency"] = "latency"
    max_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)]


class WithinCost(_Check):
    """The answer, with the attempts that it took, cost no more."""

    check: Literal["cost"] = "cost"
    max_usd: _Measure


class Judge(_Check):
    """Another vendor's model finds that the answer meets the rubric."""

    check: Literal["judge"] = "judge"
    rubric: Annotated[str, StringConstraints(min_length=1, max_length=4000)]


Check = Annotated[
    Exact
    | Number
    | Choice
    | Regex
    | Contains
    | MatchesSchema
    | Fields
    | Grounded
    | Refusal
    | WithinLatency
    | WithinCost
    | Judge,
    Field(discriminator="check"),
]
