"""How long it takes to decide where a question goes: classify and score, with 50 providers in its chain."""

from __future__ import annotations

import time
from statistics import median

from benchmarks.figures import Figure, Neighbour, percentile
from benchmarks.promised import promised
from pointsman.classification import Classifier
from pointsman.configuration import Configuration
from pointsman.messages import ContextRecord, Question
from pointsman.model_classifier import ModelClassifier
from pointsman.query_types import QueryType
from pointsman.routing import classify, decide

_PROVIDERS = 50
_WARM_UP = 50
_QUESTIONS = (
    Question(prompt="What is the capital of France?"),
    Question(prompt="Explain why ice floats on water."),
    Question(prompt="Write a short poem about a railway junction."),
    Question(prompt="Write a Python function that reverses a linked list."),
    Question(prompt="Summarize the records.", context=(ContextRecord(id="a", text="All the signals. " * 1000),)),
)


def measure(blocks: int, in_each: int) -> list[Figure]:
    """In this process, without Temporal, on questions of every type.

    The p99 is the median block's: a moment in which the machine did something else spoils one block, not the figure.
    """
    configuration, classifier = _configuration(), ModelClassifier()
    _block_ms(configuration, classifier, _WARM_UP)
    measured = [_block_ms(configuration, classifier, in_each) for _ in range(blocks)]
    return [
        promised(
            "decide_p99_ms",
            f"classify + score, {_PROVIDERS} providers: p99",
            median(percentile(block, 99) for block in measured),
            "ms",
            beside=(Neighbour("decide_p50_ms", "p50", median(percentile(block, 50) for block in measured), "ms"),),
        ),
    ]


def _block_ms(configuration: Configuration, classifier: Classifier, count: int) -> list[float]:
    samples: list[float] = []
    for number in range(count):
        question = _QUESTIONS[number % len(_QUESTIONS)]
        started = time.perf_counter()
        decide(question, classify(question, configuration, classifier), configuration)
        samples.append((time.perf_counter() - started) * 1000)
    return samples


def _configuration() -> Configuration:
    """Every provider passes the filters, so that every one is scored."""
    names = [f"provider-{number:02}" for number in range(_PROVIDERS)]
    providers = {
        name: {
            "model": f"openai/{name}-2026-01-01",
            "tier": "one",
            "reasoning_depth": 1 + number % 5,
            "context_tokens": 100_000,
            "rate_limit_per_minute": 600,
            "price": {"input": 0.1 * (1 + number), "output": 0.4 * (1 + number)},
            "latency": {"p50_ms": 200 + 10 * number, "p95_ms": 1000 + 50 * number},
            "strengths": dict.fromkeys(QueryType, 0.5 + number / 100),
        }
        for number, name in enumerate(names)
    }
    chains = {query_type: {"chain": names} for query_type in QueryType}
    return Configuration.model_validate(
        {"providers": providers, "query_types": chains, "catalogue": {"admission": "declared"}}
    )
