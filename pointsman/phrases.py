"""How the parts of a decision and of an attempt are put in words: for the Temporal UI and for `pointsman explain`."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.decision import Candidate, Decision, Rejection
from pointsman.outcomes import Attempt
from pointsman.standing import Standing

_LONG_S = 120
_CLASSIFIERS = {"model": "the trained model", "rules": "the rules", "llm": "a provider", "route": "its task"}


def scored(candidate: Candidate) -> str:
    """A candidate with its score and the parts of it."""
    terms = candidate.terms
    return (
        f"{candidate.provider} ({candidate.model}): score {candidate.score:.3f} = fit {terms.fit:.3f} "
        f"- cost {terms.cost_penalty:.3f} - latency {terms.latency_penalty:.3f}"
    )


def score_terms(candidate: Candidate) -> str:
    """What the parts of a candidate's score are made of."""
    terms = candidate.terms
    price = "no price" if terms.cost_per_1k_usd is None else f"${terms.cost_per_1k_usd:.5f} per 1,000 tokens"
    estimate = (
        "" if candidate.estimated_cost_usd is None else f", about {money(candidate.estimated_cost_usd)} an answer"
    )
    failing = f", {terms.error_rate:.0%} of its calls failed lately" if terms.error_rate else ""
    standing = standing_words(candidate.standing)
    return (
        f"strength {terms.strength:.2f}, match {terms.reasoning_match:.2f}, {price}{estimate}, "
        f"{terms.latency_ms:.0f} ms {'measured' if terms.measured else 'declared'}{failing}"
        f"{f'; {standing}' if standing else ''}"
    )


def standing_words(standing: Standing) -> str:
    """Why a candidate comes behind others for its health; empty where nothing speaks against it."""
    if standing.ramping:
        return "just back, so that it gets only a share of the questions"
    if standing.cooling is None:
        return ""
    if standing.calls_left:
        return f"cooling down ({standing.cooling}) for {standing.calls_left} more questions"
    back = "" if standing.recovers_in_s is None else f" for {span(standing.recovers_in_s)}"
    return f"cooling down ({standing.cooling}){back}"


def rejected(rejection: Rejection) -> str:
    """A provider that was not considered, and why."""
    return f"{rejection.provider}: {rejection.reason}{f', {rejection.detail}' if rejection.detail else ''}"


def passed_over(decision: Decision) -> tuple[Rejection, ...]:
    """The rejected members of the chain: that others stand outside of it is no news."""
    return tuple(rejection for rejection in decision.rejected if rejection.reason != "not_in_chain")


def attempted(attempt: Attempt) -> str:
    """An attempt, what came of it and how long it took."""
    return (
        f"{attempt.provider}, attempt {attempt.attempt}: {attempt.outcome}"
        f"{f' ({attempt.kind})' if attempt.kind else ''}"
        f"{'' if attempt.latency_ms is None else f', {attempt.latency_ms:.0f} ms'}"
    )


def paid(attempt: Attempt) -> str:
    """What an attempt cost, and how that is known."""
    if attempt.cost_usd is None:
        return "unknown cost"
    if attempt.cost_usd == 0:
        return "free"
    return money(attempt.cost_usd) if attempt.usage.source == "reported" else f"about {money(attempt.cost_usd)}"


def paid_together(usd: float, attempts: Sequence[Attempt]) -> str:
    """What attempts have cost, and whether some of it is an estimate."""
    estimated = any(attempt.usage.source != "reported" and attempt.cost_usd for attempt in attempts)
    return f"about {money(usd)}" if estimated else money(usd)


def money(usd: float) -> str:
    """An amount in USD."""
    return f"${usd:.6f}"


def classifier_words(classifier: str) -> str:
    """Who said what kind of question it is."""
    return _CLASSIFIERS.get(classifier, classifier)


def span(seconds: float) -> str:
    """A duration, as precise as a reader needs it."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < _LONG_S:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    told = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(told[:2])
