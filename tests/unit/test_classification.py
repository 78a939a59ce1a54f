"""The source document's classifier: patterns, confidence, and the last match winning."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.classification import classify_by_rules
from pointsman.query_types import COMPLEXITY, QueryType

# The source document's patterns word for word.
DOCUMENT_PATTERNS = {
    "simple_factual": r"(what|who|when|where|how many)\b",
    "complex_reasoning": r"(explain|compare|analyze|reason about|why does?)\b",
    "code_task": r"(write|generate|debug|refactor|implement)\b.*(?:code|function|class|script)",
    "creative_generation": r"(write|create|compose|design|imagine)\b.*(?:story|poem|essay|article|content)",
    "analysis": r"(summarize|evaluate|assess|critique|review)\b",
}

words = st.sampled_from(
    [
        "Write",
        "rewrite",
        "writes",
        "create",
        "debug",
        "code",
        "decoder",
        "poem",
        "class",
        "what",
        "review",
        "\n",
        ".",
        "",
    ]
)


def _document_classification(text: str) -> tuple[str, float]:
    found, confidence = "analysis", 0.3
    for query_type, pattern in DOCUMENT_PATTERNS.items():
        if re.search(pattern, text.lower()):
            found, confidence = query_type, 0.7
    return found, confidence


@given(st.lists(words, max_size=12), st.sampled_from(["", " "]))
def test_any_question_is_classified_as_the_document_does(parts: list[str], space: str) -> None:
    text = space.join(parts)
    found = classify_by_rules(text)
    assert (found.query_type, found.confidence) == _document_classification(text)


@pytest.mark.timeout(10)
def test_a_page_of_verbs_without_a_noun_is_read_in_one_pass() -> None:
    for _ in range(200):
        assert classify_by_rules("write create " * 600).confidence == 0.3


@pytest.mark.parametrize(
    ("text", "query_type"),
    [
        ("What is the capital of France?", "simple_factual"),
        ("How many legs has a spider", "simple_factual"),
        ("Explain the tides", "complex_reasoning"),
        ("why does ice float", "complex_reasoning"),
        ("Refactor this class", "code_task"),
        ("Imagine a story about a lighthouse", "creative_generation"),
        ("Assess the plan", "analysis"),
        # The last matching pattern wins, as in the document.
        ("What is a good way to review an essay?", "analysis"),
        ("Write a function that writes a poem", "creative_generation"),
        ("EXPLAIN WHAT THIS IS", "complex_reasoning"),
    ],
)
def test_a_pattern_decides_with_confidence_0_7(text: str, query_type: str) -> None:
    found = classify_by_rules(text)
    assert (found.query_type, found.confidence) == (query_type, 0.7)


@pytest.mark.parametrize("text", ["", "hello there", "ciao", "\x00", "🦆" * 100])
def test_what_matches_nothing_is_analysis_at_0_3(text: str) -> None:
    found = classify_by_rules(text)
    assert (found.query_type, found.confidence) == (QueryType.ANALYSIS, 0.3)


def test_complexity_is_the_documents_map() -> None:
    assert COMPLEXITY == {
        "simple_factual": 1.0,
        "code_task": 3.0,
        "analysis": 3.5,
        "creative_generation": 2.0,
        "complex_reasoning": 5.0,
    }


def test_a_long_question_is_read_at_its_head_and_tail() -> None:
    filler = "lorem ipsum " * 100_000
    assert classify_by_rules(f"Explain this. {filler}").query_type == "complex_reasoning"
    assert classify_by_rules(f"{filler} Explain this.").query_type == "complex_reasoning"
    assert classify_by_rules(f"{filler} Explain this. {filler}").query_type == "analysis"


@given(st.text())
def test_any_text_is_classified(text: str) -> None:
    assert classify_by_rules(text).confidence in {0.3, 0.7}
