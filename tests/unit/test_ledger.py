"""The ledger: one row per attempt, sums that are exact, and a database that others write too: SQLite and PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, text
from sqlalchemy.schema import CreateTable

from pointsman.cost import cost_usd
from pointsman.ledger.database import Ledger
from pointsman.ledger.entry import NANO, LedgerEntry, LedgerUnavailable
from pointsman.ledger.table import SCHEMA_VERSION, attempts, metadata, upsert
from pointsman.outcomes import Attempt, Usage, total_cost
from pointsman.provider import Price
from tests.builders import NOON, attempt
from tests.builders import ledger_entry as entry

DAY = NOON.date()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/new/ledger.db"
    return str(request.getfixturevalue("postgresql"))


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    opened = Ledger.open(url)
    yield opened
    opened.close()


def _only(ledger: Ledger) -> LedgerEntry:
    (row,) = ledger.rows()
    return row


def test_what_was_written_is_read(ledger: Ledger) -> None:
    written = entry(model_served="m-1", error_class="failure", kind="http_503", hedge=True, latency_ms=12.5)
    written = written.model_copy(update={"query_type": "analysis", "task": "extract", "tenant": "blue"})
    ledger.write([written])
    assert _only(ledger) == written


def test_an_entry_holds_its_attempt() -> None:
    usage = Usage(input_tokens=4, output_tokens=3, cached_tokens=2, reasoning_tokens=1, source="estimated")
    row = attempt(usage=usage, cost_usd=0.000001375, attempt=2, purpose="classification", latency_ms=9.0)
    found = LedgerEntry.of(row, workflow_id="q", run_id="r", leg="7", started_at=NOON, task="t", tenant="blue")
    shared = (set(LedgerEntry.model_fields) & set(Attempt.model_fields)) | {"attempt"}
    assert {name: getattr(found, name) for name in shared} == {name: getattr(row, name) for name in shared}
    assert (found.key, found.task, found.tenant) == (("q", "r", "7", 2), "t", "blue")
    assert (found.cost_nano_usd, found.usage_source) == (1375, "estimated")
    assert (found.input_tokens, found.output_tokens, found.cached_tokens, found.reasoning_tokens) == (4, 3, 2, 1)


def test_an_unknown_cost_is_no_0() -> None:
    row = attempt(cost_usd=None)
    assert LedgerEntry.of(row, workflow_id="q", run_id="r", leg="1", started_at=NOON).cost_nano_usd is None


def test_a_moment_counts_to_its_utc_day() -> None:
    late = entry(started_at=datetime(2026, 11, 30, 23, tzinfo=timezone(timedelta(hours=-5))))
    assert (late.day, late.started_at.hour) == (date(2026, 12, 1), 4)


def test_no_text_is_one_that_a_database_refuses(ledger: Ledger) -> None:
    ledger.write([entry(model_served="m\0", workflow_id="half \ud83d", task="\ud83d\ude00")])
    assert (_only(ledger).model_served, _only(ledger).workflow_id) == ("m\ufffd", "half \ufffd")
    assert _only(ledger).task == "\N{GRINNING FACE}"


def test_a_second_write_does_not_double(ledger: Ledger) -> None:
    ledger.write([entry(), entry(2)])
    ledger.write([entry(2), entry(3)])
    assert [row.attempt for row in ledger.rows()] == [1, 2, 3]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("estimated", "reported", "second"),
        ("reported", "estimated", "first"),
        ("unknown", "estimated", "second"),
        ("estimated", "unknown", "first"),
        ("estimated", "estimated", "second"),
        ("reported", "reported", "second"),
    ],
)
def test_a_row_is_replaced_by_one_that_is_no_less_certain(ledger: Ledger, first: str, second: str, kept: str) -> None:
    ledger.write([entry(usage_source=first, kind="first")])
    ledger.write([entry(usage_source=second, kind="second")])
    assert _only(ledger).kind == kept


def test_the_later_of_two_rows_in_one_write_counts(ledger: Ledger) -> None:
    ledger.write([entry(usage_source="estimated", kind="worker_lost"), entry()])
    assert (_only(ledger).kind, _only(ledger).usage_source) == (None, "reported")


def test_a_day_is_summed_for_one_provider(ledger: Ledger) -> None:
    ledger.write(
        [
            entry(1, cost_nano_usd=1_500),
            entry(2, cost_nano_usd=1_500),
            entry(3, cost_nano_usd=7, usage_source="estimated"),
            entry(4, cost_nano_usd=None),
            entry(5, provider="beta"),
            entry(6, started_at=NOON + timedelta(days=1)),
        ]
    )
    spent = ledger.spent("alpha", DAY)
    assert (spent.reported_usd, spent.estimated_usd, spent.unknown) == (3e-06, 7e-09, 1)
    assert spent.usd == pytest.approx(3.007e-06)
    assert ledger.spent("gamma", DAY).usd == 0


def test_totals_keep_sources_apart_and_count_the_unknown(ledger: Ledger) -> None:
    ledger.write(
        [
            entry(1, query_type="analysis"),
            entry(2, query_type="analysis", cost_nano_usd=None),
            entry(3, query_type="analysis", usage_source="estimated"),
            entry(4, query_type="code_task", started_at=NOON + timedelta(days=1)),
        ]
    )
    found = ledger.totals("day", "query_type")
    assert [(total.group, total.usage_source, total.attempts, total.unknown, total.cost_usd) for total in found] == [
        ((DAY, "analysis"), "estimated", 1, 0, 0.001),
        ((DAY, "analysis"), "reported", 2, 1, 0.001),
        ((DAY + timedelta(days=1), "code_task"), "reported", 1, 0, 0.001),
    ]
    assert (found[1].input_tokens, found[1].output_tokens) == (20, 10)
    assert sum(total.attempts for total in ledger.totals(since=DAY, until=DAY)) == 3
    assert [row.attempt for row in ledger.rows(since=DAY + timedelta(days=1))] == [4]


cents = st.integers(0, 100_000).map(lambda thousandths: thousandths / 1000)
tokens = st.integers(0, 400_000)


@given(
    price=st.builds(Price, input=cents, output=cents, cached_input=cents),
    usages=st.lists(
        st.builds(Usage, input_tokens=tokens, output_tokens=tokens, cached_tokens=tokens, source=st.just("reported")),
        max_size=10,
    ),
)
def test_the_rows_of_a_question_sum_to_its_cost(price: Price, usages: list[Usage]) -> None:
    rows = tuple(attempt(usage=usage, cost_usd=cost_usd(usage, price)) for usage in usages)
    kept = [LedgerEntry.of(row, workflow_id="q", run_id="r", leg="1", started_at=NOON) for row in rows]
    answer = total_cost(rows)
    assert answer is not None
    assert abs(sum(row.cost_nano_usd or 0 for row in kept) - answer * NANO) < 1


_WRITER = """
import sys
from activities.ledger import BackgroundLedger
from pointsman.ledger.database import Ledger
from tests.builders import ledger_entry

writing = BackgroundLedger(Ledger.open(sys.argv[1]))
for number in range(int(sys.argv[3])):
    writing.record(ledger_entry(number, workflow_id=sys.argv[2]))
writing.close(60)
sys.exit(writing.lost)
"""


def test_two_processes_that_write_at_once_lose_nothing(url: str, ledger: Ledger) -> None:
    command = [sys.executable, "-c", _WRITER, url]
    root = Path(__file__).parents[2]
    writers = [subprocess.Popen([*command, name, "3000"], cwd=root) for name in ("one", "two")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    for name in ("one", "two"):
        assert sorted(row.attempt for row in ledger.rows(workflow_id=name)) == list(range(3000))


def test_reading_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable, match="no ledger at"):
        Ledger.open(f"sqlite:///{tmp_path}/ledger.db").spent("alpha", DAY)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_ledger_that_is_away(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LedgerUnavailable):
        Ledger.open(f"sqlite:///{tmp_path}/file/ledger.db").write([entry()])


def test_a_server_that_is_away_is_a_ledger_that_is_away() -> None:
    with pytest.raises(LedgerUnavailable) as away:
        Ledger.open("postgresql://someone:SECRET@127.0.0.1:9/none").write([entry()])
    assert "SECRET" not in str(away.value)


def test_a_ledger_whose_file_was_emptied_is_made_again(tmp_path: Path) -> None:
    ledger = Ledger.open(f"sqlite:///{tmp_path}/ledger.db")
    ledger.write([entry()])
    engine = create_engine(f"sqlite:///{tmp_path}/ledger.db")
    metadata.drop_all(engine)
    engine.dispose()
    with pytest.raises(LedgerUnavailable):
        ledger.write([entry(2)])
    ledger.write([entry(2)])
    assert _only(ledger).attempt == 2
    ledger.close()


def test_a_ledger_of_a_later_version_is_left_alone(url: str, ledger: Ledger) -> None:
    ledger.write([entry()])
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE pointsman_ledger_schema SET version = {SCHEMA_VERSION + 1}"))
    engine.dispose()
    later = Ledger.open(url)
    with pytest.raises(LedgerUnavailable, match="it has the form 2"):
        later.write([entry(2)])
    with pytest.raises(LedgerUnavailable, match="it has the form 2"):
        later.totals()
    later.close()


def test_a_file_of_sqlite_is_in_wal_mode(tmp_path: Path) -> None:
    ledger = Ledger.open(f"sqlite:///{tmp_path}/ledger.db")
    ledger.write([entry()])
    assert (tmp_path / "ledger.db-wal").exists()
    ledger.close()


def test_the_statements_of_postgresql_can_be_written_down() -> None:
    dialect = create_engine("postgresql+psycopg://").dialect
    table, statement = str(CreateTable(attempts).compile(dialect=dialect)), str(upsert("postgresql").compile())
    assert "PRIMARY KEY (workflow_id, run_id, leg, attempt)" in table
    assert "cost_nano_usd BIGINT" in table
    assert "started_at TIMESTAMP WITH TIME ZONE NOT NULL" in table
    assert "ON CONFLICT (workflow_id, run_id, leg, attempt) DO UPDATE" in statement
