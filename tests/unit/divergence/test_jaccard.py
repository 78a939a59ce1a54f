"""The source document's detector, to the digit."""

from __future__ import annotations

import pytest

from pointsman.divergence.detector import compare
from pointsman.divergence.jaccard import Overlap, overlap
from pointsman.divergence.settings import DivergenceSettings

JACCARD = DivergenceSettings(detector="jaccard")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("one two three", "three two one", Overlap(divergent=False, similarity=1.0, unique_to_a=0, unique_to_b=0)),
        ("One TWO", "one two", Overlap(divergent=False, similarity=1.0, unique_to_a=0, unique_to_b=0)),
        ("a b c d", "a b c d e", Overlap(divergent=False, similarity=0.8, unique_to_a=0, unique_to_b=1)),
        ("a b c", "a b c d", Overlap(divergent=True, similarity=0.75, unique_to_a=0, unique_to_b=1)),
        ("a b", "a c", Overlap(divergent=True, similarity=0.333, unique_to_a=1, unique_to_b=1)),
        ("a a a b", "b a", Overlap(divergent=False, similarity=1.0, unique_to_a=0, unique_to_b=0)),
        ("it is 5", "it is 5.", Overlap(divergent=True, similarity=0.5, unique_to_a=1, unique_to_b=1)),
        ("", "a", Overlap(divergent=True, similarity=0.0)),
        ("", "", Overlap(divergent=True, similarity=0.0)),
        (" \n", "a", Overlap(divergent=True, similarity=0.0)),
    ],
)
def test_the_document_says(a: str, b: str, expected: Overlap) -> None:
    assert overlap(a, b) == expected
    found = compare(a, b, question="Why?", settings=JACCARD)
    assert (found.verdict == "disagree", found.similarity) == (expected.divergent, expected.similarity)
    assert found.detector == "jaccard"


def test_it_compares_before_it_rounds() -> None:
    a, b = " ".join(map(str, range(7999))), " ".join(map(str, range(10_000)))
    assert overlap(a, b) == Overlap(divergent=True, similarity=0.8, unique_to_a=0, unique_to_b=2001)


def test_the_threshold_is_a_setting() -> None:
    assert compare("a b", "a c", settings=DivergenceSettings(detector="jaccard", threshold=0.3)).verdict == "agree"


def test_the_difference_lists_what_only_one_says() -> None:
    (point,) = compare("a z y", "a x", settings=JACCARD).differences
    assert (point.a, point.b) == ("y z", "x")
    assert point.why == "token similarity 0.25 is below 0.8"
