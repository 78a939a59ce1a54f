"""The five kinds of question and how much reasoning each usually takes (dual-provider-reasoning-routing, pattern 1)."""

from enum import StrEnum


class QueryType(StrEnum):
    """What a question asks for; routes, strengths and baselines are kept per query type."""

    SIMPLE_FACTUAL = "simple_factual"
    COMPLEX_REASONING = "complex_reasoning"
    CREATIVE_GENERATION = "creative_generation"
    CODE_TASK = "code_task"
    ANALYSIS = "analysis"


COMPLEXITY: dict[QueryType, float] = {
    QueryType.SIMPLE_FACTUAL: 1.0,
    QueryType.CREATIVE_GENERATION: 2.0,
    QueryType.CODE_TASK: 3.0,
    QueryType.ANALYSIS: 3.5,
    QueryType.COMPLEX_REASONING: 5.0,
}
"""Reasoning depth that a query type needs by the source document, from 1.0 (a look-up) to 5.0 (deep reasoning)."""

EXPECTED_OUTPUT_TOKENS: dict[QueryType, int] = {
    QueryType.SIMPLE_FACTUAL: 80,
    QueryType.CREATIVE_GENERATION: 700,
    QueryType.CODE_TASK: 500,
    QueryType.ANALYSIS: 450,
    QueryType.COMPLEX_REASONING: 600,
}
"""Mean length of an answer per query type: what a price estimate assumes where the question sets no cap.

Declared, not measured: only the order of candidates rests on it, never a limit or a bill.
"""
