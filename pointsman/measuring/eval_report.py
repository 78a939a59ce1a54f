"""`EvalReport`: how models stood a task's suite, case by case; the result of the workflow `EvalRun`."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from pointsman.catalogue.evaluation import Evaluation, EvaluationVerdict
from pointsman.intervals import share_interval
from pointsman.measuring.figures import cost_usd, judging_usd, latencies, percentile
from pointsman.measuring.sitting import CaseResult, Plan, SittingResult

_NEARLY = 1e-9


class ModelReport(BaseModel):
    """How one provider's model stood the suite."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    model_served: str | None = None
    cases: int
    passed: int
    errors: int
    """Cases without an answer that could be marked, for a fault that tells nothing of the model."""
    low: float
    """Of the interval of 95 % of its score, over the cases that could be marked."""
    high: float
    verdict: EvaluationVerdict
    p50_ms: float | None = None
    p95_ms: float | None = None
    cost_usd: float | None = None
    """Of its answers; `None` where it is not known."""
    judging_usd: float | None = 0.0
    """Of the judges besides."""
    results: tuple[CaseResult, ...]

    @property
    def score(self) -> float:
        """Share of the cases that passed."""
        return self.passed / self.cases if self.cases else 0.0

    @property
    def failing(self) -> tuple[CaseResult, ...]:
        """The cases that did not pass."""
        return tuple(result for result in self.results if result.outcome != "passed")


class EvalReport(BaseModel):
    """A suite's run."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    task: str
    description: str = ""
    suite: str
    """Digest of the suite and of the route's schema."""
    threshold: float
    evaluated_at: AwareDatetime
    models: tuple[ModelReport, ...]
    unrecorded: tuple[str, ...] = ()
    """Providers whose result the catalogue could not be told."""

    @property
    def passed(self) -> bool:
        """Whether every model has passed."""
        return all(model.verdict == "passed" for model in self.models)

    def evaluations(self) -> tuple[Evaluation, ...]:
        """What the catalogue keeps of it."""
        return tuple(
            Evaluation(
                task=self.task,
                provider=model.provider,
                model=model.model,
                model_served=model.model_served,
                suite=self.suite,
                cases=model.cases,
                passed=model.passed,
                errors=model.errors,
                threshold=self.threshold,
                verdict=model.verdict,
                evaluated_at=self.evaluated_at,
                cost_usd=model.cost_usd,
            )
            for model in self.models
        )


def model_report(done: SittingResult, plan: Plan) -> ModelReport:
    """What a sitting comes to."""
    results = done.results
    passed = sum(result.outcome == "passed" for result in results)
    errors = sum(result.outcome == "error" for result in results)
    low, high = share_interval(passed, len(results) - errors)
    took = latencies(results)
    return ModelReport(
        provider=done.sitting.provider,
        model=done.sitting.model,
        model_served=done.model_served,
        cases=len(results),
        passed=passed,
        errors=errors,
        low=low,
        high=high,
        verdict=verdict(passed, errors, len(results), plan.threshold),
        p50_ms=percentile(took, 0.5),
        p95_ms=percentile(took, 0.95),
        cost_usd=cost_usd(results),
        judging_usd=judging_usd(results),
        results=results,
    )


def verdict(passed: int, errors: int, cases: int, threshold: float) -> EvaluationVerdict:
    """Passed or failed, whatever the cases in error would have come to; inconclusive where these decide."""
    needed = threshold * cases - _NEARLY
    if passed >= needed:
        return "passed"
    return "failed" if passed + errors < needed else "inconclusive"
