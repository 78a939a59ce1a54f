"""Does a provider answer worse than it usually does? Each response is compared with the provider's own baseline.

    detector = Detector(ThrottlingSettings())
    verdict = detector.judge(sample, now, count_refusals=True)   # verdict.reasons, verdict.cool

Sources: ensemble document, "Throttling detector"; resilience specification, section 11. Hedge losers and probes are
not to be judged. One detector serves one process and is not thread-safe.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pointsman.provider import Amount, Share

Signal = Literal["refusal", "latency", "length", "density"]

_WORD = re.compile(r"\w+")
_EVIDENCE_OF = 6
_EVIDENCE = 3
_AGREEING = 12
_BASELINE_AGE_S = 1800.0


class ThrottlingSettings(BaseModel):
    """The table `[throttling]`: when a response is flagged, and what follows. Defaults: the source document's."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    window: Annotated[int, Field(ge=1, le=1000)] = 6
    """How many unflagged responses make a provider's baseline."""
    min_history: Annotated[int, Field(ge=1, le=1000)] = 2
    """With fewer than these, all providers' baselines stand in."""
    latency_factor: Annotated[float, Field(ge=1, allow_inf_nan=False)] = 3.0
    length_ratio: Share = 0.4
    density_drop: Share = 0.35
    cooldown_calls: Annotated[int, Field(ge=0, le=10_000)] = 3
    """Router calls for which a flagged provider is skipped."""
    cooldown_s: Amount = 0.0
    """Seconds for which the whole fleet avoids it besides."""
    action: Literal["each", "evidence"] = "each"
    """What cools a provider down: each flag, or 3 in the last 6 responses; the latter also learns a lasting change.

    Either way a provider that is compared with others, having no baseline of its own, comes to one in the end.
    """
    class_by: Literal["query_type", "none"] = "query_type"
    failure_cooldown_calls: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Router calls for which a failed provider is skipped; 0 leaves failures to the breaker."""

    @model_validator(mode="after")
    def _baseline_can_fill(self) -> Self:
        if self.min_history > self.window:
            raise ValueError(f"min_history: {self.min_history} answers never fit into window ({self.window}); lower it")
        return self


class Sample(BaseModel):
    """A response, as far as the detector looks at it."""

    model_config = ConfigDict(frozen=True)

    provider: str
    query_type: str
    latency_s: float
    output_tokens: int | None
    """`None` where the provider reported no usage: then length is not compared."""
    text: str
    refused: bool = False


class Flag(BaseModel):
    """One way in which a response falls out of its baseline; as text, the source document's sentence for it."""

    model_config = ConfigDict(frozen=True)

    signal: Signal
    value: float = 0.0
    """Seconds, tokens or density of the response."""
    median: float = 0.0
    """The same of its baseline."""

    def __str__(self) -> str:
        """Such as "latency 3.00s vs median 0.80s"."""
        match self.signal:
            case "refusal":
                return "refusal"
            case "latency":
                return f"latency {self.value:.2f}s vs median {self.median:.2f}s"
            case "length":
                return f"length {self.value:.0f} vs median {self.median:.0f}"
            case "density":
                return f"density {self.value:.2f} vs median {self.median:.2f}"


class Verdict(BaseModel):
    """What the detector says of one response."""

    model_config = ConfigDict(frozen=True)

    flags: tuple[Flag, ...] = ()
    """In the order refusal, latency, length, density; empty = as usual."""
    cool: bool = False
    """Whether the provider is to be avoided for a while and the next candidate tried."""
    rebased: bool = False
    """Whether the provider's lasting new behaviour has just become its baseline (event `baseline_rebased`)."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """The flags as sentences."""
        return tuple(str(flag) for flag in self.flags)


@dataclass(frozen=True)
class Measure:
    """The three figures of a response that are compared; `None` = unknown, not compared."""

    latency_s: float
    output_tokens: int | None
    density: float | None


def density(text: str) -> float | None:
    """Distinct words over all words, lower-cased; `None` for a text without words."""
    words = _WORD.findall(text.lower())
    return len(set(words)) / len(words) if words else None


def compared(measure: Measure, baseline: Iterable[Measure], settings: ThrottlingSettings) -> tuple[Flag, ...]:
    """The flags of a response against a baseline, all strict; an empty baseline and a median of 0 flag nothing."""
    usual = tuple(baseline)
    latency = _median(one.latency_s for one in usual)
    tokens = _median(one.output_tokens for one in usual)
    dense = _median(one.density for one in usual)
    flags: list[Flag] = []
    if latency and measure.latency_s > settings.latency_factor * latency:
        flags.append(Flag(signal="latency", value=measure.latency_s, median=latency))
    if tokens and measure.output_tokens is not None and measure.output_tokens < settings.length_ratio * tokens:
        flags.append(Flag(signal="length", value=measure.output_tokens, median=tokens))
    if dense is not None and measure.density is not None and dense - measure.density > settings.density_drop:
        flags.append(Flag(signal="density", value=measure.density, median=dense))
    return tuple(flags)


def agree(measures: Iterable[Measure], settings: ThrottlingSettings) -> bool:
    """Whether no response falls out of a baseline that all of them together would be."""
    together = tuple(measures)
    return not any(compared(one, together, settings) for one in together)


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


class _History:
    """What is remembered of one provider in one class of questions."""

    def __init__(self, settings: ThrottlingSettings) -> None:
        self.baseline: deque[tuple[Measure, float]] = deque(maxlen=settings.window)
        self.recent: deque[bool] = deque(maxlen=_EVIDENCE_OF)
        enough = settings.window if settings.action == "each" else _AGREEING
        self.shadow: deque[tuple[Measure, float]] = deque(maxlen=enough)
        """Flagged responses in a row; when it is full of such as agree, they are what is usual."""


class Detector:
    """The baselines of one process, by provider and query type."""

    def __init__(self, settings: ThrottlingSettings) -> None:
        """Start without a baseline: the first response of a class can only be flagged as a refusal."""
        self._settings = settings
        self._classes: defaultdict[str, dict[str, _History]] = defaultdict(dict)

    def judge(self, sample: Sample, now: float, *, count_refusals: bool) -> Verdict:
        """Compare a response, then add it to the baseline unless it is flagged.

        Args:
            sample: The response.
            now: Monotonic seconds; only the age of a baseline depends on it.
            count_refusals: Whether the route asks the next provider after a refusal. Where it does not, a refusal is
                an answer like any other to its reader, but neither compared nor learnt from.
        """
        if sample.refused and not count_refusals:
            return Verdict()
        alike = self._classes["" if self._settings.class_by == "none" else sample.query_type]
        history = alike.setdefault(sample.provider, _History(self._settings))
        measure = Measure(sample.latency_s, sample.output_tokens, density(sample.text))
        baseline = self._baseline(history, alike)
        flags = compared(measure, (one for one, _ in baseline), self._settings)
        if sample.refused:
            flags = (Flag(signal="refusal"), *flags)
        history.recent.append(bool(flags))
        if not flags:
            history.baseline.append((measure, now))
            history.shadow.clear()
            return Verdict()
        if self._settings.action == "each":
            founded = not sample.refused and self._founds(history, (measure, now))
            return Verdict(flags=flags, cool=not founded, rebased=founded)
        # A refusal says nothing of how fast or long the provider's answers have become.
        if not sample.refused:
            history.shadow.append((measure, now))
            if self._rebase_due(history, baseline, now):
                _rebase(history)
                return Verdict(flags=flags, rebased=True)
        return Verdict(flags=flags, cool=sum(history.recent) >= _EVIDENCE)

    def forget(self, provider: str) -> None:
        """Begin anew with a provider: its answers come from another model now."""
        for alike in self._classes.values():
            alike.pop(provider, None)

    def _baseline(self, history: _History, alike: dict[str, _History]) -> list[tuple[Measure, float]]:
        if self._has_own(history):
            return list(history.baseline)
        return [entry for one in alike.values() for entry in one.baseline]

    def _has_own(self, history: _History) -> bool:
        return len(history.baseline) >= self._settings.min_history

    def _founds(self, history: _History, flagged: tuple[Measure, float]) -> bool:
        """Whether a flagged response completes a baseline for a provider that has only been held against others.

        One that is slower, terser or plainer than they are by nature would else be flagged for ever.
        """
        if self._has_own(history):
            return False
        history.shadow.append(flagged)
        if not self._agrees(history):
            return False
        _rebase(history)
        return True

    def _agrees(self, history: _History) -> bool:
        full = len(history.shadow) == history.shadow.maxlen
        return full and agree((one for one, _ in history.shadow), self._settings)

    def _rebase_due(self, history: _History, baseline: list[tuple[Measure, float]], now: float) -> bool:
        if self._agrees(history):
            return True
        # One odd response after a quiet half hour is no new behaviour yet.
        old = bool(baseline) and now - max(at for _, at in baseline) > _BASELINE_AGE_S
        return old and len(history.shadow) >= self._settings.min_history


def _rebase(history: _History) -> None:
    history.baseline.clear()
    history.baseline.extend(history.shadow)
    history.shadow.clear()
    history.recent.clear()
