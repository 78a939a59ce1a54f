"""JSON Schemas: which are usable, and what a value breaks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.bounded_validator import TooCostly
from pointsman.schemas import mismatch, schema_fault

SLOW = "^(a|aa)+$b"

documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["$ref", "$dynamicRef", "$id", "$defs", "properties", "items", "type", "pattern", "enum", "multipleOf"]
            ),
            inner
            | st.sampled_from(
                ["#", "#/$defs/a", "#/items/a", "#a", "string", "object", "http://127.0.0.1/", "[", "a+"]
            ),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        ({"type": "nothing"}, "not a JSON Schema (at type): 'nothing' is not valid under any of the given schemas"),
        ({"properties": 5}, "not a JSON Schema (at properties): 5 is not of type 'object'"),
        ({"pattern": "["}, "not a JSON Schema: '[' is not a pattern ("),
        ({"pattern": "a**"}, "not a JSON Schema: 'a**' is not a pattern (multiple repeat"),
        ({"pattern": r"\p{Nothing}"}, r"not a JSON Schema: '\\p{Nothing}' is not a pattern (unknown property"),
        (
            {"allOf": [{"patternProperties": {"a": {}}}], "unevaluatedProperties": False},
            "patternProperties and unevaluatedProperties do not go together",
        ),
        ({"$ref": "#/$defs/none"}, "the reference '/$defs/none' leads nowhere"),
        ({"$ref": "file:///etc/passwd"}, "the reference 'file:///etc/passwd' leads nowhere"),
        ({"$dynamicRef": "http://127.0.0.1/"}, "the reference 'http://127.0.0.1/' leads nowhere"),
        ({"$ref": "#nowhere"}, "the reference 'nowhere' leads nowhere"),
        ({"$ref": "#/x", "x": {"$ref": "#/y"}}, "the reference '/y' leads nowhere"),
        ({"$ref": "#/x/a", "x": [1]}, "a reference counts into a list with a word"),
        ({"$ref": "#/x", "x": 5}, "not a JSON Schema: 5 is not of type 'object', 'boolean'"),
    ],
)
def test_an_unusable_schema_is_told_with_its_place(schema: dict[str, Any], sentence: str) -> None:
    found = schema_fault(schema)
    assert found is not None
    assert found.startswith(sentence)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"$ref": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/a"}}, "items": {"$ref": "#/$defs/a"}},
        {"definitions": {"a": {"type": "string"}}, "$ref": "#/definitions/a"},
        {"$defs": {"a": {"$anchor": "here"}}, "$ref": "#here"},
        {"$defs": {"a": {"$id": "nested", "$defs": {"b": {}}, "$ref": "#/$defs/b"}}, "$ref": "nested"},
        # What stands here is a value or a name, however it looks.
        {"enum": [{"$ref": "nowhere"}], "default": {"$ref": "nowhere"}},
        {"properties": {"$ref": {"type": "string"}}},
    ],
)
def test_references_within_a_schema_are_followed(schema: dict[str, Any]) -> None:
    assert schema_fault(schema) is None


def test_a_schema_without_end_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(2000):
        schema = {"items": schema}
    assert schema_fault(schema) == "nested too deeply to be checked"


def test_a_mismatch_names_place_and_keyword_and_quotes_no_value() -> None:
    schema = {"properties": {"rows": {"items": {"type": "integer"}}}, "required": ["rows"]}
    assert mismatch({"rows": [1, "secret"]}, schema) == "rows/1 breaks 'type'"
    assert mismatch({}, schema) == "the whole breaks 'required'"
    assert mismatch({"rows": [1]}, schema) is None


def test_what_cannot_be_checked_is_a_mismatch() -> None:
    assert mismatch(10**400, {"multipleOf": 0.1}) == "nested too deeply, or a number too large, to be checked"
    assert mismatch({}, {"$ref": "#"}) == "nested too deeply, or a number too large, to be checked"


def test_properties_by_pattern() -> None:
    schema = {
        "properties": {"id": {}},
        "patternProperties": {"^n_": {"type": "integer"}},
        "additionalProperties": {"pattern": r"^\p{Lu}"},
    }
    assert mismatch({"id": None, "n_a": 1, "title": "\N{LATIN CAPITAL LETTER E WITH ACUTE}t\xe9"}, schema) is None
    assert mismatch({"n_a": "1"}, schema) == "n_a breaks 'type'"
    assert mismatch({"title": "small"}, schema) == "title breaks 'pattern'"
    assert mismatch({"x": 1}, {"additionalProperties": False}) == "the whole breaks 'additionalProperties'"


def test_a_schema_that_would_take_for_ever_is_given_up() -> None:
    doubling: dict[str, Any] = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    endless = {"$defs": {**doubling, "d30": False}, "$ref": "#/$defs/d0"}
    assert schema_fault(endless) is None
    with pytest.raises(TooCostly):
        mismatch(1, endless)


@pytest.mark.parametrize(
    "schema", [{"pattern": SLOW}, {"propertyNames": {"pattern": SLOW}}, {"patternProperties": {SLOW: {}}}]
)
def test_a_pattern_that_would_take_for_ever_is_given_up(schema: dict[str, Any]) -> None:
    text = "a" * 60
    with pytest.raises(TooCostly):
        mismatch(text if "pattern" in schema else {text: 1}, schema)


@given(schema=documents, value=documents)
def test_a_schema_that_passes_can_be_applied_to_any_value(schema: Any, value: Any) -> None:
    if isinstance(schema, dict) and schema_fault(schema) is None:
        mismatch(value, schema)
