"""A plain question beside the plainest workflow: both on one server, in turns, so that noise meets both alike."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from statistics import median

from benchmarks import baseline
from benchmarks.figures import Figure, Neighbour
from benchmarks.history import Expense, expense
from benchmarks.promised import promised
from benchmarks.rounds import IN_FLIGHT, Size, Way, throughput
from benchmarks.stack import BASELINE, PROMPT, PROVIDER, Stack
from pointsman.client import RouterClient
from pointsman.config_file import load
from workers.settings import Settings
from workers.wiring import build, make_completers

_WARM_UP = 20


async def measure(stack: Stack, size: Size, tell: Callable[[str], None]) -> list[Figure]:
    """Serve both from this process and ask in turns."""
    client = stack.server.client
    settings = Settings.of(load(stack.config))
    served = [*await build(client, settings, make_completers(settings)), baseline.worker(stack)]
    router = RouterClient(client)
    async with AsyncExitStack() as running:
        for worker in served:
            await running.enter_async_context(worker)
        plain, base = Way(lambda: router.ask(PROMPT)), Way(lambda: baseline.ask(client, PROMPT))
        for way in (plain, base):
            await throughput(way.ask, _WARM_UP)
        _check_same_request(stack)
        for number in range(size.rounds):
            # Who goes first changes, so that neither always finds the caches of the other.
            for way in (base, plain) if number % 2 == 0 else (plain, base):
                await way.run_round(size)
            tell(f"round {number + 1} of {size.rounds}: {_so_far(plain, base)}")
        question_id = await router.start(PROMPT)
        await router.answer(question_id)
    return [*compared(plain, base), *spent(await expense(client, question_id), await baseline.spent(stack))]


def compared(plain: Way, base: Way) -> list[Figure]:
    """What the rounds of both ways say."""
    ms = [median(one) / median(other) for one, other in zip(plain.round_ms, base.round_ms, strict=True)]
    per_s = [one / other for one, other in zip(plain.round_per_s, base.round_per_s, strict=True)]
    return [
        promised(
            "plain_p50_ratio",
            "plain question: p50 over the baseline's",
            plain.percentile_ms(50) / base.percentile_ms(50),
            beside=(
                Neighbour("plain_p50_ms", "Pointsman", plain.percentile_ms(50), "ms"),
                Neighbour("baseline_p50_ms", "baseline", base.percentile_ms(50), "ms"),
                *_span("plain_p50_ratio", ms),
            ),
        ),
        promised(
            "plain_throughput_ratio",
            f"plain question: throughput over the baseline's, {IN_FLIGHT} in flight",
            plain.per_s / base.per_s,
            beside=(
                Neighbour("plain_per_s", "Pointsman", plain.per_s, "/s"),
                Neighbour("baseline_per_s", "baseline", base.per_s, "/s"),
                *_span("plain_throughput_ratio", per_s),
            ),
        ),
        Figure(
            "plain_p95_ms",
            "plain question: p95",
            plain.percentile_ms(95),
            "ms",
            beside=(Neighbour("baseline_p95_ms", "baseline", base.percentile_ms(95), "ms"),),
        ),
    ]


def spent(plain: Expense, base: Expense) -> list[Figure]:
    """What one question leaves in its history, either way."""
    return [
        promised(
            "plain_events",
            "plain question: events",
            plain.events,
            beside=(Neighbour("baseline_events", "baseline", base.events),),
        ),
        promised(
            "plain_actions",
            "plain question: billable actions",
            plain.actions,
            beside=(Neighbour("baseline_actions", "baseline", base.actions),),
        ),
    ]


def _span(key: str, ratios: list[float]) -> tuple[Neighbour, ...]:
    """Rounds are alike but for what else the machine does meanwhile, so that their span is the noise."""
    lowest = Neighbour(f"{key}_lowest_round", "lowest round", min(ratios))
    return lowest, Neighbour(f"{key}_highest_round", "highest round", max(ratios))


def _so_far(plain: Way, base: Way) -> str:
    return (
        f"plain {median(plain.round_ms[-1]):.0f} ms, {plain.round_per_s[-1]:.0f}/s; "
        f"baseline {median(base.round_ms[-1]):.0f} ms, {base.round_per_s[-1]:.0f}/s"
    )


def _check_same_request(stack: Stack) -> None:
    """Two ways are compared only while they ask the model for the same thing."""
    bodies = [stack.providers.hits(name)[-1].body for name in (PROVIDER, BASELINE)]
    if bodies[0] != bodies[1]:
        raise RuntimeError(f"the baseline no longer makes Pointsman's request: {bodies[1]} is not {bodies[0]}")
