"""What somebody wants to have measured: the inputs of the workflows `EvalRun` and `ProfileRun`."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pointsman.provider import Price

SAMPLES = 12
MAX_SAMPLES = 100

_Models = dict[str, Annotated[str, Field(min_length=3, max_length=300)]]


class EvalRequest(BaseModel):
    """Put models to the suite of a task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    providers: tuple[str, ...] = ()
    """None are the enabled members of the task's chain."""
    models: _Models = {}
    """By provider: another model than the one in the configuration, such as the new one of an upgrade."""
    prices: dict[str, Price] = {}
    """Of those models; without one their cost is unknown."""


class ProfileRequest(BaseModel):
    """Put models to the benchmark."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    providers: tuple[str, ...] = ()
    """None are all that are enabled."""
    samples: Annotated[int, Field(ge=1, le=MAX_SAMPLES)] = SAMPLES
    """Questions of each query type; fewer where the benchmark has fewer."""
    models: _Models = {}
    prices: dict[str, Price] = {}
