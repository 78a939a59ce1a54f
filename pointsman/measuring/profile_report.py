"""`ProfileReport`: what models did with the benchmark; the result of the workflow `ProfileRun`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from pointsman.catalogue.profile import POINTS_TO_JOIN, Profile, TypeFigures
from pointsman.measuring.figures import cost_usd, latencies, mean_tokens, percentile
from pointsman.measuring.sitting import CaseResult, Plan, SittingResult
from pointsman.query_types import QueryType


class ProfileReport(BaseModel):
    """A benchmark's run."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    benchmark: str
    measured_at: AwareDatetime
    profiles: tuple[Profile, ...]
    failing: dict[str, tuple[CaseResult, ...]] = {}
    """By provider and model: the questions that it did not answer, or not rightly."""
    unrecorded: tuple[str, ...] = ()
    """Providers whose profile the catalogue could not be told."""

    def lacking(self) -> dict[str, tuple[QueryType, ...]]:
        """By provider and model: the types of which it has answered too few questions to serve them."""
        found = {
            profile.key: tuple(
                query_type for query_type, figures in profile.figures.items() if figures.answered < POINTS_TO_JOIN
            )
            for profile in self.profiles
        }
        return {key: types for key, types in found.items() if types}


def profile_report(done: Sequence[SittingResult], plan: Plan, measured_at: datetime) -> ProfileReport:
    """What a run comes to."""
    profiles = [_profile(one, measured_at) for one in done]
    return ProfileReport(
        benchmark=plan.digest,
        measured_at=measured_at,
        profiles=tuple(profiles),
        failing={
            profile.key: tuple(result for result in one.results if result.outcome != "passed")
            for profile, one in zip(profiles, done, strict=True)
        },
    )


def _profile(done: SittingResult, measured_at: datetime) -> Profile:
    """What a sitting comes to."""
    by_type: dict[QueryType, list[CaseResult]] = {}
    for result in done.results:
        by_type.setdefault(result.query_type, []).append(result)
    return Profile(
        provider=done.sitting.provider,
        model=done.sitting.model,
        model_served=done.model_served,
        measured_at=measured_at,
        benchmark=done.sitting.digest,
        figures={query_type: _figures(results) for query_type, results in by_type.items()},
    )


def _figures(results: Sequence[CaseResult]) -> TypeFigures:
    took, (read, written) = latencies(results), mean_tokens(results)
    return TypeFigures(
        samples=len(results),
        answered=sum(result.answered for result in results),
        passed=sum(result.outcome == "passed" for result in results),
        p50_ms=percentile(took, 0.5),
        p95_ms=percentile(took, 0.95),
        mean_input_tokens=read,
        mean_output_tokens=written,
        cost_usd=cost_usd(results),
    )
