"""`Marks`: how one answer stood the checks of its case, and why not where it did not."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

MarkedAs = Literal["passed", "failed", "error"]

JUDGEMENT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"passed": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["passed", "reason"],
    "additionalProperties": False,
}
"""What a judge answers in."""


class Judgement(BaseModel):
    """What a judge finds of an answer under one rubric."""

    model_config = ConfigDict(frozen=True)

    passed: bool
    reason: str = ""


class CheckMark(BaseModel):
    """How an answer stood one check."""

    model_config = ConfigDict(frozen=True)

    check: str
    """Its kind, such as "number"."""
    passed: bool
    why: str = ""
    """A sentence where it is not passed."""


class Marks(BaseModel):
    """How an answer stood all checks of its case."""

    model_config = ConfigDict(frozen=True)

    case: str
    checks: tuple[CheckMark, ...] = ()
    rubrics: tuple[str, ...] = ()
    """By which a judge has still to look at the answer; none where it has failed anyhow."""
    no_answer: str = ""
    """Why there is nothing to mark, for a reason that tells nothing of the model: a sentence."""

    @property
    def outcome(self) -> MarkedAs:
        """Passed, failed, or without an answer that could be marked."""
        if self.no_answer:
            return "error"
        return "passed" if all(mark.passed for mark in self.checks) else "failed"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not passed: a sentence a check, or why there was no answer."""
        if self.no_answer:
            return (self.no_answer,)
        return tuple(f"{mark.check}: {mark.why}" for mark in self.checks if not mark.passed)

    def judged(self, judgements: tuple[Judgement, ...]) -> Marks:
        """The marks with the judge's, one for each rubric."""
        found = tuple(
            CheckMark(check="judge", passed=one.passed, why="" if one.passed else f"the judge says: {one.reason[:500]}")
            for one in judgements
        )
        return self.model_copy(update={"checks": (*self.checks, *found), "rubrics": ()})

    def unjudged(self, why: str) -> Marks:
        """The marks where no judge could be asked: nothing is known of the answer then."""
        return self.model_copy(update={"rubrics": (), "no_answer": f"no judge: {why}"})
