"""Small values to test with: every builder gives a valid one, and takes what the test is about."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pointsman.call import Completion, ProviderCall
from pointsman.candidacy import Candidacy
from pointsman.circumstances import Circumstances
from pointsman.classification import of_type
from pointsman.configuration import Configuration, Route, Scoring
from pointsman.decision import Candidate, Decision, RetrySchedule
from pointsman.ledger.entry import LedgerEntry
from pointsman.messages import Question
from pointsman.outcomes import Attempt, Usage
from pointsman.provider import Provider
from pointsman.query_types import QueryType
from pointsman.routing import decide

QUERY_TYPES = tuple(str(query_type) for query_type in QueryType)


def provider_table(**changes: Any) -> dict[str, Any]:
    """A table `[providers.x]` as TOML gives it."""
    return {
        "model": "openai/model-2026-01-01",
        "api_base": "http://127.0.0.1:9/v1",
        "tier": "one",
        "reasoning_depth": 5.0,
        "context_tokens": 100_000,
        "rate_limit_per_minute": 600,
        "supports": ["json_schema"],
        "price": {"input": 1.0, "output": 10.0},
        "latency": {"p50_ms": 500, "p95_ms": 1000},
        "declared_at": datetime.now(UTC).date().isoformat(),
        **changes,
    }


def document(providers: dict[str, dict[str, Any]] | None = None, **tables: Any) -> dict[str, Any]:
    """A whole configuration as TOML gives it: by default alpha and beta, in one chain for every query type."""
    listed = providers or {"alpha": provider_table(), "beta": provider_table()}
    chain = {"chain": list(listed)}
    # The rules: what a question of a test is taken for does not hang on how the model was trained.
    settled = {"catalogue": {"admission": "declared"}, "classification": {"by": "rules"}}
    return {"providers": listed, "query_types": dict.fromkeys(QUERY_TYPES, chain), **settled, **tables}


def configuration(providers: dict[str, dict[str, Any]] | None = None, **tables: Any) -> Configuration:
    return Configuration.model_validate(document(providers, **tables))


def write_configuration(folder: Path, **tables: Any) -> Path:
    """The same as a file."""
    path = folder / "router.toml"
    lines = [f"{name} = {_toml(table)}\n" for name, table in document(**tables).items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + "}"
    return value.isoformat() if isinstance(value, date) else json.dumps(value)


def provider(**changes: Any) -> Provider:
    return Provider.model_validate(provider_table(**changes))


def candidate(name: str = "alpha", question: Question | None = None, **changes: Any) -> Candidate:
    """A provider of this table as a candidate for an analysis question."""
    candidacy = Candidacy(
        question or Question(prompt="hello"),
        of_type(QueryType.ANALYSIS, 0.3),
        Route(chain=(name, "other")),
        Scoring(),
        schema=question.response_schema if question else None,
    )
    weighed = candidacy.weigh(name, provider(**changes))
    assert isinstance(weighed, Candidate)
    return weighed


def decision(
    question: Question | None = None,
    settings: Configuration | None = None,
    circumstances: Circumstances | None = None,
    query_type: QueryType = QueryType.ANALYSIS,
) -> Decision:
    asked = question or Question(prompt="hello")
    return decide(asked, of_type(query_type, 0.7), settings or configuration(), circumstances)


def call(asked: Question | None = None, **changes: Any) -> ProviderCall:
    """A call to the candidate alpha; `changes` are those of its provider."""
    question = asked or Question(prompt="hello")
    return ProviderCall(
        question=question,
        candidate=candidate(question=question, **changes),
        retry=RetrySchedule(),
        last_candidate=False,
    )


def attempt(provider: str = "alpha", **fields: Any) -> Attempt:
    """An attempt that answered for a tenth of a cent."""
    told: dict[str, Any] = {
        "model": "openai/model-2026-01-01",
        "attempt": 1,
        "outcome": "answered",
        "usage": Usage(input_tokens=10, output_tokens=5, source="reported"),
        "cost_usd": 0.001,
        **fields,
    }
    return Attempt(provider=provider, **told)


def completion(text: str = "yes", **fields: Any) -> Completion:
    """A usable answer at confidence 0.9 after one attempt."""
    told: dict[str, Any] = {"confidence": 0.9, "finish_reason": "stop", "attempts": (attempt(),), **fields}
    return Completion(text=text, **told)


NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def ledger_entry(number: int = 1, **fields: Any) -> LedgerEntry:
    """The row of alpha's attempt of this number, reported at `NOON` for a tenth of a cent."""
    told: dict[str, Any] = {
        "workflow_id": "q",
        "run_id": "r",
        "leg": "1",
        "attempt": number,
        "provider": "alpha",
        "model": "openai/model-2026-01-01",
        "outcome": "answered",
        "started_at": NOON,
        "input_tokens": 10,
        "output_tokens": 5,
        "usage_source": "reported",
        "cost_nano_usd": 1_000_000,
        **fields,
    }
    return LedgerEntry(**told)
