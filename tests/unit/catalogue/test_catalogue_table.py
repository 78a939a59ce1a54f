"""The catalogue on a terminal: every table, and nothing that a vendor could write into it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.events import CatalogueEvent
from pointsman.cli.catalogue_table import print_catalogue
from tests import upgrades
from tests.catalogues import NOON, evaluation, figures, holding, profile, served


def shown(capsys: pytest.CaptureFixture[str], document: CatalogueDocument, *events: CatalogueEvent) -> str:
    print_catalogue(document, events, NOON + timedelta(days=76))
    return capsys.readouterr().out


def test_an_empty_catalogue_says_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert "begin with `pointsman profile run`" in shown(capsys, CatalogueDocument())


def test_every_table_is_shown_with_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    half = figures(10, passed=5, samples=20, cost_usd=None)
    document = holding(
        profile(figures={"analysis": half}),
        profile("beta", measured_at=NOON - timedelta(days=14), figures={"code_task": figures(0, p50_ms=None)}),
        evaluation(),
        served(served="other", before="first", accepted=False),
        upgrades={"alpha": upgrades.begun()},
    )
    text = shown(capsys, document, CatalogueEvent(at=NOON, kind="imported", operator="ada"))
    for told in (
        "76 d ago, soon retired",
        "90 d ago, retired",
        "10 of 20",
        "50% (24% to 76%)",
        "412 / 967 ms",
        "unknown",
        "19 of 20",
        "changed; not accepted yet",
        "evaluating",
        "2026-12-01 12:00:00Z  catalogue imported by ada",
    ):
        assert told in text, told


def test_what_a_vendor_says_neither_styles_nor_breaks_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    rude = "[red]a[/nothing] \x1b[2J\u202e"
    text = shown(capsys, holding(served(served=rude), evaluation(task="[bold]t")))
    assert "[red]a[/nothing] \\x1b[2J\\u202e" in text
    assert "[bold]t" in text
    assert "\x1b" not in text
