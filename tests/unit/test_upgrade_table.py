"""How upgrades look on a terminal, and what the commands refuse before they reach a server."""

from __future__ import annotations

import pytest

from pointsman.catalogue.commands import PromoteUpgrade
from pointsman.catalogue.upgrading import observed, promote
from pointsman.cli.command import run
from pointsman.cli.exits import Exit
from pointsman.cli.upgrade_table import print_upgrades, verdict_words
from tests.upgrades import BASE, NEW, NOON, arm, begun, shadowing, shown, side


def _printed(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_without_an_upgrade_the_command_to_begin_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    print_upgrades([])
    assert "begin one with `pointsman upgrade start`" in _printed(capsys)


def test_a_new_upgrade_shows_who_wanted_it_and_no_empty_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_upgrades([begun(note="cheaper")])
    told = _printed(capsys)
    assert f"alpha: {BASE} -> {NEW}: evaluating" in told
    assert "2026-12-01 12:00:00Z evaluating by ada:" in told
    assert "(cheaper)" in told
    assert "interval" not in told


def test_shadowed_questions_are_shown_side_by_side_with_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    print_upgrades([shown(new=side(grounded=0.9), base=side(grounded=0.95))])
    told = _printed(capsys)
    for row in (
        "match the schema",
        "context supports",
        "refusals",
        "errors",
        "agree",
        "p50",
        "p95",
        "cost of a question",
    ):
        assert row in told
    assert "x 1.00 to 1.00" in told
    assert "at least 80%" in told
    assert "verdict: better or equal: it may be promoted" in told
    assert "0.0300 USD spent, 0.0300 on 2026-12-01 of 100 a day" in told


def test_live_questions_are_shown_once_the_new_model_serves(capsys: pytest.CaptureFixture[str]) -> None:
    promoting, _ = promote(shown(), PromoteUpgrade(provider="alpha", share=0.1), NOON)
    print_upgrades([observed(promoting, {BASE: arm(90), NEW: arm(10)}, NOON)[0]])
    told = _printed(capsys)
    assert "promoting, 10 % of the questions" in told
    assert "Live questions" in told
    assert "verdict: too few to tell: 10 of 20" in told


def test_what_was_never_measured_has_no_row(capsys: pytest.CaptureFixture[str]) -> None:
    print_upgrades([shown()])
    assert "context supports" not in _printed(capsys)


def test_a_verdict_says_in_what_a_model_is_worse_or_may_be() -> None:
    worse = shown(new=side(answered=False, schema_valid=None), agreement=None)
    assert verdict_words(worse.shadow_comparison()) == "worse in errors"
    unclear = shown(shown(), times=1, new=side(answered=False, schema_valid=None), agreement=None)
    assert verdict_words(unclear.shadow_comparison()).startswith("too few to tell: errors may be chance")


def test_shadows_without_a_pair_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    print_upgrades([shadowing().model_copy(update={"shadows": shadowing().shadows.model_copy(update={"unpaired": 3})})])
    assert "3 shadows could not be compared" in _printed(capsys)


def test_one_price_without_the_other_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["upgrade", "start", "alpha", "--model", NEW, "--input-price", "1.0"])
    assert status == Exit.BAD_INPUT
    assert "--input-price and --output-price, or neither" in capsys.readouterr().err
