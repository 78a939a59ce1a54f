"""Lines reach their file whole and in order, and whoever writes one never waits."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pointsman.sentences import ConfigurationError
from workers.telemetry.line_log import LineLog


def test_lines_are_written_in_order_to_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "decisions.jsonl"
    log = LineLog(str(path))
    for number in range(100):
        log.write(f"line {number}")
    log.close()
    assert path.read_text(encoding="utf-8").splitlines() == [f"line {number}" for number in range(100)]
    assert path.stat().st_mode & 0o077 == 0
    assert log.dropped == 0


def test_a_second_process_adds_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    for word in ("first", "second"):
        log = LineLog(str(path))
        log.write(word)
        log.close()
    assert path.read_text(encoding="utf-8") == "first\nsecond\n"


def test_a_file_that_was_moved_away_is_opened_anew(tmp_path: Path) -> None:
    path, moved = tmp_path / "decisions.jsonl", tmp_path / "decisions.jsonl.1"
    log = LineLog(str(path))
    log.write("before")
    give_up = time.monotonic() + 10
    while path.read_text(encoding="utf-8") != "before\n":
        assert time.monotonic() < give_up
        time.sleep(0.01)
    path.rename(moved)
    log.write("after")
    log.close()
    assert (moved.read_text(encoding="utf-8"), path.read_text(encoding="utf-8")) == ("before\n", "after\n")


def test_while_the_name_cannot_be_had_lines_go_into_the_file_moved_away_and_no_other_file_is_touched(
    tmp_path: Path,
) -> None:
    path, moved = tmp_path / "decisions.jsonl", tmp_path / "decisions.jsonl.1"
    log = LineLog(str(path))

    def written(word: str, where: Path) -> None:
        log.write(word)
        give_up = time.monotonic() + 10
        while not (where.is_file() and word in where.read_text(encoding="utf-8")):
            assert time.monotonic() < give_up
            time.sleep(0.01)

    written("first", path)
    path.rename(moved)
    path.mkdir()
    written("second", moved)
    with (tmp_path / "other").open("w", encoding="utf-8") as other:
        written("third", moved)
        other.write("mine")
    path.rmdir()
    written("fourth", path)
    log.close()
    assert (tmp_path / "other").read_text(encoding="utf-8") == "mine"
    assert moved.read_text(encoding="utf-8") == "first\nsecond\nthird\n"
    assert log.dropped == 0


def test_a_reader_that_does_not_read_costs_lines_and_no_time(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    log = LineLog(str(fifo), room=10)
    started = time.monotonic()
    for _ in range(2000):
        log.write("x" * 1000)
    assert time.monotonic() - started < 5
    assert log.dropped > 0
    started = time.monotonic()
    log.close(0.2)
    assert time.monotonic() - started < 5
    os.close(reader)


def test_a_file_that_cannot_be_written_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"telemetry\.decision_log: .* cannot be written \(Is a directory\)"):
        LineLog(str(tmp_path))
