"""May this provider answer this question, and how good would it be? The filters, then the score."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pointsman.admission import CATALOGUE_UNREAD, LOOKED_AGAIN_S, Admission
from pointsman.catalogue.profile import TypeFigures
from pointsman.catalogue.view import measured
from pointsman.circumstances import Circumstances
from pointsman.classification import Classification
from pointsman.configuration import Route, Scoring
from pointsman.cost import estimated_cost_usd, per_1k_usd
from pointsman.decision import Candidate, Rejection, Weights
from pointsman.health_order import BREAKER
from pointsman.limits import Demand, Limits, beyond
from pointsman.messages import Question
from pointsman.prompt import input_tokens
from pointsman.provider import Provider, task_queue
from pointsman.query_types import EXPECTED_OUTPUT_TOKENS
from pointsman.rate_limit import FROM_QUEUE_PER_MINUTE
from pointsman.scoring import score, share_of_money
from pointsman.standing import Live

START_TO_CLOSE_MARGIN_S = 5.0
"""Temporal's limit on an attempt exceeds the call's own by this much, so that the call always ends first."""

_Reason = tuple[str, str]


@dataclass(frozen=True)
class Candidacy:
    """One question on one route, against which every provider is weighed."""

    question: Question
    classification: Classification
    route: Route
    scoring: Scoring
    schema: dict[str, Any] | None = None
    """What the answer must match: the question's own schema, else the route's."""
    circumstances: Circumstances = field(default_factory=Circumstances)
    admission: Admission | None = None
    """`None` where a provider is asked that nobody has to be measured for: one that classifies."""

    def figures(self, name: str, provider: Provider) -> TypeFigures | None:
        """What was measured of the provider on this type of question, where measured figures count."""
        if self.admission is None or not self.admission.by_measurement:
            return None
        profile = self.circumstances.catalogue.profile(name, provider)
        return None if profile is None else profile.figures.get(self.classification.query_type)

    def effective(self, name: str, provider: Provider) -> Provider:
        """The provider as this question meets it: with an upgrade's model, and with measured figures."""
        catalogue = self.circumstances.catalogue
        if self.admission is None or catalogue.snapshot is None:
            return provider
        serving = catalogue.serving(name, provider, self.circumstances.question_id)
        if serving.model != provider.model and self._open(name, serving.model):
            serving = provider  # nobody has to fail on a new model while the old one is there
        figures = self.figures(name, serving)
        return serving if figures is None else measured(serving, self.classification.query_type, figures)

    def weigh(self, name: str, provider: Provider) -> Candidate | Rejection:
        """The provider, as `effective` gives it, as a candidate; or the plainest reason why it is none."""
        reason = next(self.reasons(name, provider), None)
        if reason is not None:
            passes_in_s = LOOKED_AGAIN_S if reason[0] == CATALOGUE_UNREAD else None
            return Rejection(provider=name, reason=reason[0], detail=reason[1], recovers_in_s=passes_in_s)
        return self.candidate(name, provider)

    def candidate(self, name: str, provider: Provider) -> Candidate:
        """The provider as a candidate, whatever speaks against it: to be measured it need not be fit to serve."""
        cap, expected = self.output_tokens(name, provider)
        estimate = estimated_cost_usd(self.tokens, expected, provider.price)
        points, terms = score(
            provider,
            self.classification,
            self._weights,
            cost_per_1k_usd=per_1k_usd(self.tokens, expected, provider.price),
            cost_share=share_of_money(self.scoring.policy, estimate, self.question.max_cost_usd),
            max_cost_per_1k_usd=self.scoring.max_cost_per_1k,
            max_latency_ms=self.max_latency_ms,
            live=self.live(name),
        )
        timeout_s = self.route.timeout_s or provider.timeout_s
        return Candidate(
            provider=name,
            model=provider.model,
            task_queue=task_queue(name),
            vendor=provider.vendor_name,
            tier=provider.tier,
            score=points,
            terms=terms,
            in_flight=self.circumstances.in_flight(name),
            timeout_s=timeout_s,
            start_to_close_s=timeout_s + START_TO_CLOSE_MARGIN_S,
            max_attempts=self.route.max_attempts,
            max_output_tokens=cap,
            expected_output_tokens=expected,
            estimated_cost_usd=estimate,
            price=provider.price,
            context_tokens=provider.context_tokens,
            drop_params=provider.drop_params,
            confidence=provider.strength(self.classification.query_type),
            waits_for_slot=provider.rate_limit_per_minute < FROM_QUEUE_PER_MINUTE,
        )

    def _open(self, name: str, model: str) -> bool:
        return self.circumstances.health.standing(name, model, 0.0).barred in BREAKER

    @property
    def max_latency_ms(self) -> float:
        """The question's own limit, else the configuration's."""
        return self.question.max_latency_ms or self.scoring.max_latency_ms

    @cached_property
    def _weights(self) -> Weights:
        return self.scoring.formula

    @property
    def limits(self) -> Limits:
        """What the question may cost, and how long it may take."""
        return Limits(self.scoring.max_cost_per_1k, self.max_latency_ms, self.question.max_cost_usd)

    def demand(self, name: str, provider: Provider) -> Demand:
        """What asking the provider takes."""
        cap, expected = self.output_tokens(name, provider)
        per_1k = per_1k_usd(self.tokens, expected, provider.price)
        return Demand(self.tokens, cap, provider.price, per_1k, self.live(name).p50_ms or provider.latency.p50_ms)

    @cached_property
    def tokens(self) -> int:
        """Estimated tokens of what is sent."""
        return input_tokens(self.question, self.schema)

    def live(self, name: str) -> Live:
        """What live traffic has shown of a provider."""
        return self.circumstances.health.live(name, self.classification.query_type)

    def output_tokens(self, name: str, provider: Provider) -> tuple[int, int]:
        """How long an answer may be, and how long one is expected to be."""
        cap = self.question.max_output_tokens or provider.max_output_tokens
        declared = EXPECTED_OUTPUT_TOKENS[self.classification.query_type]
        return cap, min(cap, math.ceil(self.live(name).output_tokens or declared))

    def reasons(self, name: str, provider: Provider) -> Iterator[_Reason]:
        """Everything that speaks against the provider, as `effective` gives it: a stable name each, and a detail."""
        yield from self.unfit(name, provider)
        yield from beyond(self.demand(name, provider), self.limits)

    def unfit(self, name: str, provider: Provider) -> Iterator[_Reason]:
        """Those among them that no limit is to blame for."""
        yield from self._not_meant(name, provider)
        if self.admission is not None:
            yield from self.admission.reasons(name, provider)
        yield from self._not_able(name, provider)

    def _not_meant(self, name: str, provider: Provider) -> Iterator[_Reason]:
        if name not in self.route.chain:
            yield "not_in_chain", ""
        if not provider.enabled:
            yield "disabled", "enabled = false, or its server is not running"
        if self.question.allow is not None and name not in self.question.allow:
            yield "not_allowed", "the question allows others only"
        if name in self.question.deny:
            yield "denied", "the question denies it"

    def _not_able(self, name: str, provider: Provider) -> Iterator[_Reason]:
        if self.schema is not None and "json_schema" not in provider.supports:
            yield "no_json_schema", "it does not support json_schema"
        if self.question.parameters.tools and "tools" not in provider.supports:
            yield "no_tools", "it does not support tools"
        cap = min(self.output_tokens(name, provider)[0], provider.context_tokens // 2)
        if self.tokens + cap > provider.context_tokens:
            yield "context_too_small", f"about {self.tokens} tokens in and {cap} out, {provider.context_tokens} fit"
