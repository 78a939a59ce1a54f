"""A decision as one line of JSON: what was known, who was chosen, who else there was, who was passed over and why."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from pointsman.decision import Candidate, Decision, Rejection
from pointsman.steps import ScoringRequest


def decision_line(request: ScoringRequest, decision: Decision, *, run_id: str, with_prompt: bool) -> str:
    """The line, without its end; the same question decided anew, after a wait say, gives another one.

    Args:
        request: What was decided about.
        decision: What came of it.
        run_id: The run of the question's workflow.
        with_prompt: Whether the question's own words are told.
    """
    question = request.question
    candidates = [_candidate(candidate) for candidate in decision.candidates]
    told: dict[str, Any] = {
        "at": (request.asked_at or datetime.now(UTC)).isoformat(),
        "workflow_id": request.question_id,
        "run_id": run_id,
        "task": question.task,
        "stakes": decision.stakes,
        "query_type": decision.query_type,
        "confidence": decision.classification_confidence,
        "classifier": decision.classifier,
        "complexity": decision.complexity,
        "complexity_reasons": [reason.model_dump(mode="json") for reason in decision.complexity_reasons],
        "route": decision.route,
        "order": decision.order,
        "policy": decision.policy,
        "weights": decision.weights.model_dump(),
        "reason": decision.reason,
        "choice": candidates[0] if candidates else None,
        "alternatives": candidates[1:],
        "rejected": [_rejection(rejection) for rejection in decision.rejected],
        "panel": None if decision.panel is None else decision.panel.model_dump(mode="json"),
        "shadow": None if decision.shadow is None else decision.shadow.candidate.model,
        "hedge": decision.hedge,
        "catalogue_version": decision.catalogue_version,
        "figures": decision.figures,
        "warnings": decision.warnings,
        "max_cost_per_1k_usd": decision.max_cost_per_1k_usd,
        "max_latency_ms": decision.max_latency_ms,
    }
    if with_prompt:
        told["prompt"] = question.text
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "provider": candidate.provider,
        "model": candidate.model,
        "score": candidate.score,
        "terms": candidate.terms.model_dump(),
        "in_flight": candidate.in_flight,
        "estimated_cost_usd": candidate.estimated_cost_usd,
        "standing": candidate.standing.model_dump(mode="json"),
    }


def _rejection(rejection: Rejection) -> dict[str, Any]:
    return rejection.model_dump(exclude_none=True, exclude_defaults=True)
