"""A decision and its explanation as the JSON of `pointsman route --json`."""

from __future__ import annotations

from typing import Any

from pointsman.decision import Decision
from pointsman.explanation.explain import Explanation
from pointsman.explanation.sentences import in_words


def decision_document(decision: Decision, explanation: Explanation, *, live: bool = False) -> dict[str, Any]:
    """`live` says whether it knew how the providers are."""
    return {
        "health": "live" if live else "unknown",
        "query_type": decision.query_type,
        "confidence": decision.classification_confidence,
        "classifier": decision.classifier,
        "complexity": decision.complexity,
        "route": decision.route,
        "reason": decision.reason,
        "order": decision.order,
        "policy": decision.policy,
        "weights": decision.weights.model_dump(),
        "rule": explanation.rule,
        "read_in_part": explanation.in_part,
        "figures": decision.figures,
        "catalogue_version": decision.catalogue_version,
        "warnings": list(decision.warnings),
        "candidates": [
            {
                "provider": candidate.provider,
                "model": candidate.model,
                "score": candidate.score,
                "terms": candidate.terms.model_dump(mode="json"),
                "estimated_cost_usd": candidate.estimated_cost_usd,
                "cooling": candidate.standing.cooling,
                "ramping": candidate.standing.ramping,
            }
            for candidate in decision.candidates
        ],
        "rejected": [rejection.model_dump(mode="json") for rejection in decision.rejected],
        "type_reasons": explanation.kind.model_dump(mode="json"),
        "complexity_reasons": [reason.model_dump() for reason in decision.complexity_reasons],
        "what_if": [{**found.model_dump(mode="json"), "in_words": in_words(found)} for found in explanation.what_ifs],
    }
