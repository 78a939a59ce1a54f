"""Which model a vendor says has answered, against the one that was asked for."""

from __future__ import annotations

from pydantic import AwareDatetime, BaseModel, ConfigDict

from pointsman.provider import names_one_version


class ServedModel(BaseModel):
    """What is served under a provider's model string."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: str
    model: str
    served: str
    since: AwareDatetime
    """When it was first seen."""
    before: str | None = None
    """What was served until then."""
    accepted: bool = True
    """False once it has changed, or contradicts the pin, until an operator accepts it or the model is profiled anew."""

    @property
    def key(self) -> str:
        """The breaker's key of the model."""
        return f"{self.provider}/{self.model}"


def matches(model: str, served: str) -> bool:
    """Whether a served name is that of the model asked for, give or take what vendors put around and into it.

    A name that is merely part of the one asked for counts only if it names a version itself: `gpt-5` may be any.

    >>> matches("openai/gpt-5.2-2026-08-15", "gpt-5.2-2026-08-15")
    True
    >>> matches("bedrock/anthropic.claude-sonnet-5-20260801-v1:0", "claude-sonnet-5-20260801")
    True
    >>> matches("vertex_ai/claude-sonnet-5@20260801", "claude-sonnet-5-20260801")
    True
    >>> matches("openai/gpt-5.2-2026-08-15", "gpt-5.2-2026-11-01")
    False
    >>> matches("openai/gpt-5-mini-2026-06-01", "gpt-5")
    False
    """
    wanted, found = _letters(model), _letters(served)
    return wanted in found or (found in wanted and names_one_version(served))


def _letters(name: str) -> str:
    """The last part of a name without its punctuation: a date is written with hyphens, and without."""
    return "".join(filter(str.isalnum, name.rpartition("/")[2].casefold()))
