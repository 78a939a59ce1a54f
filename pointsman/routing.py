"""Where does a question go? Filters, scores and orders the members of its chain into a `Decision`.

>>> decide(Question(prompt="Compare A and B"), classification, configuration, in_flight=lambda name: 0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pointsman.catalogue import Provider, task_queue
from pointsman.classification import Classification, Classifier, of_type
from pointsman.configuration import Configuration, Route
from pointsman.cost import affordable_output_tokens, estimated_cost_usd, estimated_tokens, per_1k_usd
from pointsman.decision import Candidate, Decision, Rejection
from pointsman.messages import Question, content_text
from pointsman.prompt import classification_question
from pointsman.query_types import EXPECTED_OUTPUT_TOKENS
from pointsman.scoring import score
from pointsman.steps import SecondOpinion

START_TO_CLOSE_MARGIN_S = 5.0
"""Temporal's limit on an attempt exceeds the call's own by this much, so that the call always ends first."""


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


def decide(
    question: Question,
    classification: Classification,
    configuration: Configuration,
    in_flight: Callable[[str], int],
) -> Decision:
    """Order the chain's usable members by score and say why the others are out.

    Ties go to the provider with fewer calls under way, then to the order as written.

    Raises:
        UnknownName: the question allows or denies a provider that does not exist.
    """
    _know_names(question, configuration)
    table, route = _route(question, classification, configuration)
    candidates: list[Candidate] = []
    rejected: list[Rejection] = []
    for name, provider in configuration.providers.items():
        weighed = _weigh(name, provider, question, classification, route, configuration, in_flight)
        (candidates if isinstance(weighed, Candidate) else rejected).append(weighed)  # type: ignore[arg-type]
    place = {member: position for position, member in enumerate(route.chain)}
    if route.order == "score":
        candidates.sort(key=lambda found: (-found.score, found.in_flight, place[found.provider]))
    else:
        candidates.sort(key=lambda found: place[found.provider])
    schema = configuration.schemas.get(route.response_schema) if route.response_schema else None
    return Decision(
        query_type=classification.query_type,
        classification_confidence=classification.confidence,
        classifier=classification.classifier,
        complexity=classification.complexity,
        route=table,
        order=route.order,
        policy=configuration.scoring.policy,
        candidates=tuple(candidates),
        rejected=tuple(rejected),
        weights=configuration.scoring.weights,
        max_cost_per_1k_usd=configuration.scoring.max_cost_per_1k,
        max_latency_ms=question.max_latency_ms or configuration.scoring.max_latency_ms,
        min_confidence=route.min_confidence,
        on_refusal=route.on_refusal,
        stakes=question.stakes or route.stakes,
        response_schema=schema if question.response_schema is None else None,
        limits=configuration.retry.limits(),
        max_attempts_per_request=configuration.retry.max_attempts_per_request or max(3, len(candidates) + 1),
    )


def second_opinion(
    question: Question, classification: Classification, configuration: Configuration
) -> SecondOpinion | None:
    """The model to ask what kind of question it is, where the configuration says so and it may take this one."""
    settings = configuration.classification
    if settings.by == "rules" or settings.provider is None or question.task is not None:
        return None
    route = Route(chain=(settings.provider,), timeout_s=settings.timeout_s, max_attempts=1)
    provider = configuration.providers[settings.provider]
    asked = classification_question(question)
    weighed = _weigh(settings.provider, provider, asked, classification, route, configuration, lambda _: 0)
    if isinstance(weighed, Rejection):
        return None
    return SecondOpinion(candidate=weighed, limits=configuration.retry.limits())


def input_tokens(question: Question) -> int:
    """Estimated tokens of everything that is sent for a question."""
    texts = [question.prompt] if question.prompt is not None else []
    texts += [content_text(message.get("content")) for message in question.messages or ()]
    texts += [question.system] if question.system else []
    texts += [record.text for record in question.context]
    return estimated_tokens(texts)


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


def _weigh(  # noqa: PLR0913 - what a candidate depends on
    name: str,
    provider: Provider,
    question: Question,
    classification: Classification,
    route: Route,
    configuration: Configuration,
    in_flight: Callable[[str], int],
) -> Candidate | Rejection:
    tokens = input_tokens(question)
    cap = question.max_output_tokens or provider.max_output_tokens
    expected = min(cap, EXPECTED_OUTPUT_TOKENS[classification.query_type])
    per_1k = per_1k_usd(tokens, expected, provider.price)
    reasons = _reasons(name, provider, question, route, configuration, tokens, cap, per_1k)
    reason = next(reasons, None)
    if reason is not None:
        return Rejection(provider=name, reason=reason[0], detail=reason[1])
    points, terms = score(
        provider,
        classification,
        configuration.scoring.weights,
        cost_per_1k_usd=per_1k,
        max_cost_per_1k_usd=configuration.scoring.max_cost_per_1k,
        max_latency_ms=question.max_latency_ms or configuration.scoring.max_latency_ms,
    )
    timeout_s = route.timeout_s or provider.timeout_s
    return Candidate(
        provider=name,
        model=provider.model,
        task_queue=task_queue(name),
        vendor=provider.vendor_name,
        tier=provider.tier,
        score=points,
        terms=terms,
        in_flight=in_flight(name),
        timeout_s=timeout_s,
        start_to_close_s=timeout_s + START_TO_CLOSE_MARGIN_S,
        max_attempts=route.max_attempts,
        max_output_tokens=cap,
        expected_output_tokens=expected,
        estimated_cost_usd=estimated_cost_usd(tokens, expected, provider.price),
        price=provider.price,
        context_tokens=provider.context_tokens,
        drop_params=provider.drop_params,
        confidence=provider.strength(classification.query_type),
    )


def _reasons(  # noqa: PLR0913 - each input is one of the filters
    name: str,
    provider: Provider,
    question: Question,
    route: Route,
    configuration: Configuration,
    tokens: int,
    cap: int,
    per_1k: float | None,
) -> Iterator[tuple[str, str]]:
    """Why a provider may not answer this question, the plainest reason first."""
    if name not in route.chain:
        yield "not_in_chain", ""
    if not provider.enabled:
        yield "disabled", "enabled = false in the configuration"
    if question.allow is not None and name not in question.allow:
        yield "not_allowed", "the question allows others only"
    if name in question.deny:
        yield "denied", "the question denies it"
    for ability in _needed(question, route):
        if ability not in provider.supports:
            yield f"no_{ability}", f"it does not support {ability}"
    if tokens + min(cap, provider.context_tokens // 2) > provider.context_tokens:
        yield "context_too_small", f"about {tokens} tokens in and {cap} out, {provider.context_tokens} fit"
    limit = configuration.scoring.max_cost_per_1k
    if per_1k is not None and per_1k > limit:
        yield "over_cost", f"{per_1k:.4f} USD per 1,000 tokens, {limit:.4f} allowed"
    if question.max_cost_usd is not None:
        if provider.price is None:
            yield "price_unknown", "the question has a cost limit"
        elif affordable_output_tokens(tokens, provider.price, question.max_cost_usd, cap) is None:
            yield "over_cost", f"an answer costs more than {question.max_cost_usd} USD"
    max_latency_ms = question.max_latency_ms or configuration.scoring.max_latency_ms
    if provider.latency.p50_ms > max_latency_ms:
        yield "over_latency", f"{provider.latency.p50_ms:g} ms, {max_latency_ms:g} ms allowed"


def _needed(question: Question, route: Route) -> Iterator[str]:
    if question.response_schema is not None or route.response_schema is not None:
        yield "json_schema"
    if question.parameters.tools:
        yield "tools"
