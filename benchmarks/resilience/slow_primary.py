"""A primary of whose calls 2 % hang: the tail that hedging is for, what it costs, and how fast losers are cut off."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks import baseline
from benchmarks.figures import Figure, Neighbour, percentile
from benchmarks.history import expense
from benchmarks.promised import promised
from benchmarks.resilience.arrivals import prompt
from benchmarks.resilience.scenario import SEED, Run, Scenario, Tell, run
from benchmarks.resilience.scripts import hanging
from benchmarks.resilience.titles import LITELLM, NAIVE, POINTSMAN
from benchmarks.stack import Stack
from workers.embedded.scripted.request import Hit

_HANGING = 0.02
_LOOKED_AT = 20
_PROMPTLY_MS = 250.0


async def measure(stack: Stack, questions: int, warm_up: int, tell: Tell) -> tuple[Run, list[Figure]]:
    """Pointsman with `hedge = true`, the others with equal timeouts."""
    scenario = Scenario(
        "slow_primary",
        "slow primary, 2 % hang",
        hanging(SEED, _HANGING),
        questions,
        hedge=True,
        contenders=(POINTSMAN, LITELLM, NAIVE),
        warm_up=warm_up,
    )
    done = await run(stack, scenario, tell)
    ours, theirs = done.tallies[POINTSMAN], done.tallies[LITELLM]
    hedged = sum(found.result[1].hedged for found in done.asked if found.result is not None)
    return done, [
        promised(
            "slow_primary_p999_ratio",
            "slow primary: p99.9 over LiteLLM Router's",
            ours.p999_ms / theirs.p999_ms,
            beside=(ours.beside(scenario.name, "p999_ms", "ms"), *done.others("p999_ms", "ms")),
        ),
        promised(
            "slow_primary_calls_per_question",
            "slow primary: calls per question",
            ours.calls_per_question,
            beside=done.others("calls_per_question"),
        ),
        Figure("slow_primary_hedged", "slow primary: share of questions hedged", hedged / len(done.asked)),
        *_aborts(done),
        *await _expenses(stack, done),
    ]


def _aborts(done: Run) -> list[Figure]:
    answers = {prompt(found.number): found.result[1] for found in done.asked if found.result is not None}
    winners = {asked: answer.provider.rpartition("-")[2] for asked, answer in answers.items() if answer.hedged}
    lags, ran_on = abort_lags_ms(done.hits, winners)
    if len(lags) < 2:
        return []
    return [
        promised(
            "hedge_abort_p95_ms",
            "hedge: winner's answer to loser's request aborted: p95",
            percentile(lags, 95),
            "ms",
            beside=(
                Neighbour("hedge_abort_p50_ms", "p50", percentile(lags, 50), "ms"),
                Neighbour("hedge_abort_max_ms", "longest", max(lags), "ms"),
                Neighbour("hedge_losers", "losers", len(lags)),
            ),
        ),
        Figure("hedge_ran_on", f"hedge: losers not aborted that went on for {_PROMPTLY_MS:g} ms", ran_on),
    ]


def abort_lags_ms(hits: Mapping[str, list[Hit]], winners: Mapping[str, str]) -> tuple[list[float], int]:
    """Milliseconds from each winner's answer to the end of its loser, and how many losers had answered by then.

    Args:
        hits: By place.
        winners: The place that won, by prompt. An answer that was held back as degraded is no winner's.

    A loser that answered in so short a time that it could not be cut off is left out.
    """
    by_place = {place: {hit.prompt: hit for hit in found} for place, found in hits.items()}
    lags, ran_on = list[float](), 0
    for asked, place in winners.items():
        winner = by_place[place].get(asked)
        loser = next((found.get(asked) for other, found in by_place.items() if other != place), None)
        if winner is None or loser is None or winner.ended is None or loser.ended is None:
            continue
        lag_ms = (loser.ended - winner.ended) * 1000
        if loser.outcome == "aborted" and lag_ms >= 0:
            lags.append(lag_ms)
        elif loser.outcome == "answered" and lag_ms > _PROMPTLY_MS:
            lags.append(lag_ms)
            ran_on += 1
    return lags, ran_on


async def _expenses(stack: Stack, done: Run) -> list[Figure]:
    """The most that a question cost of some in which no hedge fired."""
    quiet = [found.result[0] for found in done.asked if found.result is not None and not found.result[1].hedged]
    spent = [await expense(stack.server.client, question_id) for question_id in quiet[:_LOOKED_AT]]
    events, actions = max(one.events for one in spent), max(one.actions for one in spent)
    base = await baseline.spent(stack)
    return [
        promised(
            "hedged_events",
            "hedge-capable question, no hedge fired: events",
            events,
            beside=(Neighbour("baseline_events", "baseline", base.events),),
        ),
        promised(
            "hedged_actions",
            "hedge-capable question, no hedge fired: billable actions",
            actions,
            beside=(Neighbour("baseline_actions", "baseline", base.actions),),
        ),
    ]
