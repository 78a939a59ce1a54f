"""The local activity that decides where a question goes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from temporalio import activity

from activities.invalid_question import invalid_question
from activities.planner import Planner
from activities.process_catalogue import ProcessCatalogue
from activities.process_telemetry import ProcessTelemetry
from activities.shadowing import Shadowing
from pointsman.circumstances import Circumstances
from pointsman.configuration import Configuration
from pointsman.decision import Decision, ShadowPlan
from pointsman.routing import UnknownName, decide
from pointsman.steps import ScoringRequest
from pointsman.tenants import TENANT_COST_CAP


class Score:
    """Scores with the configuration of the process it runs in; the decision then carries what was used."""

    def __init__(  # noqa: PLR0913 - what a decision rests on
        self,
        configuration: Configuration,
        in_flight: Callable[[str], int],
        planner: Planner,
        catalogue: ProcessCatalogue,
        shadowing: Shadowing | None = None,
        *,
        telemetry: ProcessTelemetry | None = None,
    ) -> None:
        """`in_flight` tells the calls under way, `planner` how the providers are, `catalogue` what was measured.

        Without `shadowing` no question is asked of a new model besides.
        """
        self._configuration = configuration
        self._in_flight = in_flight
        self._planner = planner
        self._catalogue = catalogue
        self._shadowing = shadowing
        self._telemetry = telemetry or ProcessTelemetry()

    @activity.defn
    async def score(self, request: ScoringRequest) -> Decision:
        """The decision for a question; a provider name that does not exist ends the question as invalid."""
        try:
            circumstances = Circumstances(
                in_flight=self._in_flight,
                health=self._planner.question(request.request_id, request.question.tenant),
                catalogue=self._catalogue.view,
                question_id=request.question_id,
                # The server's clock; a question from before it was told is decided by this process's own.
                now=request.asked_at or datetime.now(UTC),
            )
            decision = decide(request.question, request.classification, self._configuration, circumstances)
        except UnknownName as fault:
            raise invalid_question(fault) from None
        if any(rejection.reason == TENANT_COST_CAP for rejection in decision.rejected):
            told = self._planner.tenant_cap(request.question.tenant, decision.rejected)
            decision = decision.model_copy(update={"tenant_cap": told})
        shadow = self._shadow(request, decision)
        if shadow is not None:
            decision = decision.model_copy(update={"shadow": shadow})
        self._telemetry.decided(request, decision)
        return decision

    def _shadow(self, request: ScoringRequest, decision: Decision) -> ShadowPlan | None:
        if self._shadowing is None:
            return None
        try:
            return self._shadowing.plan(request, decision)
        except Exception as fault:  # noqa: BLE001 - whatever is wrong with a shadow, its question goes on
            activity.logger.warning("no shadow could be planned: %s", type(fault).__name__)
            return None
