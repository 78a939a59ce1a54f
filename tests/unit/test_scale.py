"""The figures of docs/scale.md: those that hang on no machine are what the command prints today."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from benchmarks.document import BEGIN, END, write
from benchmarks.scale import entity, money, pacing, questions, tables
from benchmarks.scale.pacing import Pace
from benchmarks.scale.sizes import WORKERS, rates_of
from pointsman.health.report import DELTAS_MAX

DOC = Path(__file__).parents[2] / "docs" / "scale.md"
LOAD = entity.Load(
    questions_per_s=10,
    workers=1,
    providers=5,
    rows=5,
    report_bytes=1_000,
    report_ms=1,
    snapshot_bytes=1_000,
    snapshot_ms=1,
    state_bytes=1_000,
    state_ms=0,
)


@pytest.fixture(scope="module")
def figures() -> str:
    text = DOC.read_text(encoding="utf-8")
    return text.partition(BEGIN)[2].partition(END)[0]


paced = cache(pacing.pace)
loaded = cache(entity.load)


def test_what_a_question_costs_stands_in_the_document(figures: str) -> None:
    assert tables.of_questions(questions.costs()) in figures


def test_by_how_much_budgets_are_overshot_stands_in_the_document(figures: str) -> None:
    assert tables.of_money(money.overshoot(workers, rates_of(workers)) for workers in WORKERS) in figures


@pytest.mark.parametrize("workers", WORKERS)
def test_how_often_a_fleet_speaks_stands_in_the_document(figures: str, workers: int) -> None:
    assert tables.of_paces([paced(workers)]).splitlines()[-1] in figures


@pytest.mark.parametrize(
    ("rate", "workers", "providers"),
    [(10, 1, 5), (10, 5_000, 5), (1_000, 10, 50), (1_000, 100, 5), (100_000, 1_000, 5)],
)
def test_what_the_entity_gets_gives_and_keeps_stands_in_the_document(
    figures: str, rate: int, workers: int, providers: int
) -> None:
    found = loaded(rate, workers, providers)
    assert tables.of_sizes([found], {workers: paced(workers)}).splitlines()[-1] in figures


def test_the_document_has_every_fleet_that_makes_sense(figures: str) -> None:
    assert {workers: rates_of(workers) for workers in WORKERS} == {
        1: (10,),
        10: (10, 1_000),
        100: (10, 1_000),
        1_000: (10, 1_000, 100_000),
        5_000: (10, 1_000, 100_000),
    }
    for workers in WORKERS:
        for rate in rates_of(workers):
            for providers in entity.PROVIDERS:
                assert f"| {rate:,} | {workers:,} | {providers} |" in figures


def test_every_attempt_is_a_task() -> None:
    tasks = {cost.kind: cost.tasks for cost in questions.costs()}
    assert (tasks["plain"], tasks["retry"], tasks["throttled"], tasks["all_failed"]) == (3, 4, 6, 8)


def test_a_plain_question_is_as_cheap_as_promised() -> None:
    plain = questions.costs()[0]
    assert (plain.kind, plain.signals) == ("plain", 0)
    assert plain.events <= 14
    assert plain.actions <= 4


def test_a_fleet_of_a_thousand_sends_no_more_than_one_of_a_hundred() -> None:
    found = paced(1_000)
    assert found.signals_per_s == pytest.approx(20, abs=1)
    assert found.queries_per_s == pytest.approx(50, abs=2)
    assert (found.told_workers, found.stale_share, found.unknown_share) == (1_000, 0, 0)


def test_an_entity_of_the_most_providers_fits_its_payload() -> None:
    found = loaded(1_000, 5_000, 100)
    assert found.state_bytes < 2_000_000
    assert found.report_ms > 0
    assert entity.refused(500) == 400


def test_reports_are_bounded_at_any_rate() -> None:
    calm, busy = loaded(1_000, 1_000, 5), loaded(100_000, 1_000, 5)
    assert calm.rows < busy.rows <= DELTAS_MAX
    assert busy.report_bytes < 80_000


def test_a_new_run_comes_by_events_or_by_bytes() -> None:
    assert LOAD.run_s(20) == 50
    assert replace(LOAD, report_bytes=2**17).run_s(20) == pytest.approx(1.6)


@pytest.mark.parametrize(
    ("report_ms", "cell"),
    [
        (20, "45.0% (20.0 + 1.0 ms)"),
        (30, "**65.0% (30.0 + 1.0 ms)**"),
        (60, "**125.0% (60.0 + 1.0 ms), falls behind**"),
    ],
)
def test_an_entity_that_takes_half_a_core_is_bold_and_one_that_takes_more_than_a_core_falls_behind(
    report_ms: float, cell: str
) -> None:
    pace = Pace(
        workers=1,
        signals_per_s=20,
        queries_per_s=50,
        told_workers=1,
        age_p50_s=1,
        age_p99_s=1,
        stale_share=0,
        unknown_share=0,
    )
    found = tables.of_cores([replace(LOAD, report_ms=report_ms)], {1: pace})
    assert found.splitlines()[-1] == f"| 10 | 1 | {cell} |"


def test_the_figures_take_the_place_of_those_before(tmp_path: Path) -> None:
    path = tmp_path / "scale.md"
    path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    write(path, "new")
    assert path.read_text(encoding="utf-8") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
