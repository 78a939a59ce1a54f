"""`pointsman costs`: sums that are exact, that say what they lack, and a ledger that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pointsman.cli.command import run
from pointsman.cli.exits import Exit
from pointsman.ledger.costs import CostReport, CostRow, dollars, places_of, total_words
from pointsman.ledger.database import Ledger
from pointsman.ledger.sums import Total
from tests.builders import NOON, write_configuration
from tests.builders import ledger_entry as entry

Costs = Callable[..., int]
SECRET = "correct-horse"


@pytest.fixture(params=["sqlite", "postgresql"])
def costs(request: pytest.FixtureRequest, tmp_path: Path) -> Costs:
    """`pointsman costs` on a ledger with six attempts of two days."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    if request.param == "postgresql":
        url = str(request.getfixturevalue("postgresql"))
    ledger = Ledger.open(url)
    ledger.write(
        [
            entry(1, cost_nano_usd=1_125, task="extract", tenant="blue"),
            entry(2, cost_nano_usd=0, task="extract", outcome="failed", kind="http_503"),
            entry(
                3, provider="beta", cost_nano_usd=2_000_000, usage_source="estimated", outcome="cancelled", hedge=True
            ),
            entry(4, provider="gamma", cost_nano_usd=None),
            entry(5, cost_nano_usd=7, started_at=NOON + timedelta(days=1), tenant="blue"),
            entry(6, provider="gamma", cost_nano_usd=5_000),
        ]
    )
    ledger.close()
    path = write_configuration(tmp_path, ledger={"url": url})
    return lambda *arguments: run(["costs", "--config", str(path), *arguments])


def _json(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    told = json.loads(capsys.readouterr().out)
    assert isinstance(told, dict)
    return told


def test_a_table_tells_reported_estimated_and_unknown_costs_apart(
    costs: Costs, capsys: pytest.CaptureFixture[str]
) -> None:
    assert costs() == Exit.DONE
    lines = capsys.readouterr().out.splitlines()
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    assert cells == [
        ["beta", "1", "$0.000000000", "$0.002000000", "", "about $0.002000000"],
        ["gamma", "2", "$0.000005000", "", "1 of 2", "at least $0.000005000"],
        ["alpha", "3", "$0.000001132", "", "", "$0.000001132"],
        ["all", "6", "$0.000006132", "$0.002000000", "1 of 6", "at least $0.002006132"],
    ]
    assert lines[-3:] == [
        "every attempt of UTC days from the first to now, failed ones and hedge losers included",
        "estimated: calls that were cut off or still run, or whose provider told no tokens",
        "unknown: attempts without a price or a count of tokens; they are in no sum",
    ]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("day", ["2026-12-01", "2026-12-02"]),
        ("tenant", [None, "blue"]),
        ("task", [None, "extract"]),
        ("outcome", ["cancelled", "answered", "failed"]),
        ("provider", ["beta", "gamma", "alpha"]),
    ],
)
def test_costs_are_summed_by(
    costs: Costs, capsys: pytest.CaptureFixture[str], by: str, names: list[str | None]
) -> None:
    assert costs("--by", by, "--json") == Exit.DONE
    told = _json(capsys)
    assert [row["name"] for row in told["rows"]] == [
        name if by != "day" or name is None else str(NOON.date() + timedelta(days=names.index(name))) for name in names
    ]
    assert (told["total"]["attempts"], told["total"]["unknown_attempts"]) == (6, 1)
    assert told["total"]["reported_nano_usd"] == sum(row["reported_nano_usd"] for row in told["rows"]) == 6_132
    assert told["total"]["at_least"] is True


def test_days_are_bounded_by_since_and_until(costs: Costs, capsys: pytest.CaptureFixture[str]) -> None:
    last = str(NOON.date() + timedelta(days=1))
    assert costs("--since", last, "--json") == Exit.DONE
    told = _json(capsys)
    assert (told["since"], told["total"]["attempts"], told["total"]["total_usd"]) == (last, 1, 7e-9)
    assert costs("--until", str(NOON.date()), "--json") == Exit.DONE
    assert _json(capsys)["total"]["attempts"] == 5
    assert costs("--since", "2030-01-01") == Exit.DONE
    assert capsys.readouterr().out == "no attempts of UTC days from 2030-01-01 to now\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--since", "yesterday"], "--since: 'yesterday' is no day; give one such as 2026-11-30"),
        (["--since", "2026-12-02", "--until", "2026-12-01"], "--until: 2026-12-01 is before --since"),
        (["--by", "colour"], "'colour'"),
    ],
)
def test_bad_input_is_refused(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["costs", *arguments]) == Exit.BAD_INPUT
    assert sentence in capsys.readouterr().err


def _refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], **ledger: Any) -> tuple[int, str]:
    status = run(["costs", "--config", str(write_configuration(tmp_path, ledger=ledger))])
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert SECRET not in said
    return status, said


def test_a_ledger_that_is_not_there_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = _refused(tmp_path, capsys, url=f"sqlite:///{tmp_path}/ledger.db")
    assert (status, "there is no ledger at" in said) == (Exit.NOT_REACHED, True)


def test_a_file_that_is_no_ledger_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ledger.db").write_bytes(b"no database at all" * 100)
    status, said = _refused(tmp_path, capsys, url=f"sqlite:///{tmp_path}/ledger.db")
    assert (status, "file is not a database" in said) == (Exit.NOT_REACHED, True)
    assert said.rstrip().endswith("--config or POINTSMAN_CONFIG, or correct its ledger.url")


def test_what_cannot_be_summed_by_is_a_sentence_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["costs", "--by", "bogus"]) == Exit.BAD_INPUT
    assert capsys.readouterr().err.startswith("Invalid value for '--by': 'bogus' is not one of 'provider', 'task', ")


def test_an_empty_database_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str], postgresql: str) -> None:
    status, said = _refused(tmp_path, capsys, url=postgresql)
    assert (status, "no attempt has been written there yet" in said) == (Exit.NOT_REACHED, True)


def test_a_password_is_in_no_message(tmp_path: Path, capsys: pytest.CaptureFixture[str], postgresql: str) -> None:
    away = f"postgresql://me:{SECRET}@127.0.0.1:9/db"
    status, said = _refused(tmp_path, capsys, url=away)
    assert (status, "the ledger of costs at postgresql://me:***@127.0.0.1:9/db cannot be read" in said) == (3, True)
    odd = postgresql.replace("postgres:@", f"me:{SECRET}@").replace("?", "?no_such_option=1&")
    assert _refused(tmp_path, capsys, url=odd)[0] == Exit.NOT_REACHED
    status, said = _refused(tmp_path, capsys, url=f"postgresql://me:{SECRET}/x@host:{SECRET}/db")
    assert (status, said.startswith("ledger.url: not an address")) == (Exit.BAD_INPUT, True)


def test_a_ledger_that_is_switched_off_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = _refused(tmp_path, capsys, enabled=False)
    assert (status, said.startswith("ledger.enabled: it is false")) == (Exit.BAD_INPUT, True)


def test_without_a_configuration_the_default_ledger_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("POINTSMAN_CONFIG", raising=False)
    ledger = Ledger.open("sqlite:///.pointsman/ledger.db")
    ledger.write([entry(task="no \x1b[2J task")])
    ledger.close()
    assert run(["costs", "--by", "task"]) == Exit.DONE
    assert "no \\x1b[2J task" in capsys.readouterr().out


def test_amounts_are_told_exactly_with_the_fewest_places() -> None:
    assert (places_of([1_000_000_000, 10_000_000]), places_of([]), places_of([1_125])) == (2, 2, 9)
    assert (dollars(1_234_567_890_000_000_000, 2), dollars(5_000, 6)) == ("$1,234,567,890.00", "$0.000005")


def test_a_sum_says_what_it_is() -> None:
    exact = CostRow(name="a", attempts=1, reported_nano_usd=10**9)
    guessed = exact.plus(CostRow(name="b", attempts=1, estimated_attempts=1, estimated_nano_usd=10**9))
    lacking = guessed.plus(CostRow(name="c", attempts=1, unknown_attempts=1))
    assert [total_words(row, 2) for row in (exact, guessed, lacking)] == ["$1.00", "about $2.00", "at least $2.00"]


def test_an_unknown_source_with_a_cost_is_an_estimate() -> None:
    usual: dict[str, Any] = {"input_tokens": 1, "output_tokens": 1, "cached_tokens": 0, "reasoning_tokens": 0}
    sums = [
        Total(group=("a",), usage_source=source, attempts=2, unknown=1, cost_nano_usd=5, **usual)
        for source in ("reported", "unknown")
    ]
    (row,) = CostReport.of("task", sums).rows
    assert (row.reported_nano_usd, row.estimated_nano_usd, row.estimated_attempts, row.unknown_attempts) == (5, 5, 1, 2)
