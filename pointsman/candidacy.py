"""May this provider answer this question, and how good would it be? The filters, then the score."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pointsman.admission import CATALOGUE_UNREAD, LOOKED_AGAIN_S, Admission
from pointsman.catalogue.view import measured
from pointsman.circumstances import Circumstances
from pointsman.classification import Classification
from pointsman.configuration import Route, Scoring
from pointsman.cost import affordable_output_tokens, estimated_cost_usd, per_1k_usd
from pointsman.decision import Candidate, Rejection, Weights
from pointsman.health_order import BREAKER
from pointsman.messages import Question
from pointsman.prompt import input_tokens
from pointsman.provider import Provider, task_queue
from pointsman.query_types import EXPECTED_OUTPUT_TOKENS
from pointsman.rate_limit import FROM_QUEUE_PER_MINUTE
from pointsman.scoring import score
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

    def effective(self, name: str, provider: Provider) -> Provider:
        """The provider as this question meets it: with an upgrade's model, and with measured figures."""
        catalogue = self.circumstances.catalogue
        if self.admission is None or catalogue.snapshot is None:
            return provider
        serving = catalogue.serving(name, provider, self.circumstances.question_id)
        if serving.model != provider.model and self._open(name, serving.model):
            serving = provider  # nobody has to fail on a new model while the old one is there
        profile = catalogue.profile(name, serving) if self.admission.by_measurement else None
        figures = None if profile is None else profile.figures.get(self.classification.query_type)
        return serving if figures is None else measured(serving, self.classification.query_type, figures)

    def weigh(self, name: str, provider: Provider) -> Candidate | Rejection:
        """The provider, as `effective` gives it, as a candidate; or the plainest reason why it is none."""
        reason = next(self._reasons(name, provider), None)
        if reason is not None:
            passes_in_s = LOOKED_AGAIN_S if reason[0] == CATALOGUE_UNREAD else None
            return Rejection(provider=name, reason=reason[0], detail=reason[1], recovers_in_s=passes_in_s)
        return self.candidate(name, provider)

    def candidate(self, name: str, provider: Provider) -> Candidate:
        """The provider as a candidate, whatever speaks against it: to be measured it need not be fit to serve."""
        cap, expected = self._output_tokens(name, provider)
        estimate = estimated_cost_usd(self._tokens, expected, provider.price)
        points, terms = score(
            provider,
            self.classification,
            self._weights,
            cost_per_1k_usd=per_1k_usd(self._tokens, expected, provider.price),
            cost_share=self._share_of_money(estimate),
            max_cost_per_1k_usd=self.scoring.max_cost_per_1k,
            max_latency_ms=self.max_latency_ms,
            live=self._live(name),
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

    @cached_property
    def _tokens(self) -> int:
        return input_tokens(self.question, self.schema)

    def _share_of_money(self, estimate: float | None) -> float | None:
        """How much of what the question may cost an answer takes; the document's formula knows no such limit."""
        if self.scoring.policy == "source" or self.question.max_cost_usd is None or estimate is None:
            return None
        return min(1.0, estimate / self.question.max_cost_usd)

    def _live(self, name: str) -> Live:
        return self.circumstances.health.live(name, self.classification.query_type)

    def _output_tokens(self, name: str, provider: Provider) -> tuple[int, int]:
        cap = self.question.max_output_tokens or provider.max_output_tokens
        declared = EXPECTED_OUTPUT_TOKENS[self.classification.query_type]
        return cap, min(cap, math.ceil(self._live(name).output_tokens or declared))

    def _reasons(self, name: str, provider: Provider) -> Iterator[_Reason]:
        yield from self._not_meant(name, provider)
        if self.admission is not None:
            yield from self.admission.reasons(name, provider)
        yield from self._not_able(name, provider)
        yield from self._not_within_limits(name, provider)

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
        cap = min(self._output_tokens(name, provider)[0], provider.context_tokens // 2)
        if self._tokens + cap > provider.context_tokens:
            yield "context_too_small", f"about {self._tokens} tokens in and {cap} out, {provider.context_tokens} fit"

    def _not_within_limits(self, name: str, provider: Provider) -> Iterator[_Reason]:
        cap, expected = self._output_tokens(name, provider)
        per_1k, limit = per_1k_usd(self._tokens, expected, provider.price), self.scoring.max_cost_per_1k
        if per_1k is not None and per_1k > limit:
            yield "over_cost", f"{per_1k:.4f} USD per 1,000 tokens, {limit:.4f} allowed"
        money = self.question.max_cost_usd
        if money is not None and provider.price is None:
            yield "price_unknown", "the question has a cost limit"
        elif money is not None and affordable_output_tokens(self._tokens, provider.price, money, cap) is None:
            yield "over_cost", f"an answer costs more than {money} USD"
        latency_ms = self._live(name).p50_ms or provider.latency.p50_ms
        if latency_ms > self.max_latency_ms:
            yield "over_latency", f"{latency_ms:.6g} ms, {self.max_latency_ms:g} ms allowed"
