"""A decision explained so that a person can disagree with it.

>>> classification, reasons = classified(question, configuration)
>>> decision = decide(question, classification, configuration, circumstances)
>>> explained(question, configuration, decision, reasons, circumstances).what_ifs
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from pointsman.circumstances import Circumstances
from pointsman.classification import of_type
from pointsman.complexity import of_parts, parts_of
from pointsman.configuration import Configuration
from pointsman.decision import Decision
from pointsman.explanation import figures
from pointsman.explanation.change import Setting
from pointsman.explanation.contest import contest_of
from pointsman.explanation.kind import KindReasons
from pointsman.explanation.opening import opening
from pointsman.explanation.what_if import Present, WhatIf
from pointsman.messages import Question
from pointsman.query_types import COMPLEXITY, QueryType
from pointsman.routing import candidacy_for
from pointsman.text_features import HEAD_CHARACTERS, TAIL_CHARACTERS


class Explanation(BaseModel):
    """Beside what the decision itself holds: complexity's reasons, the candidates' terms, the rejections."""

    model_config = ConfigDict(frozen=True)

    kind: KindReasons
    rule: str
    """What the order is by, in a sentence."""
    in_part: bool = False
    """Whether the question is so long that only its beginning and its end were read: for its complexity, and for its
    type where the model tells it.
    """
    what_ifs: tuple[WhatIf, ...]


def explained(
    question: Question,
    configuration: Configuration,
    decision: Decision,
    kind: KindReasons,
    circumstances: Circumstances,
) -> Explanation:
    """Why the decision is as it is; `circumstances` are those that it was made in, `kind` what its type rests on."""
    return Explanation(
        kind=kind,
        rule=rule_of(decision, configuration),
        in_part=configuration.classification.by != "rules" and len(question.text) > HEAD_CHARACTERS + TAIL_CHARACTERS,
        what_ifs=tuple(_what_ifs(question, configuration, decision, circumstances)),
    )


def rule_of(decision: Decision, configuration: Configuration) -> str:
    """What puts the first candidate before the others, in a sentence."""
    if decision.order == "chain":
        return f'as written in {decision.route} (order = "chain"): the scores decide nothing'
    if decision.policy == "cheapest_good":
        share = configuration.scoring.good_enough
        return f"the cheapest expected answer of those with {share:.0%} of the best fit or more, then the others by fit"
    if decision.policy == "best":
        return "the best fit, whatever it costs; of equals the cheaper"
    weights = decision.weights
    return (
        f"the highest score: fit, less {weights.cost:g} x the share of the cost limit, "
        f"less {weights.latency:g} x the share of the latency limit"
    )


def _what_ifs(
    question: Question, configuration: Configuration, decision: Decision, circumstances: Circumstances
) -> Iterator[WhatIf]:
    classification = of_type(decision.query_type, decision.classification_confidence, decision.classifier)
    classification = classification.model_copy(update={"complexity": decision.complexity})
    table, candidacy, _ = candidacy_for(question, classification, configuration, circumstances)
    present = Present.of(contest_of(candidacy, configuration))
    if present.first is not None and decision.order == "score":
        yield from figures.of_weights(present)
        yield from figures.of_good_enough(present)
        yield from figures.of_policies(present)
        yield from figures.of_strengths(present, decision.query_type)
        yield from figures.of_prices(present)
    yield from figures.of_limits(present, own_latency=question.max_latency_ms is not None)
    yield from _of_types(question, configuration, decision, circumstances)
    for rejection in decision.rejected:
        found = opening(candidacy, table, rejection.provider, configuration.providers[rejection.provider])
        if found is not None:
            yield found


def _of_types(
    question: Question, configuration: Configuration, decision: Decision, circumstances: Circumstances
) -> Iterator[WhatIf]:
    """Other types, where none is fixed, whose chains put another one first."""
    if question.task is not None:
        return
    by_rules = configuration.classification.by == "rules"
    parts = () if by_rules else parts_of(question.text)
    first = decision.candidates[0].provider if decision.candidates else None
    for query_type in QueryType:
        if query_type == decision.query_type:
            continue
        complexity = COMPLEXITY[query_type] if by_rules else of_parts(parts, query_type).value
        classification = of_type(query_type, 1.0).model_copy(update={"complexity": complexity})
        _, candidacy, _ = candidacy_for(question, classification, configuration, circumstances)
        found = contest_of(candidacy, configuration).first
        if found != first:
            setting = Setting(where="type", path=("query_type",), value=query_type)
            yield WhatIf(
                about="type", settings=(setting,), first=found, now=str(decision.query_type), to=str(query_type)
            )
