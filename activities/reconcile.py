"""The local activity that compares the answers of a panel and says what they come to."""

from __future__ import annotations

import asyncio

from temporalio import activity

from activities.process_telemetry import ProcessTelemetry
from pointsman.divergence.comparison import Comparison
from pointsman.divergence.equivalence import classes_of, partition_of
from pointsman.divergence.settings import DivergenceSettings
from pointsman.divergence.statement import Statement
from pointsman.panel import OnCannotTell
from pointsman.reconciliation import Pair, Reconciliation, Vote, reconcile
from pointsman.steps import PanelAnswer, ReconcilingRequest


class Reconcile:
    """Compares with the settings of the process it runs in; its result is what a replay sees."""

    def __init__(self, settings: DivergenceSettings, telemetry: ProcessTelemetry | None = None) -> None:
        """`settings` say which detector, and how strict."""
        self._settings = settings
        self._telemetry = telemetry or ProcessTelemetry()

    @activity.defn
    async def reconcile(self, request: ReconcilingRequest) -> Reconciliation:
        """What the answers come to."""
        # Five answers of the longest kind take seconds to compare, in which this process's calls must go on.
        partition = await asyncio.to_thread(
            partition_of,
            [_statement(answer) for answer in request.answers],
            question=request.question,
            schema=request.response_schema,
            settings=self._settings,
        )
        counted = _counted(partition.comparisons, request.on_cannot_tell)
        found = reconcile(
            [Vote(provider=answer.provider, confidence=answer.confidence) for answer in request.answers],
            [list(positions) for positions in classes_of(len(request.answers), counted)],
            [Pair(first, second, found) for (first, second), found in sorted(partition.comparisons.items())],
            request.strategy,
            on_cannot_tell=request.on_cannot_tell,
            outstanding=request.outstanding,
        )
        verdicts = [comparison.verdict for comparison in partition.comparisons.values()]
        self._telemetry.reconciled(found, verdicts, outstanding=request.outstanding)
        return found


def _statement(answer: PanelAnswer) -> Statement:
    return Statement(text=answer.text, parsed=answer.parsed, claims=tuple(claim.text for claim in answer.claims))


def _counted(found: dict[tuple[int, int], Comparison], policy: OnCannotTell) -> dict[tuple[int, int], Comparison]:
    """The comparisons as the vote counts them: answers of which nobody can tell may pass for the same."""
    if policy != "agree":
        return found
    agreed = {"verdict": "agree"}
    return {pair: one.model_copy(update=agreed) if one.verdict == "cannot_tell" else one for pair, one in found.items()}
