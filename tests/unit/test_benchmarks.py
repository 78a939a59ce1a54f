"""How the benchmark counts: what it says of Pointsman and of others is only as good as this."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks import divergence
from benchmarks.resilience.arrivals import Asked, arrivals, prompt
from benchmarks.resilience.scenario import complaints
from benchmarks.resilience.scripts import Timeline, down, hanging, limited
from benchmarks.resilience.slow_primary import abort_lags_ms
from benchmarks.resilience.tally import tally
from workers.embedded.scripted.request import Hit, Outcome
from workers.embedded.scripted.script import Hang, Reply, Status


def hit(asked: str, *, started: float = 0.0, ended: float | None = 1.0, outcome: Outcome = "answered") -> Hit:
    named: Mapping[str, Any] = {"name": "n", "dialect": "openai", "number": 1, "headers": {}, "body": {}}
    return Hit(model="m", prompt=asked, started=started, ended=ended, outcome=outcome, **named)


def request(number: int) -> Hit:
    named: Mapping[str, Any] = {"name": "n", "dialect": "openai", "headers": {}, "body": {}}
    return Hit(model="m", prompt="p", started=0.0, number=number, **named)


def test_arrivals_are_the_same_for_a_seed_and_keep_to_the_rate() -> None:
    times = arrivals(100, 10.0, seed=1)
    assert times == arrivals(100, 10.0, seed=1) != arrivals(100, 10.0, seed=2)
    assert times == sorted(times)
    assert 0 <= times[0] <= times[-1] <= 10


def test_a_primary_hangs_on_the_same_requests_for_every_contender() -> None:
    scripts = [hanging(7, 0.02), hanging(7, 0.02)]
    hung = [[number for number in range(3000) if isinstance(script(request(number)), Hang)] for script in scripts]
    assert hung[0] == hung[1]
    assert len(hung[0]) == pytest.approx(60, abs=25)


def test_a_provider_is_down_in_its_spans_only() -> None:
    timeline = Timeline(((10, 20), (30, 40)))
    assert not timeline.down(at=15)
    timeline.begins = 100.0
    assert [timeline.down(at=100 + second) for second in (9, 10, 19.9, 20, 35)] == [False, True, True, False, True]
    assert isinstance(down(1, Timeline(()))(request(1)), Reply)


def test_a_limited_provider_says_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 5.0)
    script = limited(1, per_s=2, retry_after_s=3)
    replies = [script(request(number)) for number in range(3)]
    assert [type(reply) for reply in replies] == [Reply, Reply, Status]
    assert isinstance(replies[2], Status)
    assert replies[2].headers == {"retry-after": "3"}


def test_calls_of_the_warm_up_do_not_count_and_probes_do() -> None:
    timeline = Timeline(((10, 20),), begins=100.0)
    asked = [Asked(2, 50.0), Asked(3, 60.0, fault="QuestionFailed")]
    primary = [
        hit(prompt(1), started=99.0),
        hit(prompt(1), started=101.0),
        hit(prompt(2), started=111.0),
        hit("ok?", started=112.0),
    ]
    secondary = [hit(prompt(2), started=112.0), hit(prompt(3), started=113.0)]
    row = tally(
        "s", "pointsman", asked, {"primary": primary, "secondary": secondary}, timeline=timeline, warm_up=2, busy=0.5
    )
    assert (row.questions, row.failed, row.answered) == (2, 1, 0.5)
    assert (row.calls_per_question, row.probes, row.dead_calls) == (2.0, 1, 2)


def test_a_loser_that_went_on_counts_among_the_slowest_and_one_that_was_about_to_answer_not_at_all() -> None:
    primary = [
        hit("cut", ended=5.05, outcome="aborted"),
        hit("went on", ended=9.0),
        hit("about to", ended=5.05),
        hit("held back", ended=4.0),
        hit("alone", ended=1.0),
    ]
    secondary = [hit(name, ended=5.0) for name in ("cut", "went on", "about to", "held back")]
    winners = dict.fromkeys(("cut", "went on", "about to", "held back"), "secondary") | {"alone": "primary"}
    lags, ran_on = abort_lags_ms({"primary": primary, "secondary": secondary}, winners)
    assert lags == pytest.approx([50, 4000])
    assert ran_on == 1


def test_an_error_of_a_worker_is_told_with_its_traceback_and_a_warning_is_not() -> None:
    warning = "2026-01-01 00:00:00,001 WARNING breaker: opened"
    error = (
        "2026-01-01 00:00:00,002 WARNING worker: failed\nTraceback (most recent call last):\n  line 1\nValueError: x"
    )
    assert complaints(f"{warning}\n{error}\n{warning}\n") == [error]


def labelled(folder: Path, rows: list[tuple[str, str, str]]) -> None:
    lines = (
        json.dumps({"question": "How many?", "answer_a": a, "answer_b": b, "label": label}) for a, b, label in rows
    )
    (folder / "divergence_dev.jsonl").write_text("\n".join(lines), encoding="utf-8")


def test_a_detector_that_cannot_tell_is_wrong(tmp_path: Path) -> None:
    labelled(tmp_path, [("5", "5.0", "agree"), ("5", "6", "disagree"), ("5", "five", "disagree"), ("7", "8", "agree")])
    figures, tables, remarks = divergence.measure(tmp_path)
    found = {figure.key: figure.value for figure in figures}
    assert remarks == []
    assert [table.row_count for table in tables] == [2]
    assert found["divergence_accuracy"] == found["divergence_f1"] == found["divergence_recall"] == 0.5
    one = divergence.Score("", "", 4, hits=1, false_alarms=0, missed=1, untold=1, right=2, p50_ms=0, p95_ms=0)
    assert (one.accuracy, one.precision, one.recall, one.f1) == (0.5, 1.0, 0.5, 0.5)


@pytest.mark.parametrize("folder", [None, "empty"])
def test_without_data_divergence_is_not_measured(folder: str | None, tmp_path: Path) -> None:
    figures, tables, remarks = divergence.measure(None if folder is None else tmp_path)
    assert (figures, tables) == ([], [])
    assert "not measured" in remarks[0]
