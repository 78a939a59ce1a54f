"""Where two members of a panel part, with their names: what a reviewer looks at."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict

from pointsman.divergence.comparison import Difference


class Dissent(BaseModel):
    """One point at which two providers' answers differ."""

    model_config = ConfigDict(frozen=True)

    what: str
    """The point: a field's path, "number", "choice", a statement's place."""
    why: str
    providers: tuple[str, str]
    says: tuple[str, str]
    """What each says there, cut where it is long."""

    @classmethod
    def of(cls, difference: Difference, first: str, second: str) -> Self:
        """A difference between the answers of two providers."""
        return cls(
            what=difference.what, why=difference.why, providers=(first, second), says=(difference.a, difference.b)
        )

    @property
    def in_words(self) -> str:
        """One line."""
        said = "; ".join(f"{name}: {text!r}" for name, text in zip(self.providers, self.says, strict=True))
        return f"{self.what}: {self.why} ({said})"
