"""Many cases at once: seeded, each told by its own seed, and what is wrong is dumped and made smaller."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from pointsman.call import Completion
from tests.fuzz.calling import Caller, Outcome, wrongs
from tests.fuzz.case import Case
from tests.fuzz.envelopes import HUNG, case, plain
from tests.fuzz.reading import expected
from tests.fuzz.values import smaller
from tests.fuzz.wire import Wire

DIALECTS = ("openai", "anthropic", "gemini", "ollama")
FOUND = Path("build/fuzz")
_AT_ONCE = 24
_HUNG_EVERY = 40
_SMALLER_TRIES = 60
_SHRUNK = 5


@dataclass(frozen=True)
class Finding:
    """A case that was answered wrongly."""

    name: str
    case: Case
    wrong: tuple[str, ...]

    def told(self) -> str:
        """A sentence for a person, and where the case lies."""
        return f"{self.name} ({self.case.dialect}, {self.case.why}): {'; '.join(self.wrong)}"


@dataclass
class Campaign:
    """What came of all of them."""

    outcomes: Counter[str] = field(default_factory=Counter[str])
    findings: list[Finding] = field(default_factory=list[Finding])

    def summary(self) -> str:
        """The counts, and every finding on a line of its own."""
        counts = ", ".join(f"{count} {name}" for name, count in self.outcomes.most_common())
        return "\n".join((counts, *(finding.told() for finding in self.findings)))


def generated(seed: str, dialect: str, number: int) -> Case:
    """The case of this number: the same for the same seed, whatever came before it."""
    chance = Random(f"{seed}/{dialect}/{number}")
    if number % _HUNG_EVERY == 0:
        schema = chance.random() < 0.3
        return replace(HUNG(chance, dialect, schema), schema=schema)
    return case(chance, dialect)


async def run(seed: str, dialects: Iterable[str], count: int) -> Campaign:
    """Ask `count` times in each dialect."""
    named = [(f"{seed}-{dialect}-{n}", generated(seed, dialect, n)) for n in range(count) for dialect in dialects]
    return await judged(named)


async def judged(named: Iterable[tuple[str, Case]]) -> Campaign:
    """Ask these, many at a time."""
    found, turns = Campaign(), asyncio.Semaphore(_AT_ONCE)
    # On the loop of the calls; LiteLLM would log each odd reply that it cannot read.
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    async with Wire() as wire:
        caller = Caller(wire)

        async def one(name: str, told: Case) -> None:
            async with turns:
                outcome, wrong = await _wrong(caller, name, told)
                found.outcomes[_word(outcome)] += 1
                if wrong:
                    found.findings.append(Finding(name, told, wrong))

        await asyncio.gather(*(one(name, told) for name, told in named))
        found.findings = [
            await _shrunk(caller, finding) if rank < _SHRUNK else finding for rank, finding in enumerate(found.findings)
        ]
        if wire.strays:
            found.outcomes["requests elsewhere"] = len(wire.strays)
    for finding in found.findings:
        _dump(finding)
    return found


async def _wrong(caller: Caller, name: str, told: Case) -> tuple[Outcome, tuple[str, ...]]:
    outcome = await caller.outcome(name, told)
    caller.wire.cases.pop(name)
    return outcome, tuple(wrongs(told, outcome, caller.wire.hits.pop(name, 0)))


async def _shrunk(caller: Caller, finding: Finding) -> Finding:
    """The same fault in a smaller document, where its body is JSON in a plain frame."""
    found, tries = finding, 0
    _, _, content = finding.case.wire.partition(b"\r\n\r\n")
    if found.case.expected.must_answer or plain(200, content) != finding.case.wire:
        return finding
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return finding
    going = True
    while going and tries < _SMALLER_TRIES:
        going = False
        for less in smaller(document):
            tries += 1
            body = json.dumps(less).encode("utf-8", "surrogatepass")
            told = expected(found.case.dialect, body, schema=found.case.schema)
            tried = replace(found.case, wire=plain(200, body), expected=told)
            _, wrong = await _wrong(caller, f"{finding.name}-{tries}", tried)
            if wrong and wrong[0][:12] == finding.wrong[0][:12]:
                found, document, going = Finding(finding.name, tried, wrong), less, True
                break
            if tries >= _SMALLER_TRIES:
                break
    return found


def _word(outcome: Outcome) -> str:
    if isinstance(outcome, Completion):
        return "refused" if outcome.refused else "answered"
    return str(getattr(outcome, "type", None) or type(outcome).__name__)


def _dump(finding: Finding) -> None:
    FOUND.mkdir(parents=True, exist_ok=True)
    document = finding.case.document() | {"wrong": list(finding.wrong)}
    (FOUND / f"{finding.name}.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
