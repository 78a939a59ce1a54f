from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from pointsman.cli import fleet, lots
from pointsman.cli.lots import LOT, Work
from pointsman.cli.routing import decided_lines
from pointsman.errors import InvalidQuestion, PointsmanError
from tests.builders import configuration


def _doubled(things: Sequence[int], known: str) -> list[str]:
    return [f"{known}{2 * thing}" for thing in things]


def _whose(_things: Sequence[int], _known: str) -> int:
    return os.getpid()


@pytest.fixture(params=[1, 2, 3], ids=["one core", "two cores", "three cores"])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    count: int = request.param
    monkeypatch.setattr(lots, "_cores", lambda: count)
    return count


@pytest.mark.parametrize("count", [0, 1, LOT, LOT + 1, 7 * LOT + 3])
def test_results_come_in_the_order_of_the_things(cores: int, count: int) -> None:
    found = [one for lot in Work(_doubled, lambda: "x").results(range(count)) for one in lot]
    assert found == [f"x{2 * thing}" for thing in range(count)]


def test_the_work_is_done_on_each_core(cores: int) -> None:
    workers = list(Work(_whose, lambda: "").results(range(6 * LOT)))
    assert len(set(workers)) == cores
    assert (os.getpid() in workers) == (cores == 1)


def _dying(_things: Sequence[int], _known: str) -> str:
    os._exit(9)


def test_a_process_that_is_ended_from_outside_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lots, "_cores", lambda: 2)
    with pytest.raises(PointsmanError, match="was ended before its work was done"):
        list(Work(_dying, lambda: "").results(range(6 * LOT)))


def test_what_is_known_is_found_out_once(cores: int) -> None:
    asked: list[int] = []

    def known() -> str:
        asked.append(1)
        return ""

    list(Work(_doubled, known).results(range(6 * LOT)))
    assert len(asked) == 1


def test_a_task_is_that_of_the_lines_that_name_none(tmp_path: Path, cores: int) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('\ufeff{"prompt": "a"}\n{"prompt": "a", "task": "other"}\n', encoding="utf-8")
    settled = configuration(routes={name: {"chain": ["alpha", "beta"]} for name in ("sum", "other")})
    told = decided_lines(questions, settled, lambda: fleet.Fleet(None, None), "sum")
    assert [json.loads(line)["route"] for line in told] == ["routes.sum", "routes.other"]


def test_who_stops_listening_leaves_no_process_behind(cores: int) -> None:
    before = set(multiprocessing.active_children())
    results = Work(_doubled, lambda: "").results(range(400 * LOT))
    next(results)
    results.close()
    for child in set(multiprocessing.active_children()) - before:
        child.join(30)
        assert child.exitcode == 0


def test_a_long_file_is_decided_line_by_line_up_to_its_fault(cores: int, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    texts = [f"What is {number} + {number}?" for number in range(3 * LOT)]
    path.write_text("\n".join([*(json.dumps({"prompt": text}) for text in texts), "no question"]), encoding="utf-8")
    lines = decided_lines(path, configuration(), fleet.Fleet)
    found = [json.loads(next(lines)) for _ in texts]
    assert {one["query_type"] for one in found} == {"simple_factual"}
    with pytest.raises(InvalidQuestion, match=f"line {3 * LOT + 1}: not JSON"):
        next(lines)
