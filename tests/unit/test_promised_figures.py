"""What the benchmark promises: every figure is made, with its limit, in its order, beside others, and is explained."""

from __future__ import annotations

import ast
import asyncio
import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import parts, plain_question
from benchmarks.document import BEGIN, END, in_markdown
from benchmarks.extent import QUICK
from benchmarks.figures import Figure, Neighbour, print_table, write_json
from benchmarks.found import Found
from benchmarks.history import Expense
from benchmarks.parts import PARTS, Plan, measure
from benchmarks.promised import PROMISED, arranged, missing, promised
from benchmarks.resilience.arrivals import Asked
from benchmarks.resilience.outage import figures as outage_figures
from benchmarks.resilience.scenario import Run, Scenario
from benchmarks.resilience.scripts import Timeline, steady
from benchmarks.resilience.tally import tally
from benchmarks.resilience.titles import LITELLM, NAIVE, POINTSMAN
from benchmarks.rounds import Way

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
WANTED = [
    ("plain_p50_ratio", "<=", "1.5"),
    ("plain_throughput_ratio", ">=", "0.6"),
    ("plain_events", "<=", "14"),
    ("plain_actions", "<=", "4"),
    ("hedged_events", "<=", "17"),
    ("hedged_actions", "<=", "6"),
    ("decide_p99_ms", "<=", "5"),
    ("hedge_abort_p95_ms", "<=", "250"),
    ("slow_primary_p999_ratio", "<=", "1/3"),
    ("slow_primary_calls_per_question", "<=", "1.06"),
    ("outage_failed", "<=", "0"),
    ("outage_calls_per_question", "<=", "1.02"),
    ("kill_lost", "<=", "0"),
    ("kill_paid_again", "<=", "0"),
    ("cli_start_s", "<=", "0.7"),
    ("worker_idle_mb", "<=", "350"),
]
"""The design's table of figures to hold, in its order."""
ROW = re.compile(r"^\| `(?P<key>\w+)` \| (?P<sign>[<>]=) (?P<limit>\S+) \| `(?P<part>\w+)` \|", re.MULTILINE)


def calls_of(function: str) -> list[ast.Call]:
    """Where the benchmark's code calls a function by its name."""
    return [
        node
        for path in sorted((ROOT / "benchmarks").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
    ]


def keys_made(function: str) -> list[str]:
    """The keys that it gives to the function as they are written there."""
    called = calls_of(function)
    firsts = [node.args[0] for node in called if node.args]
    return [str(first.value) for first in firsts if isinstance(first, ast.Constant)]


def way(*rounds: tuple[float, float]) -> Way:
    """Rounds of one question each, by its milliseconds and the throughput."""

    async def ask() -> None:
        raise NotImplementedError

    return Way(ask, [[ms, ms] for ms, _ in rounds], [per_s for _, per_s in rounds])


def test_what_is_promised_is_what_the_design_wants() -> None:
    limits = {
        key: (float(Fraction(limit)), None) if sign == "<=" else (None, float(Fraction(limit)))
        for key, sign, limit in WANTED
    }
    assert [(key, (one.at_most, one.at_least)) for key, one in PROMISED.items()] == list(limits.items())


def test_each_promised_figure_is_made_in_one_place_and_by_no_other_limit() -> None:
    assert sorted(keys_made("promised")) == sorted(PROMISED)
    assert not set(keys_made("Figure")) & set(PROMISED)


def test_something_stands_beside_each_promised_figure() -> None:
    assert [call.lineno for call in calls_of("promised") if "beside" not in {word.arg for word in call.keywords}] == []


def test_a_figure_that_is_not_on_the_list_cannot_be_promised() -> None:
    with pytest.raises(KeyError):
        promised("bench_s", "the whole benchmark", 1.0)


def test_promised_figures_come_first_in_their_order_and_one_that_is_missing_is_named() -> None:
    made = [
        Figure("bench_s", "", 1.0),
        *(promised(key, key, 0.0) for key in reversed(list(PROMISED)) if key != "kill_lost"),
    ]
    first, others = arranged(made)
    assert [figure.key for figure in first] == [key for key in PROMISED if key != "kill_lost"]
    assert [figure.key for figure in others] == ["bench_s"]
    assert missing(made) == ["kill_lost"]


def test_the_baseline_stands_beside_a_plain_question_with_the_span_of_the_rounds() -> None:
    ours, base = way((12.0, 80.0), (15.0, 60.0)), way((10.0, 100.0), (10.0, 100.0))
    found = {figure.key: figure for figure in plain_question.compared(ours, base)}
    ratio, rate = found["plain_p50_ratio"], found["plain_throughput_ratio"]
    assert (ratio.value, rate.value) == pytest.approx((1.35, 0.7))
    assert {other.key: other.value for other in ratio.beside} == pytest.approx(
        {
            "plain_p50_ms": 13.5,
            "baseline_p50_ms": 10.0,
            "plain_p50_ratio_lowest_round": 1.2,
            "plain_p50_ratio_highest_round": 1.5,
        }
    )
    assert {other.key: other.value for other in rate.beside} == pytest.approx(
        {
            "plain_per_s": 70.0,
            "baseline_per_s": 100.0,
            "plain_throughput_ratio_lowest_round": 0.6,
            "plain_throughput_ratio_highest_round": 0.8,
        }
    )
    events, actions = plain_question.spent(Expense(13, 3), Expense(11, 2))
    assert (events.value, events.beside[0].value, actions.value, actions.beside[0].value) == (13, 11, 3, 2)


def test_everybody_who_was_asked_the_same_stands_beside_an_outage() -> None:
    asked = {POINTSMAN: [Asked(1, 50.0)], LITELLM: [Asked(1, 50.0, fault="Timeout")], NAIVE: [Asked(1, 60.0)]}
    scenario = Scenario("outage", "outage", steady(1), 1, hedge=False, contenders=tuple(asked))
    nothing_down = Timeline(((1.0, 2.0),), begins=0.0)
    tallies = {
        name: tally("outage", name, found, {"primary": [], "secondary": []}, timeline=nothing_down, warm_up=0, busy=0.0)
        for name, found in asked.items()
    }
    failed, calls = outage_figures(
        Run(scenario, tallies, asked[POINTSMAN], {}, worker_mb=(0, 0), busy=0, complaints=[])
    )
    assert (failed.value, calls.value) == (0, 0)
    assert [other.sentence for other in failed.beside] == ["LiteLLM Router 1", "naive failover 0"]
    assert [other.key for other in calls.beside] == [
        "outage_litellm_calls_per_question",
        "outage_naive_calls_per_question",
    ]
    noted = {figure.key: figure.value for row in tallies.values() for figure in row.figures("outage")}
    assert noted["outage_litellm_failed"] == 1


def test_a_table_names_the_machine_what_holds_and_what_stands_beside() -> None:
    console = Console(width=160, record=True)
    kept = promised("outage_failed", "outage: failed", 0, beside=(Neighbour("o", "LiteLLM Router", 3),))
    broken = Figure("bench_s", "  the whole", 400.0, "s", at_most=300)
    print_table(console, "Some CPU, 2 cores", [kept], [broken])
    text = console.export_text()
    lines = [re.sub(r"\s*│\s*", "|", line.strip(" │")) for line in text.splitlines()]
    assert text.startswith("Some CPU, 2 cores")
    assert "outage: failed|0|<= 0|yes|LiteLLM Router 3" in lines
    assert "Does not hold: the whole." in text


@pytest.mark.parametrize(
    ("value", "amount"), [(0, "0 ms"), (1.23456, "1.235 ms"), (999.9, "999.9 ms"), (10_310.4, "10,310 ms")]
)
def test_an_amount_has_four_digits_or_all_its_whole_ones(value: float, amount: str) -> None:
    assert Figure("a", "a", value, "ms").amount == amount


def test_a_table_in_which_nothing_stands_beside_has_no_column_for_it() -> None:
    console = Console(width=160, record=True)
    print_table(console, "Some CPU", [Figure("a", "a", 1.0)])
    assert "beside" not in console.export_text()


def test_the_file_holds_figures_and_what_stands_beside_them_under_flat_keys(tmp_path: Path) -> None:
    path = tmp_path / "build" / "bench.json"
    kept = promised("cli_start_s", "start", 0.25, "s", beside=(Neighbour("cli_start_longest_s", "longest", 0.31, "s"),))
    write_json(path, {"cpu": "Some CPU", "quick": 0}, [kept])
    told = json.loads(path.read_text(encoding="utf-8"))
    assert told == {"cpu": "Some CPU", "quick": 0, "cli_start_s": 0.25, "cli_start_longest_s": 0.31}


def test_a_part_that_is_not_named_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def stated(name: str) -> Callable[[Plan], Found]:
        return lambda _plan: Found([Figure(name, name, 1.0)])

    monkeypatch.setattr(parts, "ALONE", {name: stated(name) for name in ("decide", "cli")})
    said: list[str] = []
    found = asyncio.run(measure(Plan(("cli",), QUICK, None, said.append)))
    assert [figure.key for figure in found.figures] == said == ["cli"]


def test_the_page_explains_each_promised_figure_with_its_limit_in_its_order_and_names_its_part() -> None:
    rows = list(ROW.finditer(PAGE.read_text(encoding="utf-8").partition(BEGIN)[0]))
    assert [(row["key"], row["sign"], row["limit"]) for row in rows] == WANTED
    assert {row["part"] for row in rows} <= set(PARTS)


def test_the_page_names_every_part_and_no_other() -> None:
    page = PAGE.read_text(encoding="utf-8")
    (listed,) = re.findall(r"^Parts are (.*?), measured in that order", page, re.MULTILINE | re.DOTALL)
    assert tuple(re.findall(r"`(\w+)`", listed)) == PARTS
    named = {part for words in re.findall(r"ONLY=(\"[^\"]+\"|\w+)", page) for part in words.strip('"').split()}
    assert named <= set(PARTS)


def test_a_run_can_put_its_figures_into_the_page() -> None:
    _, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    assert begin
    assert END in rest
    row = in_markdown([promised("worker_idle_mb", "memory", 210.0, "MB", beside=(Neighbour("m", "after", 212, "MB"),))])
    assert row.splitlines()[-1] == "| `worker_idle_mb` | 210 MB | <= 350 MB | yes | after 212 MB |"
