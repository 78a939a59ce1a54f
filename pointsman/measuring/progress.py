"""How far a run is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SittingProgress(BaseModel):
    """How far one provider's model is."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str = ""
    done: int = 0
    of: int = 0


class RunProgress(BaseModel):
    """How far all of them are; none before the run is planned."""

    model_config = ConfigDict(frozen=True)

    sittings: tuple[SittingProgress, ...] = ()

    @property
    def done(self) -> int:
        """Questions that have been asked and marked."""
        return sum(one.done for one in self.sittings)

    @property
    def of(self) -> int:
        """Questions altogether."""
        return sum(one.of for one in self.sittings)

    def advanced(self, sitting: SittingProgress) -> RunProgress:
        """The same with one of them further."""
        return RunProgress(
            sittings=tuple(
                sitting if (one.provider, one.model) == (sitting.provider, sitting.model) else one
                for one in self.sittings
            )
        )

    def in_words(self) -> str:
        """One line for a terminal."""
        each = ", ".join(f"{one.provider} {one.done}/{one.of}" for one in self.sittings)
        return f"{self.done} of {self.of} questions: {each}" if self.sittings else "not begun"
