"""Where does a question go? Filters, scores and orders the members of its chain into a `Decision`.

>>> decide(Question(prompt="Compare A and B"), classification, configuration)
"""

from __future__ import annotations

from pointsman.admission import Admission
from pointsman.candidacy import Candidacy
from pointsman.circumstances import Circumstances
from pointsman.classification import Classification, Classifier, of_type
from pointsman.complexity import Complexity, rated
from pointsman.configuration import Configuration, ReviewSettings, Route, Scoring
from pointsman.decision import Candidate, Decision, Rejection
from pointsman.health_order import by_health, with_hedge_delays
from pointsman.messages import Question
from pointsman.panel import Equal, Panel, seated
from pointsman.policy import ranks
from pointsman.prompt import classification_question
from pointsman.review import ReviewTerms
from pointsman.steps import SecondOpinion


class UnknownName(ValueError):
    """The question names a task or a provider that the configuration does not have."""


def classify(question: Question, configuration: Configuration, classifier: Classifier) -> Classification:
    """The question's type: what its task's route says, else what the classifier finds.

    Raises:
        UnknownName: the task is not a route.
    """
    if question.task is None:
        return classifier.classify(question.text)
    route = configuration.routes.get(question.task)
    if route is None:
        known = ", ".join(sorted(configuration.routes)) or "none"
        raise UnknownName(f"task: {question.task!r} is not a route; known: {known}")
    return of_type(route.query_type, 1.0, classifier="route")


def second_opinion(
    question: Question, classification: Classification, configuration: Configuration
) -> SecondOpinion | None:
    """The model to ask what kind of question it is, where the configuration says so and it may take this one."""
    settings = configuration.classification
    if settings.by != "llm" or settings.provider is None or question.task is not None or not question.text.strip():
        return None
    route = Route(chain=(settings.provider,), timeout_s=settings.timeout_s, max_attempts=1)
    asked = classification_question(question)
    candidacy = Candidacy(asked, classification, route, configuration.scoring, asked.response_schema)
    weighed = candidacy.weigh(settings.provider, configuration.providers[settings.provider])
    return (
        None
        if isinstance(weighed, Rejection)
        else SecondOpinion(candidate=weighed, limits=configuration.retry.limits())
    )


def decide(
    question: Question,
    classification: Classification,
    configuration: Configuration,
    circumstances: Circumstances | None = None,
) -> Decision:
    """Order the chain's usable members by health and score and say why the others are out.

    Ties go to the provider with fewer calls under way, then to the order as written. Members that are only cooling
    down stay candidates, behind the others; what is open or barred is out.

    Raises:
        UnknownName: the question allows or denies a provider that does not exist.
    """
    _know_names(question, configuration)
    known = circumstances or Circumstances()
    complexity = _complexity(question, classification, configuration)
    classification = classification.model_copy(update={"complexity": complexity.value})
    table, candidacy, admission = candidacy_for(question, classification, configuration, known)
    route = candidacy.route
    providers = {name: candidacy.effective(name, provider) for name, provider in configuration.providers.items()}
    weighed = [candidacy.weigh(name, provider) for name, provider in providers.items()]
    eligible = _ordered([found for found in weighed if isinstance(found, Candidate)], route, configuration.scoring)
    candidates, barred, reason = by_health(eligible, known.health, question.max_cost_usd)
    if route.hedge:
        candidates = with_hedge_delays(candidates, providers, classification.query_type, known.health)
    return Decision(
        query_type=classification.query_type,
        classification_confidence=classification.confidence,
        classifier=classification.classifier,
        complexity=complexity.value,
        complexity_reasons=complexity.reasons,
        route=table,
        order=route.order,
        policy=configuration.scoring.policy,
        candidates=candidates,
        rejected=(*(found for found in weighed if isinstance(found, Rejection)), *barred),
        weights=configuration.scoring.formula,
        max_cost_per_1k_usd=configuration.scoring.max_cost_per_1k,
        max_latency_ms=candidacy.max_latency_ms,
        min_confidence=route.min_confidence,
        on_refusal=route.on_refusal,
        stakes=question.stakes or route.stakes,
        reason=reason,
        hedge=route.hedge and len(candidates) > 1,
        panel=_panel(question, route, candidates, configuration.review),
        response_schema=candidacy.schema if question.response_schema is None else None,
        limits=configuration.retry.limits().model_copy(update={"charge": _charge(configuration)}),
        max_attempts_per_request=configuration.retry.max_attempts_per_request or max(3, len(candidates) + 1),
        catalogue_version=known.catalogue.version,
        figures="measured" if admission.by_measurement else "declared",
        warnings=tuple(
            warning for name in route.chain if (warning := admission.warning(name, providers[name])) is not None
        ),
        unvalidated=question.task is not None and admission.suite is None,
    )


def candidacy_for(
    question: Question, classification: Classification, configuration: Configuration, known: Circumstances
) -> tuple[str, Candidacy, Admission]:
    """The table of the question's route, and what every provider is weighed against there.

    The classification's complexity is the one that counts.
    """
    table, route = _route(question, classification, configuration)
    own = configuration.schemas.get(route.response_schema) if route.response_schema else None
    schema = own if question.response_schema is None else question.response_schema
    admission = _admission(question, route, classification, configuration, known)
    return (
        table,
        Candidacy(question, classification, route, configuration.scoring, schema, known, admission),
        admission,
    )


def _complexity(question: Question, classification: Classification, configuration: Configuration) -> Complexity:
    """By the question's text; where the source document's rules classify, the document's value for the type."""
    if configuration.classification.by == "rules":
        return Complexity(value=classification.complexity, reasons=())
    return rated(question.text, classification.query_type)


def _admission(
    question: Question,
    route: Route,
    classification: Classification,
    configuration: Configuration,
    known: Circumstances,
) -> Admission:
    suite = configuration.suites.get(question.task or "")
    return Admission(
        mode=configuration.catalogue.admission,
        catalogue=known.catalogue,
        query_type=classification.query_type,
        now=known.now,
        task=question.task,
        suite=None if suite is None or route.require_eval is False else suite.digest,
    )


def _panel(question: Question, route: Route, candidates: tuple[Candidate, ...], review: ReviewSettings) -> Panel | None:
    """Who is asked at once, where the stakes are high."""
    if (question.stakes or route.stakes) != "high":
        return None
    equals = [
        Equal(provider=found.provider, vendor=found.vendor, tier=found.tier, well=found.standing.well)
        for found in candidates
    ]
    members, reserves = seated(equals, route.fan_out)
    return Panel(
        members=members,
        reserves=reserves,
        strategy=route.reconcile,
        on_unverifiable=route.on_unverifiable or ("review" if route.reconcile == "review" else "answer"),
        on_cannot_tell=route.on_cannot_tell,
        review=ReviewTerms(
            remind_after_s=review.remind_after,
            timeout_s=review.timeout,
            on_timeout=route.on_review_timeout,
            announce=review.webhook is not None,
        ),
    )


def _charge(configuration: Configuration) -> str:
    return "all_fallbacks" if configuration.budget.strict_budget else "fallbacks"


def _ordered(candidates: list[Candidate], route: Route, scoring: Scoring) -> tuple[Candidate, ...]:
    place = {member: position for position, member in enumerate(route.chain)}
    if route.order == "chain":
        return tuple(sorted(candidates, key=lambda found: place[found.provider]))
    ranked = zip(ranks(candidates, scoring.policy, scoring.good_enough), candidates, strict=True)
    order = sorted(ranked, key=lambda pair: (pair[0], pair[1].in_flight, place[pair[1].provider]))
    return tuple(found for _, found in order)


def _know_names(question: Question, configuration: Configuration) -> None:
    for field, names in (("allow", question.allow or ()), ("deny", question.deny)):
        unknown = [name for name in names if name not in configuration.providers]
        if unknown:
            known = ", ".join(sorted(configuration.providers))
            raise UnknownName(f"{field}: {', '.join(unknown)} is not a provider; known: {known}")


def _route(question: Question, classification: Classification, configuration: Configuration) -> tuple[str, Route]:
    if question.task is not None:
        return f"routes.{question.task}", configuration.routes[question.task]
    return f"query_types.{classification.query_type}", configuration.query_types[classification.query_type]
