"""What happens when: questions, moods and kills, all drawn from one seed before anything starts.

What meets what depends on the machine, and what is promised holds all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from benchmarks.chaos.faults import AGREED, DISPUTED, MOODS, WELL

Kind = Literal["asked", "agreed", "disputed", "cancelled", "repeated"]
Patience = Literal["fail", "wait"]
Target = Literal["worker", "server"]

MEMBERS = ("north", "south", "east")
TASKS: tuple[str | None, ...] = ("one", "two", "three", None)
_PROMPTS = ("What is the capital of France?", "Write a Python function that adds.", "Write a poem about rain.")
_KINDS: tuple[Kind, ...] = ("asked",) * 14 + ("agreed", "agreed", "disputed", "cancelled", "repeated", "repeated")
_EVERY_S = 0.4
_MOOD_S = (3.0, 9.0)
_WELL_SHARE = 3
_DOWN_S = (0.2, 3.0)
"""How long a killed server stays away before it is started again, which takes it a second or two."""


@dataclass(frozen=True)
class Asking:
    """A question, and what its asker does about it besides waiting."""

    id: str
    at_s: float
    kind: Kind
    task: str | None
    prompt: str
    patience: Patience
    deadline_s: float
    then_s: float = 0.0
    """Seconds after which a cancelled one is cancelled, and a repeated one asked once more."""


@dataclass(frozen=True)
class Spell:
    """A provider falls into a mood."""

    at_s: float
    mood: str


@dataclass(frozen=True)
class Kill:
    """SIGKILL for a worker, after which another is started, or for the server, which comes back after `down_s`."""

    at_s: float
    target: Target
    down_s: float = 0.0


@dataclass(frozen=True)
class Scale:
    """How long it goes on, and how often processes are killed; seconds."""

    lasts_s: float
    workers: int = 3
    kill_worker_every_s: float = 15.0
    kill_server_every_s: float = 40.0
    deadline_s: float = 40.0

    @classmethod
    def of_questions(cls, count: int) -> Scale:
        """Long enough for about so many questions."""
        return cls(lasts_s=count * _EVERY_S)


SHORT = Scale(lasts_s=24.0, workers=2, kill_worker_every_s=6.0, kill_server_every_s=16.0, deadline_s=20.0)
"""What every run of the tests does."""


@dataclass(frozen=True)
class Schedule:
    """Everything that is planned."""

    seed: int
    scale: Scale
    questions: tuple[Asking, ...]
    spells: dict[str, tuple[Spell, ...]]
    kills: tuple[Kill, ...]


def schedule(seed: int, scale: Scale) -> Schedule:
    """The same for the same seed and scale."""
    return Schedule(
        seed,
        scale,
        questions=tuple(_questions(Random(f"{seed}-questions"), scale)),
        spells={name: tuple(_spells(Random(f"{seed}-{name}"), scale)) for name in MEMBERS},
        kills=tuple(
            sorted(
                [
                    *(Kill(at_s, "worker") for at_s in _times(seed, "worker", scale.kill_worker_every_s, scale)),
                    *(
                        Kill(at_s, "server", Random(f"{seed}-{at_s}").uniform(*_DOWN_S))
                        for at_s in _times(seed, "server", scale.kill_server_every_s, scale)
                    ),
                ],
                key=lambda kill: kill.at_s,
            )
        ),
    )


def _questions(chance: Random, scale: Scale) -> list[Asking]:
    found: list[Asking] = []
    at_s = 0.0
    while at_s < scale.lasts_s:
        kind, task, prompt = chance.choice(_KINDS), chance.choice(TASKS), chance.choice(_PROMPTS)
        question_id = f"{kind}-{len(found) + 1}"
        if kind in {"agreed", "disputed"}:
            task = chance.choice(("panel", "majority")) if kind == "agreed" else "panel"
            prompt = f"{AGREED if kind == 'agreed' else DISPUTED} are there in {question_id}?"
        elif task is not None:
            prompt = f"What becomes of {question_id}?"
        patience: Patience = chance.choice(("fail", "fail", "wait"))
        then_s = chance.uniform(0, 3) if kind == "cancelled" else chance.uniform(0, 12)
        found.append(Asking(question_id, at_s, kind, task, prompt, patience, scale.deadline_s, then_s))
        at_s += chance.uniform(0, 2 * _EVERY_S)
    return found


def _spells(chance: Random, scale: Scale) -> list[Spell]:
    found: list[Spell] = []
    at_s = 0.0
    while at_s < scale.lasts_s:
        found.append(Spell(at_s, chance.choice([*MOODS, *[WELL] * _WELL_SHARE])))
        at_s += chance.uniform(*_MOOD_S)
    return found


def _times(seed: int, what: str, every_s: float, scale: Scale) -> list[float]:
    """One moment in the middle half of each stretch of so many seconds."""
    chance = Random(f"{seed}-{what}")
    stretches = int(scale.lasts_s / every_s)
    return [every_s * (number + chance.uniform(0.25, 0.75)) for number in range(stretches)]
