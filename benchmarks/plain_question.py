"""A plain question beside the plainest workflow: both on one server, in turns, so that noise meets both alike."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from statistics import median

from benchmarks import baseline
from benchmarks.figures import Figure
from benchmarks.history import expense
from benchmarks.litellm_call import LiteLLMCall
from benchmarks.rounds import IN_FLIGHT, Size, Way, throughput
from benchmarks.stack import BASELINE, MAX_TOKENS, MODEL, PROMPT, PROVIDER, Stack
from pointsman.client import RouterClient
from pointsman.config_file import load
from workers.settings import Settings
from workers.wiring import build, make_completers

_WARM_UP = 20


async def measure(stack: Stack, size: Size, tell: Callable[[str], None]) -> list[Figure]:
    """Serve both from this process and ask in turns."""
    client = stack.server.client
    call = LiteLLMCall(MODEL, stack.baseline_api_base, MAX_TOKENS)
    settings = Settings.of(load(stack.config))
    served = [*await build(client, settings, make_completers(settings)), baseline.worker(client, call)]
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
        one = await baseline.start(client, PROMPT)
        await one.result()
        return [
            *_figures(plain, base),
            *await _expenses(stack, question_id, one.id),
        ]


def _figures(plain: Way, base: Way) -> list[Figure]:
    pairs = zip(plain.round_ms, base.round_ms, strict=True)
    ratios = [median(one) / median(other) for one, other in pairs]
    return [
        Figure(
            "plain_p50_ratio",
            "plain question, p50 over the baseline's",
            plain.percentile_ms(50) / base.percentile_ms(50),
            at_most=1.5,
        ),
        Figure("plain_p50_ratio_lowest_round", "  the same, lowest round", min(ratios)),
        Figure("plain_p50_ratio_highest_round", "  the same, highest round", max(ratios)),
        Figure(
            "plain_throughput_ratio",
            f"plain question, throughput over the baseline's, {IN_FLIGHT} in flight",
            plain.per_s / base.per_s,
            at_least=0.6,
        ),
        *(
            Figure(f"{key}_p{percent}_ms", f"{name}, p{percent}", way.percentile_ms(percent), "ms")
            for key, name, way in (("plain", "plain question", plain), ("baseline", "baseline", base))
            for percent in (50, 95)
        ),
        Figure("plain_per_s", f"plain question, {IN_FLIGHT} in flight", plain.per_s, "/s"),
        Figure("baseline_per_s", f"baseline, {IN_FLIGHT} in flight", base.per_s, "/s"),
    ]


async def _expenses(stack: Stack, question_id: str, baseline_id: str) -> list[Figure]:
    plain = await expense(stack.server.client, question_id)
    base = await expense(stack.server.client, baseline_id)
    return [
        Figure("plain_events", "plain question, events", plain.events, at_most=14),
        Figure("plain_actions", "plain question, billable actions", plain.actions, at_most=4),
        Figure("baseline_events", "baseline, events", base.events),
        Figure("baseline_actions", "baseline, billable actions", base.actions),
    ]


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
