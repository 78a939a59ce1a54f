"""Two equal providers that now and then fail or are slow, and the routes that bring every path of a question about."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import Any

from benchmarks.stack import DECLARED, MAX_TOKENS, MODEL, Stack, provider_table
from pointsman.query_types import QueryType
from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import Behaviour, Reply, Status

SEED = 20261130
_MEMBERS = ("soak-first", "soak-second")
_FAILS, _SLOW = 0.02, 0.05
_SLOW_S = 0.5
_LONG_S = 2.0
_ANSWER = "The answer is 7."
_LONG_EVERY, _LONG_CHARACTERS = 50, 20_000
_TENANTS = 500
_SUBJECTS = (
    "Compare %s with its neighbour.",
    "Write a poem about %s.",
    "Write a function that sorts %s.",
    "What is %s?",
)


def write_settings(stack: Stack) -> None:
    """Write the configuration that workers start with, and script its providers."""
    tables = [
        provider_table(
            name,
            model=MODEL,
            api_base=stack.providers.api_base(name, "openai"),
            max_tokens=MAX_TOKENS,
            today=datetime.now(UTC).date(),
            strength=0.9,
            latency_ms=(50, 200),
        )
        for name in _MEMBERS
    ]
    chain = f'chain = ["{_MEMBERS[0]}", "{_MEMBERS[1]}"]\n'
    chains = [f"[query_types.{query_type}]\n{chain}" for query_type in QueryType]
    hedged = f"[routes.hedged]\n{chain}hedge = true\n"
    verified = f'[routes.verified]\n{chain}stakes = "high"\n'
    ledger = f'[ledger]\nurl = "sqlite:///{stack.config.parent / "ledger.db"}"\n'
    stack.config.write_text("\n".join([DECLARED, *tables, *chains, hedged, verified, ledger]), encoding="utf-8")
    answer_as_usual(stack)


def answer_as_usual(stack: Stack) -> None:
    """Let providers answer at once mostly, and now and then late or not at all."""
    for name in _MEMBERS:
        stack.providers.script(name, _behaviour)


def answer_slowly(stack: Stack) -> None:
    """Let providers take so long that a call is still under way when something happens to its worker."""
    for name in _MEMBERS:
        stack.providers.script(name, Reply(_ANSWER, delay_s=_LONG_S))


def question(number: int) -> dict[str, Any]:
    """The fields of the question of this number: of ten, one has high stakes and three may be hedged."""
    place = number % 10
    text = _SUBJECTS[number % len(_SUBJECTS)] % f"the number {number}"
    if number % _LONG_EVERY == 0:
        text += " It is long." * (_LONG_CHARACTERS // 12)
    task = "verified" if place == 0 else "hedged" if place <= 3 else None
    return {"question": text, "task": task, "tenant": f"tenant-{number % _TENANTS}"}


def _behaviour(request: Request) -> Behaviour:
    chance = Random(f"{SEED}:{request.name}:{request.number}").random()
    if chance < _FAILS:
        return Status(503)
    return Reply(_ANSWER, delay_s=_SLOW_S if chance < _FAILS + _SLOW else 0.0)
