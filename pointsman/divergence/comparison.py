"""What a comparison of two answers finds, in a form that a reviewer can read."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Verdict = Literal["agree", "disagree", "cannot_tell"]
Rule = Literal[
    "jaccard",
    "identical",
    "empty",
    "refusal",
    "structured",
    "code",
    "choice",
    "output",
    "date",
    "yes_no",
    "number",
    "fact",
    "prose",
]
_SHOWN = 200
MOST_DIFFERENCES = 20
"""More are counted but not listed: nobody reads them, and an answer's payload is bounded."""


class Difference(BaseModel):
    """One point at which the answers part."""

    model_config = ConfigDict(frozen=True)

    what: str
    """The point: a field's path, "number", "choice", a statement's place."""
    why: str
    """In what way they differ, as half a sentence."""
    a: str
    b: str
    """What each says there, cut where it is long."""

    def mirrored(self) -> Difference:
        """The same point, seen from the other answer."""
        return Difference(what=self.what, why=self.why, a=self.b, b=self.a)


class Comparison(BaseModel):
    """Whether two answers agree; mirrored when the answers change places."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    similarity: float
    """0 to 1, of what was compared: final answers are the same or not, fields, trees and words may be so in part."""
    differences: tuple[Difference, ...] = ()
    detector: Rule
    """The rule that decided."""

    def mirrored(self) -> Comparison:
        """The comparison of the second answer with the first."""
        return self.model_copy(update={"differences": tuple(one.mirrored() for one in self.differences)})


def difference(what: str, why: str, a: object, b: object) -> Difference:
    """A difference whose texts are fit to be shown and sent."""
    return Difference(what=excerpt(what), why=why, a=excerpt(str(a)), b=excerpt(str(b)))


def excerpt(text: str) -> str:
    """The beginning and the end of a text on one line, without what UTF-8 cannot carry."""
    if len(text) > _SHOWN:
        text = f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 2 :]}"
    return " ".join(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").split())


def same(rule: Rule, similarity: float = 1.0) -> Comparison:
    """They agree."""
    return Comparison(verdict="agree", similarity=round(similarity, 3), detector=rule)


def differ(rule: Rule, *differences: Difference, similarity: float = 0.0) -> Comparison:
    """They disagree, and this is where."""
    return Comparison(
        verdict="disagree",
        similarity=round(similarity, 3),
        differences=differences[:MOST_DIFFERENCES],
        detector=rule,
    )


def unclear(rule: Rule, *differences: Difference, similarity: float) -> Comparison:
    """Nobody can tell by this rule; the differences say what a person should look at."""
    return differ(rule, *differences, similarity=similarity).model_copy(update={"verdict": "cannot_tell"})


def decided(rule: Rule, point: Difference, *, equal: bool) -> Comparison:
    """For a single value: the same or not, with the one point that there is."""
    return same(rule) if equal else differ(rule, point)
