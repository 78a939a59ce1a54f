"""In which order processes take the tests: each begins with its part of the slow ones.

With `--dist worksteal` each process begins with a run of neighbours, as many for all, and whoever is through takes from
the end of another's. End-to-end tests mostly wait; where they are the first of one process alone, the others compute
until nothing is left to compute, and then all wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeVar

_Test = TypeVar("_Test")


def dealt(
    tests: Sequence[_Test], processes: int, file_of: Callable[[_Test], str], *, slow: Callable[[str], bool]
) -> list[_Test]:
    """The tests with the slow files dealt out; each file stays whole, and the quick ones keep their order."""
    files = [(file, list(found)) for file, found in groupby(tests, key=file_of)]
    hands: list[list[_Test]] = [[] for _ in range(processes)]
    for _, found in sorted((one for one in files if slow(one[0])), key=lambda one: -len(one[1])):
        min(hands, key=len).extend(found)
    quick = [test for file, found in files if not slow(file) for test in found]
    share = len(tests) // processes
    order: list[_Test] = []
    for hand in hands:
        room = max(0, share - len(hand))
        order += [*hand, *quick[:room]]
        quick = quick[room:]
    return [*order, *quick]
