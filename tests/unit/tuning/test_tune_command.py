"""`pointsman tune` from end to end, and its sentence for everything that it cannot use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pointsman.cli import tuning
from pointsman.cli.command import run
from pointsman.ledger.database import Ledger
from pointsman.ledger.entry import NANO
from tests.builders import ledger_entry
from tests.known_outcomes import row, rows, written


@pytest.fixture(autouse=True)
def _without_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("POINTSMAN_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


def test_curve_policies_and_weights_are_printed_and_files_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "mine.jsonl", rows())
    assert run(["tune", "--outcomes", str(path), "--keep", "0.9"]) == 0
    told = capsys.readouterr().out
    for part in ("source", "balanced", "cheapest_good", "best", "oracle", "weights.cost 0.05", "recommended: policy"):
        assert part in told
    assert "written: mine.tuning.toml, mine.tuning.svg" in told
    assert (tmp_path / "mine.tuning.svg").read_text(encoding="utf-8").startswith("<svg")


def test_json_is_one_object_and_nothing_is_ever_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = written(tmp_path / "mine.jsonl", rows(10)), tmp_path / "new" / "folder"
    texts: list[str] = []
    for name in ("mine.tuning.toml", "mine.tuning-2.toml"):
        assert run(["tune", "--outcomes", str(path), "--out", str(out), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["written"][0] == str(out / name)
        assert (told["recommendation"], told["questions"], len(told["policies"])) == (None, 10, 4)
        texts.append((out / "mine.tuning.toml").read_text(encoding="utf-8"))
    assert texts[0] == texts[1]


def test_a_configuration_with_what_was_written_passes_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    providers = "".join(
        f'[providers.{name}]\nmodel = "simulated/{name}"\ntier = "one"\nreasoning_depth = 3\ncontext_tokens = 10000\n'
        f"rate_limit_per_minute = 600\nprice = {{ input = {price}, output = {price} }}\n"
        "latency = { p50_ms = 100, p95_ms = 200 }\n"
        for name, price in (("cheap", 0.5), ("dear", 20))
    )
    chains = "".join(
        f'[query_types.{kind}]\nchain = ["cheap", "dear"]\n'
        for kind in ("simple_factual", "complex_reasoning", "creative_generation", "code_task", "analysis")
    )
    plain = f'catalogue.admission = "declared"\n{providers}{chains}'
    config = tmp_path / "router.toml"
    config.write_text(plain, encoding="utf-8")
    outcomes = written(tmp_path / "mine.jsonl", rows())
    assert run(["tune", "--outcomes", str(outcomes), "--config", str(config), "--keep", "0.9"]) == 0
    config.write_text(plain + (tmp_path / "mine.tuning.toml").read_text(encoding="utf-8"), encoding="utf-8")
    capsys.readouterr()
    assert run(["check", "--config", str(config), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["scoring"]["policy"] == "balanced"
    assert told["providers"]["cheap"]["strengths"]["code_task"] < 0.3


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], "give --outcomes FILE, or --scores FILE"),
        (["--outcomes", "none.jsonl"], "none.jsonl: no such file"),
        (["--outcomes", "one.jsonl"], "one.jsonl: line 1: provider: all rows are of 'cheap'"),
        (["--outcomes", "gap.jsonl"], "gap.jsonl: line 3: provider: question 'q2'"),
        (["--outcomes", "few.jsonl"], "few.jsonl: question: there are 1"),
        (["--outcomes", "few.jsonl", "--out", "few.jsonl"], "--out: few.jsonl cannot be written to"),
        (["--outcomes", "few.jsonl", "--keep", "2"], "--keep"),
        (["--outcomes", "few.jsonl", "--ledger", "default"], "--ledger: it is joined with scores"),
        (["--outcomes", "few.jsonl", "--scores", "few.jsonl"], "one of them"),
        (["--scores", "scores.jsonl"], "the ledger cannot be read: there is no ledger at"),
        (["--scores", "scores.jsonl", "--ledger", "oracle://x"], "--ledger: not a ledger"),
        (["--scores", "few.jsonl", "--ledger", "sqlite:///l.db"], "--scores: few.jsonl: "),
        (["--scores", "bad.jsonl"], "bad.jsonl: line 1: score: "),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(
    arguments: list[str], wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "one.jsonl", [row("q1"), row("q2")])
    written(tmp_path / "gap.jsonl", [row("q1", "a"), row("q1", "b"), row("q2", "a")])
    written(tmp_path / "few.jsonl", [row("q1", "a"), row("q1", "b")])
    written(tmp_path / "scores.jsonl", [{"workflow_id": "w", "score": 1}])
    written(tmp_path / "bad.jsonl", [{"workflow_id": "w", "score": 7}])
    assert run(["tune", *arguments]) == 2
    told = capsys.readouterr().err
    assert wanted in told
    assert len(told.strip().splitlines()) == 1


@pytest.mark.parametrize("most_names", [10, 1000])
def test_the_ledger_and_scores_make_outcomes(
    most_names: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "_MOST_NAMES", most_names)
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    ledger = Ledger.open(url)
    entries = [
        ledger_entry(
            workflow_id=f"q{number}",
            provider="cheap" if number % 2 else "dear",
            cost_nano_usd=round((0.001 if number % 2 else 0.01) * NANO),
            query_type="code_task",
            latency_ms=100.0,
        )
        for number in range(120)
    ]
    ledger.write(entries)
    ledger.close()
    scores = written(tmp_path / "scores.jsonl", [{"workflow_id": f"q{number}", "score": 0.9} for number in range(120)])
    assert run(["tune", "--scores", str(scores), "--ledger", url, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    figures = {one["name"]: one["usd_per_1k"] for one in told["providers"]}
    assert figures == pytest.approx({"cheap": 1.0, "dear": 10.0})
    assert told["best_single"]["name"] == "cheap"
    assert "Who was asked what was no chance" in " ".join(told["notes"])
