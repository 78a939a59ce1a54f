"""What `pointsman upgrade` refuses before it looks for a server."""

from __future__ import annotations

import pytest

from pointsman.cli.command import run
from pointsman.cli.exits import Exit

START = ("upgrade", "start", "alpha", "--model", "openai/model-2026-11-01")
PRICE = "give USD per million tokens, from 0 to 1,000,000"


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    status = run(list(arguments))
    told = capsys.readouterr()
    assert (status, told.out) == (Exit.BAD_INPUT, "")
    return told.err


@pytest.mark.parametrize("price", ["-1", "nan", "inf", "1000001"])
def test_a_price_that_is_none_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str], price: str) -> None:
    shown = f"{float(price):g}"
    told = _refused(capsys, *START, "--input-price", price, "--output-price", "1")
    assert told == f"--input-price is {shown}; {PRICE}\n"
    told = _refused(capsys, *START, "--input-price", "0", "--output-price", price)
    assert told == f"--output-price is {shown}; {PRICE}\n"


@pytest.mark.parametrize("share", ["101", "0", "-5", "nan"])
def test_a_share_that_is_none_is_refused_in_percent(capsys: pytest.CaptureFixture[str], share: str) -> None:
    told = _refused(capsys, "upgrade", "promote", "alpha", "--share", share)
    assert told == f"--share is {share}; give a percentage above 0, up to 100\n"
