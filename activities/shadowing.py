"""Which questions of this process a new model is asked besides."""

from __future__ import annotations

from collections.abc import Callable

from activities.process_catalogue import ProcessCatalogue
from pointsman.decision import Decision, ShadowPlan
from pointsman.shadow import HOLD_S
from pointsman.shadow_allowance import ShadowAllowance
from pointsman.shadow_sampling import shadow_plan
from pointsman.steps import ScoringRequest


class Shadowing:
    """The shadows of one process; used on its event loop only."""

    def __init__(self, catalogue: ProcessCatalogue, processes: Callable[[], int]) -> None:
        """`processes` tells how many share the fleet's pace and the day's money."""
        self._catalogue = catalogue
        self._processes = processes
        self._allowance = ShadowAllowance()

    def plan(self, request: ScoringRequest, decision: Decision) -> ShadowPlan | None:
        """The shadow of a question, if it is to have one; its money is then set aside."""
        if not decision.candidates:
            return None
        name = decision.candidates[0].provider
        provider = self._catalogue.configuration.providers[name]
        upgrade = self._catalogue.view.upgrade(name, provider)
        if upgrade is None:
            return None
        found = shadow_plan(
            request.question, request.question_id, decision, upgrade, max_concurrent=provider.max_concurrent
        )
        if found is None:
            return None
        granted = self._allowance.grant(
            upgrade,
            found.most_usd,
            hold_s=found.within_s + HOLD_S,
            now=self._catalogue.clock(),
            heard_at=self._catalogue.heard_at,
            processes=self._processes(),
        )
        return found if granted else None
