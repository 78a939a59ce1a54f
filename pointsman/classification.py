"""What kind of question is this? The rules of dual-provider-reasoning-routing, pattern 1, behind a one-method port.

>>> classify_by_rules("Compare the two drafts").query_type
<QueryType.COMPLEX_REASONING: 'complex_reasoning'>
"""

from __future__ import annotations

import re
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from pointsman.query_types import COMPLEXITY, QueryType

ClassifierName = Literal["rules", "model", "llm"]
"""Who may classify, as `[classification] by` names them."""

UNKNOWN_CONFIDENCE = 0.3
MATCH_CONFIDENCE = 0.7

# Written order matters: the source lets the last matching pattern win (DESIGN ruling 2 keeps that). The patterns are
# its own, but those of verb and noun look on from a line's first verb only: from each one takes the length squared.
_PATTERNS: tuple[tuple[QueryType, re.Pattern[str]], ...] = (
    (QueryType.SIMPLE_FACTUAL, re.compile(r"(what|who|when|where|how many)\b")),
    (QueryType.COMPLEX_REASONING, re.compile(r"(explain|compare|analyze|reason about|why does?)\b")),
    (
        QueryType.CODE_TASK,
        re.compile(r"(?m)^(?>.*?(write|generate|debug|refactor|implement)\b).*?(?:code|function|class|script)"),
    ),
    (
        QueryType.CREATIVE_GENERATION,
        re.compile(r"(?m)^(?>.*?(write|create|compose|design|imagine)\b).*?(?:story|poem|essay|article|content)"),
    ),
    (QueryType.ANALYSIS, re.compile(r"(summarize|evaluate|assess|critique|review)\b")),
)

READ_CHARACTERS = 8_000
"""How much of a long question the rules read: its head and its tail, half each. Keeps them under 5 ms for any size."""


class Classification(BaseModel):
    """A question's kind, how sure that is (0.3 to 1.0) and how much reasoning it needs (1.0 to 5.0)."""

    model_config = ConfigDict(frozen=True)

    query_type: QueryType
    confidence: float
    complexity: float
    classifier: str = "rules"
    """Who decided: "model", "rules", "llm", or "route" where a task fixes the query type."""


class Classifier(Protocol):
    """The port for classifiers that run inside the worker, without network."""

    def classify(self, text: str) -> Classification:
        """Classify the question's text; never raises for any text."""
        ...


class RuleClassifier:
    """The source document's rules as a `Classifier`."""

    def classify(self, text: str) -> Classification:
        """Classify by keyword patterns; what matches none is analysis at 0.3."""
        return classify_by_rules(text)


def classify_by_rules(text: str) -> Classification:
    """Classify by the source document's patterns: the last match wins at 0.7, no match is analysis at 0.3."""
    matches = rule_matches(text)
    if not matches:
        return of_type(QueryType.ANALYSIS, UNKNOWN_CONFIDENCE)
    return of_type(matches[-1][0], MATCH_CONFIDENCE)


def rule_matches(text: str) -> list[tuple[QueryType, str]]:
    """The types whose pattern matches, in the order of the patterns, each with the words that it matched."""
    lowered = _head_and_tail(text).lower()
    found = ((query_type, pattern.search(lowered)) for query_type, pattern in _PATTERNS)
    return [(query_type, match[0]) for query_type, match in found if match is not None]


def of_type(query_type: QueryType, confidence: float, classifier: str = "rules") -> Classification:
    """A classification with the query type's usual complexity."""
    return Classification(
        query_type=query_type, confidence=confidence, complexity=COMPLEXITY[query_type], classifier=classifier
    )


def _head_and_tail(text: str) -> str:
    if len(text) <= READ_CHARACTERS:
        return text
    half = READ_CHARACTERS // 2
    return f"{text[:half]}\n{text[-half:]}"
