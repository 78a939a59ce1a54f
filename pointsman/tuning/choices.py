"""Which provider Pointsman's own decision sends each question to, learned from the other folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pointsman.circumstances import Circumstances
from pointsman.classification import Classification, of_type
from pointsman.configuration import Configuration, Scoring
from pointsman.decision import Decision
from pointsman.errors import InvalidOutcomes
from pointsman.messages import Question
from pointsman.provider import Provider
from pointsman.query_types import QueryType
from pointsman.routing import decide
from pointsman.scoring import score
from pointsman.tuning.folds import Fold
from pointsman.tuning.learned import Lengths, Lesson, key, number_of, priced
from pointsman.tuning.outcomes import Asked, Outcomes

Choice = list[int]
"""For each question the place of the provider that answers it."""

_MOST_CHARACTERS = 50_000
"""Of a question's text, as a decision reads it here."""
_TEXTLESS = "-"

Group = Callable[[Asked], int]
"""Questions that strengths are learned from together."""


def together(_asked: Asked) -> int:
    """All questions in one group."""
    return 0


def chosen_by(
    outcomes: Outcomes,
    parts: Sequence[Fold],
    scoring: Scoring,
    owned: dict[str, Provider] | None = None,
    grouped: Callable[[Fold], Group] | None = None,
) -> Choice:
    """What is chosen for each question.

    Raises:
        InvalidOutcomes: no provider may answer a question.
    """
    choice = [0] * len(outcomes.asked)
    for number, _, decision, _ in _decisions(outcomes, parts, scoring, owned or {}, grouped):
        choice[number] = number_of(decision.candidates[0].provider)
    return choice


def swept(
    outcomes: Outcomes,
    parts: Sequence[Fold],
    scoring: Scoring,
    costs: Sequence[float],
    owned: dict[str, Provider] | None = None,
) -> list[Choice]:
    """For each weight of cost what is chosen under it, and else as `scoring` has it.

    Filters and terms are decided once a question; each weight's scores are the production formula's, and of equals
    the earlier one goes first, as in a decision.
    """
    weights = [scoring.formula.model_copy(update={"cost": cost}) for cost in costs]
    found = [[0] * len(outcomes.asked) for _ in costs]
    for number, configuration, decision, lengths in _decisions(outcomes, parts, scoring, owned or {}, None):
        kind = Classification(
            query_type=decision.query_type,
            confidence=decision.classification_confidence,
            complexity=decision.complexity,
        )
        for place, weight in enumerate(weights):
            scored = (
                (
                    -score(
                        configuration.providers[one.provider],
                        kind,
                        weight,
                        cost_per_1k_usd=one.terms.cost_per_1k_usd,
                        max_cost_per_1k_usd=decision.max_cost_per_1k_usd,
                        max_latency_ms=decision.max_latency_ms,
                        live=lengths.live(one.provider, decision.query_type),
                    )[0],
                    number_of(one.provider),
                )
                for one in decision.candidates
            )
            found[place][number] = min(scored)[1]
    return found


def _decisions(
    outcomes: Outcomes,
    parts: Sequence[Fold],
    scoring: Scoring,
    owned: dict[str, Provider],
    grouped: Callable[[Fold], Group] | None,
) -> Iterator[tuple[int, Configuration, Decision, Lengths]]:
    outcomes = priced(outcomes)
    for part in parts:
        learned = [outcomes.asked[number] for number in part.learned]
        lesson = Lesson(outcomes, learned, owned)
        group = together if grouped is None else grouped(part)
        made: dict[tuple[int, bool], Configuration] = {}
        for number in part.judged:
            one = outcomes.asked[number]
            of = (group(one), not one.text)
            if of not in made:
                among = None if grouped is None else [other for other in learned if group(other) == of[0]]
                made[of] = lesson.configuration(scoring, textless=of[1], among=among)
            yield number, made[of], _decision(one, made[of], lesson.lengths, outcomes), lesson.lengths


def _decision(one: Asked, configuration: Configuration, lengths: Lengths, outcomes: Outcomes) -> Decision:
    question = Question(prompt=one.text[:_MOST_CHARACTERS] or _TEXTLESS)
    kind = of_type(one.query_type or QueryType.ANALYSIS, 1.0)
    decision = decide(question, kind, configuration, Circumstances(health=lengths))
    if not decision.candidates:
        names = {key(number): name for number, name in enumerate(outcomes.providers)}
        reasons = ", ".join(f"{names[out.provider]}: {out.reason} ({out.detail})" for out in decision.rejected)
        raise InvalidOutcomes(
            f"question: no provider may answer {one.question!r:.60} ({reasons:.300}); "
            "raise max_cost_per_1k or max_latency_ms of [scoring] in the configuration"
        )
    return decision
