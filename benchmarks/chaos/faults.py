"""What scripted providers do in chaos: moods that come over them, and a note of what each request was told."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import (
    Behaviour,
    CutOff,
    Drip,
    ErrorInside,
    Hang,
    NoChoices,
    Raw,
    Reply,
    Reset,
    Status,
    Tokens,
)

AGREED, DISPUTED = "How many", "How many, roughly"
"""How prompts begin to which all providers give one answer, and to which each gives its own."""
WELL = "well"
_DELAY_S, _SLOW_S = 0.1, 1.2


def text(provider: str, prompt: str) -> str:
    """What a provider answers: a text that says who answers what, or a number where answers are compared."""
    if prompt.startswith(DISPUTED):
        return f"The answer is {len(provider) * 7 + ord(provider[0])}."
    if prompt.startswith(AGREED):
        return "The answer is 42."
    return f"{provider}: {prompt}"


def tokens(request: Request) -> Tokens:
    """The tokens that a reply reports: they differ, so that one row of the ledger cannot pass for another."""
    return Tokens(input=10 + request.number % 97, output=3 + request.number % 89)


def answer(request: Request, delay_s: float = _DELAY_S) -> Reply:
    """A good answer."""
    return Reply(text(request.name, request.prompt), delay_s=delay_s, usage=tokens(request))


def _moods(request: Request) -> dict[str, tuple[Behaviour, ...]]:
    good = answer(request)
    return {
        WELL: (good,),
        "unavailable": (Status(503),),
        "hanging": (Hang(),),
        "dripping": (Drip(0.2),),
        "throttling": (Status(429, headers={"retry-after": "1"}),),
        "busy for long": (Status(429, headers={"retry-after": "20"}),),
        "garbled": (Raw(b"<html>busy</html>", content_type="text/html"), NoChoices()),
        "lying": (ErrorInside(), Raw(b'{"choices": 7}'), Raw(b'{"id": "x", "choi'), Reply("")),
        "cutting": (CutOff(good, 0.0), CutOff(good, 0.5), CutOff(good, 0.99)),
        "resetting": (Reset(),),
        "slow": (answer(request, _SLOW_S),),
        "silent about usage": (Reply(text(request.name, request.prompt), delay_s=_DELAY_S, usage=None),),
        "fitful": (good, Status(500), good, Reset(), good, good),
        "flapping": (good, good, Status(503), Status(429, headers={"retry-after": "1"}), good),
    }


MOODS: tuple[str, ...] = tuple(
    _moods(Request(name="-", dialect="openai", number=0, headers={}, body={}, model="", prompt=""))
)
"""The moods by name; `well` is one of them."""


@dataclass
class Temper:
    """The script of one provider: in each mood it picks by the number of the request."""

    seed: int
    mood: str = WELL
    told: dict[int, Behaviour] = field(default_factory=dict[int, Behaviour])
    """What each request was told, by its number."""

    def __call__(self, request: Request) -> Behaviour:
        """What this request gets."""
        chance = Random(f"{self.seed}:{request.name}:{request.number}")
        told = self.told[request.number] = chance.choice(_moods(request)[self.mood])
        return told
