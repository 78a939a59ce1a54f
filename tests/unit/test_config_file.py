"""Reading the configuration's file: whatever stands in it, it is taken or refused in sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pointsman.config_file import from_environment, load
from pointsman.sentences import ConfigurationError
from tests.builders import document

same_folder = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _toml(value: Any) -> str:
    """A value as TOML; tables are written inline."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {_toml(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value)


def _file(folder: Path, table: dict[str, Any]) -> Path:
    path = folder / "router.toml"
    path.write_text("\n".join(f"{json.dumps(key)} = {_toml(value)}" for key, value in table.items()), encoding="utf-8")
    return path


def _faults_if_any(path: Path) -> list[str]:
    try:
        load(path)
    except ConfigurationError as refused:
        return refused.faults or ["refused without a sentence"]
    return []


def _faults(path: Path) -> list[str]:
    with pytest.raises(ConfigurationError) as refused:
        load(path)
    return refused.value.faults


scalars = (
    st.booleans() | st.integers(-(2**63), 2**63) | st.floats(-1e9, 1e9) | st.sampled_from(["alpha", "a/b", "score"])
)
names = st.sampled_from(
    ["providers", "routes", "query_types", "scoring", "weights", "cost", "alpha", "analysis", "chain", "price", "x"]
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4), max_leaves=10
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("configurations")


def test_a_sound_file_is_read(tmp_path: Path) -> None:
    found = load(_file(tmp_path, document()))
    assert list(found.providers) == ["alpha", "beta"]
    assert found.tables()["query_types.analysis"].chain == ("alpha", "beta")


@given(table=st.dictionaries(names, values, max_size=4))
@same_folder
def test_any_tables_are_taken_or_refused(folder: Path, table: dict[str, Any]) -> None:
    assert "refused without a sentence" not in _faults_if_any(_file(folder, table))


@given(st.data())
@same_folder
def test_any_value_in_a_sound_file_is_taken_or_refused_with_its_path(folder: Path, data: st.DataObject) -> None:
    table = document(routes={"extract": {"chain": ["alpha", "beta"]}}, scoring={"weights": {"cost": 0.3}}, retry={})
    *path, last = data.draw(
        st.sampled_from(
            [
                ("providers", "alpha", "model"),
                ("providers", "alpha", "price"),
                ("providers", "alpha", "strengths"),
                ("providers", "alpha", "timeout_s"),
                ("providers", "alpha", "supports"),
                ("routes", "extract", "chain"),
                ("routes", "extract", "response_schema"),
                ("routes", "extract", "query_type"),
                ("scoring", "weights", "cost"),
                ("retry", "max_sleep_s"),
                ("classification",),
            ]
        )
    )
    inner: dict[str, Any] = table
    for step in path:
        inner = inner[step]
    inner[last] = data.draw(values)
    tables = ("providers.", "routes.", "query_types.", "scoring.", "retry.", "classification")
    assert all(line.startswith(tables) for line in _faults_if_any(_file(folder, table)))


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
@same_folder
def test_any_bytes_are_taken_or_refused(folder: Path, content: bytes) -> None:
    path = folder / "bytes.toml"
    path.write_bytes(content)
    assert _faults(path)


@pytest.mark.parametrize("content", [f"x = {'[' * 5000}", f"x = {'9' * 5000}", 'x = "\\ud800"', "x = 2026-13-01"])
def test_what_the_parser_gives_up_on_is_not_toml(tmp_path: Path, content: str) -> None:
    path = tmp_path / "router.toml"
    path.write_text(content, encoding="utf-8")
    (sentence,) = _faults(path)
    assert sentence.startswith(f"{path}: not TOML: ")


def test_a_folder_in_place_of_the_file_is_told(tmp_path: Path) -> None:
    (sentence,) = _faults(tmp_path)
    assert sentence == f"{tmp_path}: cannot be read (Is a directory); give a file that this process may read"


def test_a_file_in_another_encoding_is_told_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes("# Zürich".encode("latin-1"))
    assert _faults(path) == [f"{path}: cannot be read (byte 4 is not UTF-8); convert it"]


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("context_tokens", True, "providers.alpha.context_tokens: should be a number, without quotes (it is true)"),
        ("timeout_s", "25", "providers.alpha.timeout_s: should be a number, without quotes (it is '25')"),
        ("enabled", 0, "providers.alpha.enabled: should be true or false, without quotes (it is 0)"),
        ("enabled", "yes", "providers.alpha.enabled: should be true or false, without quotes (it is 'yes')"),
        (
            "price",
            {"input": "1", "output": 2},
            "providers.alpha.price.input: should be a number, without quotes (it is '1')",
        ),
    ],
)
def test_nothing_is_read_as_what_it_is_not(tmp_path: Path, key: str, value: Any, sentence: str) -> None:
    table = document()
    table["providers"]["alpha"] = {**table["providers"]["alpha"], key: value}
    assert _faults(_file(tmp_path, table)) == [sentence]


def test_whole_numbers_are_read_as_any_and_what_is_free_stays_as_it_is(tmp_path: Path) -> None:
    table = document()
    table["providers"]["alpha"] = {**table["providers"]["alpha"], "timeout_s": 25, "extra": {"x": True, "y": "1"}}
    assert load(_file(tmp_path, table)).providers["alpha"].extra == {"x": True, "y": "1"}


def test_two_providers_with_one_name_are_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, document())
    path.write_text(path.read_text(encoding="utf-8") + "\n[providers.alpha]\n", encoding="utf-8")
    (sentence,) = _faults(path)
    assert sentence.startswith(f"{path}: declared twice: ")


def test_the_key_of_the_read_schemas_is_unknown_in_a_file(tmp_path: Path) -> None:
    assert _faults(_file(tmp_path, document(schemas={}))) == ["schemas: unknown key; remove it"]


def test_a_routes_schema_is_read_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "name.json").write_text('{"type": "object"}', encoding="utf-8")
    route = {"chain": ["alpha", "beta"], "response_schema": "name.json"}
    assert load(_file(tmp_path, document(routes={"extract": route}))).schemas == {"name.json": {"type": "object"}}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "routes.extract.response_schema: no file name.json beside the configuration"),
        ("{", "routes.extract.response_schema: name.json is not JSON"),
        ("[" * 5000, "routes.extract.response_schema: name.json is not JSON"),
        ("[]", "routes.extract.response_schema: name.json is not a JSON Schema: an object is expected"),
        ('{"type": "x"}', "routes.extract.response_schema: name.json is not a JSON Schema (at type)"),
        ('{"$ref": "http://127.0.0.1/"}', "routes.extract.response_schema: name.json is the reference"),
    ],
)
def test_a_routes_schema_that_is_none_is_refused(tmp_path: Path, content: str | None, sentence: str) -> None:
    if content is not None:
        (tmp_path / "name.json").write_text(content, encoding="utf-8")
    route = {"chain": ["alpha", "beta"], "response_schema": "name.json"}
    (told,) = _faults(_file(tmp_path, document(routes={"extract": route})))
    assert told.startswith(sentence)


def test_the_variable_names_the_file() -> None:
    assert from_environment({"POINTSMAN_CONFIG": "config/demo.toml"}) == Path("config/demo.toml")


def test_the_projects_own_demonstration_is_sound() -> None:
    demo = Path(__file__).parents[2] / "config" / "demo.toml"
    assert _faults_if_any(demo) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "breaker = 3",
            "breaker: is a table; write [breaker] on a line of its own and its keys below (it is 3)",
        ),
        (
            "[[breaker]]\nopen_s = 3",
            "breaker: is a table and not a list; write [breaker] in single brackets and its keys below",
        ),
        (
            "routes = 'x'",
            "routes: is a table; write [routes.NAME] on a line of its own and its keys below (it is 'x')",
        ),
        (
            "[[ledger]]\nenabled = true",
            "ledger: is a table and not a list; write [ledger] in single brackets and its keys below",
        ),
        ("[hedge]\ndelay_min = 1", "hedge: unknown key; did you mean hedging?"),
    ],
)
def test_whoever_mistakes_a_table_is_told_how_to_write_it(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "router.toml"
    path.write_text(f"{text}\n[providers]\n", encoding="utf-8")
    assert _faults(path) == [sentence]
