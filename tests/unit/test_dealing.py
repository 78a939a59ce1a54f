"""The order of the tests: nothing is lost, files stay whole, and each process begins with slow ones."""

from __future__ import annotations

from itertools import groupby

from tests.dealing import dealt

SLOW = {"s1": 5, "s2": 1, "s3": 3, "s4": 2}
QUICK = {"q1": 40, "q2": 9, "q3": 60}
TESTS = [f"{file}::{number}" for file, count in (SLOW | QUICK).items() for number in range(count)]


def _file(test: str) -> str:
    return test.partition("::")[0]


def _dealt(processes: int) -> list[str]:
    return dealt(TESTS, processes, _file, slow=lambda file: file in SLOW)


def test_every_test_is_there_once_and_the_slow_files_are_whole() -> None:
    for processes in range(1, 12):
        order = _dealt(processes)
        assert sorted(order) == sorted(TESTS)
        runs = [file for file, _ in groupby(order, key=_file) if file in SLOW]
        assert sorted(runs) == sorted(SLOW)
        quick = [test for test in order if _file(test) in QUICK]
        assert quick == [test for test in TESTS if _file(test) in QUICK]


def test_each_process_begins_with_slow_tests() -> None:
    order, share = _dealt(4), len(TESTS) // 4
    assert {_file(order[share * number]) for number in range(4)} == set(SLOW)
