"""What `pointsman check` prints holds no secret, also where one was written into the configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pointsman.cli.command import app
from pointsman.config_file import load
from pointsman.configuration import Configuration
from pointsman.ledger.settings import DEFAULT_URL, LedgerSettings
from pointsman.masking import masked_configuration, masked_url
from pointsman.sentences import ConfigurationError
from tests.builders import configuration, document, provider_table

SECRET = "CANARY"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (DEFAULT_URL, DEFAULT_URL),
        ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"),
        ("postgresql://me@host/db?sslmode=require", "postgresql://me@host/db?sslmode=require"),
        (f"postgresql://me:{SECRET}@host:5432/db", "postgresql://me:***@host:5432/db"),
        (f"postgresql://me:p@{SECRET}@host/db", "postgresql://me:***@host/db"),
        (f"postgresql+psycopg://:{SECRET}@/db", "postgresql+psycopg://:***@/db"),
        (f"postgresql://host/db?user=me&password={SECRET}&x=1", "postgresql://host/db?user=me&password=***&x=1"),
        (f"https://host/v1?api_key={SECRET}", "https://host/v1?api_key=***"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert masked_url(url) == shown


def _file(folder: Path, url: str) -> Path:
    table = provider_table(api_base="http://127.0.0.1:9/v1")
    tables = document({"alpha": table, "beta": table}, ledger={"url": url})
    inline = ['extra = { api_version = "CANARY" }', 'extra_headers = { Authorization = "Bearer CANARY" }']
    path = folder / "router.toml"
    path.write_text(_toml(tables, inline), encoding="utf-8")
    return path


def _toml(tables: dict[str, object], inline: list[str]) -> str:
    """The tables as TOML, with more lines in that of every provider."""
    lines: list[str] = []
    for kind in ("providers", "query_types"):
        group = tables[kind]
        assert isinstance(group, dict)
        for name, table in group.items():
            lines.append(f"[{kind}.{name}]")
            lines += [f"{key} = {_value(value)}" for key, value in table.items()]
            lines += inline if kind == "providers" else []
    ledger = tables["ledger"]
    assert isinstance(ledger, dict)
    return "\n".join([*lines, "[ledger]", f"url = {json.dumps(ledger['url'])}"])


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items()) + "}"
    return str(value) if value == "2026-11-30" else json.dumps(value)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_check_names_what_may_hold_a_key_and_masks_it(tmp_path: Path, form: list[str]) -> None:
    path = _file(tmp_path, f"postgresql://me:{SECRET}@host/db")
    told = CliRunner().invoke(app, ["check", "--config", str(path), *form])
    assert SECRET not in told.output
    assert "postgresql://me:***@host/db" in told.output
    assert "api_version" in told.output
    assert "Authorization" in told.output


@pytest.mark.parametrize("url", [f"mysql://me:{SECRET}@host/db", SECRET, "sqlite://", "sqlite:///:memory:", ""])
def test_an_address_of_no_ledger_is_refused_without_being_quoted(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        load(_file(tmp_path, url))
    (sentence,) = refused.value.faults
    assert sentence.startswith("ledger.url: not a ledger; give sqlite:///")
    assert SECRET not in sentence


@pytest.mark.parametrize(
    "url", ["sqlite:///ledger.db", "sqlite:////var/ledger.db", "postgresql://host/db", "postgresql+psycopg:///db"]
)
def test_an_address_of_a_ledger_is_taken(url: str) -> None:
    assert LedgerSettings(url=url).url == url


def test_a_ledger_is_kept_unless_it_is_turned_off() -> None:
    assert Configuration.model_validate(document()).ledger == LedgerSettings(enabled=True, url=DEFAULT_URL)


def test_a_configuration_is_printed_without_the_address_of_its_ledger() -> None:
    told = Configuration.model_validate(document(ledger={"url": f"postgresql://me:{SECRET}@host/db"}))
    assert SECRET not in repr(told)


def test_of_a_webhook_only_the_host_is_shown() -> None:
    settings = configuration(review={"webhook": "https://user:pw@hooks.example.com/T0/SECRET?token=SECRET"})
    shown = masked_configuration(settings.model_dump(mode="json", exclude_none=True))
    assert shown["review"]["webhook"] == "https://hooks.example.com/***"
