"""Bad input in sentences."""

from __future__ import annotations

from typing import Annotated, Any, Self

import pytest
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, model_validator

from pointsman.errors import PointsmanError
from pointsman.sentences import ConfigurationError, in_one, sentences


class _Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    colour: str = ""
    size: int = 1
    shade: Annotated[str, StringConstraints(min_length=1)] = "dark"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.size == 7:
            raise ValueError(f"size: {self.size} does not fit colour; choose one")
        return self


class _Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    needed: int
    inner: _Inner | None = None
    named: dict[str, _Inner] = {}
    listed: tuple[_Inner, ...] = ()


def _told(**fields: Any) -> list[str]:
    with pytest.raises(ValidationError) as refused:
        _Outer.model_validate(fields)
    return sentences(refused.value, _Outer)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "needed: missing; it is required"),
        ({"needed": "x"}, "needed: input should be a valid integer, unable to parse string as an integer (it is 'x')"),
        ({"needed": 1, "zzz": 1}, "zzz: unknown key; known here: inner, listed, named, needed"),
        ({"needed": 1, "inner": {"color": "x"}}, "inner.color: unknown key; did you mean colour?"),
        ({"needed": 1, "named": {"a": {"siz": 1}}}, "named.a.siz: unknown key; did you mean size?"),
        ({"needed": 1, "listed": [{"siz": 1}]}, "listed.0.siz: unknown key; did you mean size?"),
        ({"needed": 1, "inner": 3}, "inner: input should be an object (it is 3)"),
        ({"needed": 1, "named": []}, "named: input should be an object"),
        ({"needed": 1, "inner": {"size": 7}}, "inner.size: 7 does not fit colour; choose one"),
        ({"needed": 1, "inner": {"shade": "\ud800"}}, "inner.shade: not valid Unicode (a lone surrogate); "),
    ],
)
def test_a_fault_starts_with_its_path_and_says_what_to_do(fields: dict[str, Any], sentence: str) -> None:
    (told,) = _told(**fields)
    assert told.startswith(sentence)


def test_every_fault_is_told() -> None:
    assert len(_told(inner={"color": 1, "size": "x"})) == 3


def test_a_long_value_is_not_quoted() -> None:
    (told,) = _told(needed="secret " * 10)
    assert "secret" not in told


def test_a_value_in_pieces_is_not_quoted() -> None:
    (told,) = _told(needed=["secret"])
    assert told == "needed: input should be a valid integer"


def test_a_configuration_error_reads_as_its_sentences() -> None:
    error = ConfigurationError(["a: b", "c: d"])
    assert (str(error), error.faults) == ("a: b\nc: d", ["a: b", "c: d"])
    assert isinstance(error, PointsmanError)


def test_no_sentence_is_as_long_as_what_somebody_sent() -> None:
    (told,) = _told(needed=1, inner={"colour" + "x" * 1_400_000: 1})
    assert len(told) < 1100
    assert told.startswith("inner.colourxxx")
    assert told.endswith("did you mean colour?") or "known here: colour, shade, size" in told
    (cut,) = ConfigurationError(["routes.x.chain: " + "y" * 1_400_000 + "; name a provider"]).faults
    assert (len(cut) < 1100, cut[:16], cut[-15:]) == (True, "routes.x.chain: ", "name a provider")


def test_one_line_holds_ten_sentences_and_the_number_of_the_others() -> None:
    with pytest.raises(ValidationError) as refused:
        _Outer.model_validate({"needed": 1, **{f"odd{number}": 1 for number in range(25)}})
    told = in_one(refused.value, _Outer)
    assert told.count("unknown key") == 10
    assert told.endswith("; and 15 more")
    assert "\n" not in told


@pytest.mark.parametrize("text", ['{"needed": 1, "named": {"\\ud800": {}}}', '{"inner": {"shade": "\\udc00"}}'])
def test_half_a_pair_in_json_is_named_as_such(text: str) -> None:
    with pytest.raises(ValidationError) as refused:
        _Outer.model_validate_json(text)
    assert sentences(refused.value, _Outer)[0].endswith(
        "not valid Unicode (a lone surrogate); send text that can be encoded as UTF-8"
    )
