"""How large a pattern becomes, and that one which is too large is refused before it is compiled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.bounded_validator import MAX_PATTERN_SIZE, compiled
from pointsman.pattern_size import pattern_size
from pointsman.schemas import schema_fault


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("", 0),
        ("abc", 3),
        ("a{3}", 3),
        ("a{2,5}b", 6),
        ("a{3,}", 3),
        ("[a-z]{1,64}@[a-z]{1,255}", 64 + 1 + 255),
        (r"\d{4}-\d{2}-\d{2}", 10),
        ("(?:ab){10}", 40),
        ("((a{10}){10}){10}", 1000),
        ("[]{9}]{2}", 2),
        (r"\{9}", 3),
        ("a{x}", 4),
        ("a)b", 3),
        ("a{99999999999999999999}", 10**9),
    ],
)
def test_a_counted_repeat_is_written_out_and_nested_ones_multiply(pattern: str, size: int) -> None:
    assert pattern_size(pattern) == size


@given(st.text(alphabet="ab(){}[]\\,1299|*+?", max_size=30))
def test_any_text_has_a_size(pattern: str) -> None:
    assert pattern_size(pattern) >= 0


@pytest.mark.parametrize("pattern", ["a{4000000000}", "(?:a{65535}){65535}", "(?:a{30000}b){30000}"])
def test_a_pattern_that_would_fill_the_memory_is_refused_in_a_sentence(pattern: str) -> None:
    fault = schema_fault({"type": "string", "pattern": pattern})
    assert fault is not None
    assert "repeats too much" in fault


def test_patterns_as_people_write_them_are_taken() -> None:
    mail = r"^[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,125}[A-Za-z]{2,63}$"
    assert pattern_size(mail) <= MAX_PATTERN_SIZE
    assert compiled(mail).search("ada@example.com")
