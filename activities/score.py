"""The local activity that decides where a question goes."""

from __future__ import annotations

from collections.abc import Callable

from temporalio import activity

from activities.invalid_question import invalid_question
from activities.planner import Planner
from pointsman.configuration import Configuration
from pointsman.decision import Decision
from pointsman.routing import UnknownName, decide
from pointsman.steps import ScoringRequest


class Score:
    """Scores with the configuration of the process it runs in; the decision then carries what was used."""

    def __init__(self, configuration: Configuration, in_flight: Callable[[str], int], planner: Planner) -> None:
        """`in_flight` tells the calls under way at a provider, `planner` how the providers are."""
        self._configuration = configuration
        self._in_flight = in_flight
        self._planner = planner

    @activity.defn
    async def score(self, request: ScoringRequest) -> Decision:
        """The decision for a question; a provider name that does not exist ends the question as invalid."""
        try:
            health = self._planner.question(request.request_id)
            return decide(request.question, request.classification, self._configuration, self._in_flight, health)
        except UnknownName as fault:
            raise invalid_question(fault) from None
