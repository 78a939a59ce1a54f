"""The figures of docs/scale.md: those that hang on no machine are what the command prints today."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.document import BEGIN, END, write
from benchmarks.scale import entity, money, pacing, questions, tables
from benchmarks.scale.__main__ import WORKERS

DOC = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.fixture(scope="module")
def figures() -> str:
    text = DOC.read_text(encoding="utf-8")
    return text.partition(BEGIN)[2].partition(END)[0]


def test_what_a_question_costs_stands_in_the_document(figures: str) -> None:
    assert tables.of_questions(questions.costs()) in figures


def test_by_how_much_budgets_are_overshot_stands_in_the_document(figures: str) -> None:
    assert tables.of_money(money.overshoot(workers) for workers in WORKERS) in figures


@pytest.mark.parametrize("workers", [1, 100, 1_000])
def test_how_often_a_fleet_speaks_stands_in_the_document(figures: str, workers: int) -> None:
    assert tables.of_paces([pacing.pace(workers)]).splitlines()[-1] in figures


def test_a_plain_question_is_as_cheap_as_promised() -> None:
    plain = questions.costs()[0]
    assert (plain.kind, plain.signals) == ("plain", 0)
    assert plain.events <= 14
    assert plain.actions <= 4


def test_a_fleet_of_a_thousand_sends_no_more_than_one_of_a_hundred() -> None:
    found = pacing.pace(1_000)
    assert found.signals_per_s == pytest.approx(20, abs=1)
    assert found.queries_per_s == pytest.approx(50, abs=2)
    assert (found.told_workers, found.stale_share, found.unknown_share) == (1_000, 0, 0)


def test_an_entity_of_the_most_providers_fits_its_payload() -> None:
    found = entity.load(5_000, 100, 0.2)
    assert found.state_bytes < 2_000_000
    assert found.report_ms > 0
    assert entity.refused(500) == 400


def test_the_figures_take_the_place_of_those_before(tmp_path: Path) -> None:
    path = tmp_path / "scale.md"
    path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    write(path, "new")
    assert path.read_text(encoding="utf-8") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
