"""What the figures are taken on: an embedded Temporal server, a provider on a socket, and a configuration for both."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from pointsman.query_types import QueryType
from pointsman.search_attributes import register
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import TemporalServer, temporal_server

MODEL = "openai/benchmark-2026-01-01"
PROVIDER = "benchmark"
BASELINE = "baseline"
MAX_TOKENS = 1024
PROMPT = "What is the boiling point of water at sea level?"

# A chain needs a second member; it is weaker, so that every question goes to the first.
_SPARE = "spare"
DECLARED = '[catalogue]\nadmission = "declared"\n'
_PROVIDER_TABLE = """
[providers.{name}]
model = "{model}"
api_base = "{api_base}"
tier = "one"
reasoning_depth = 4.0
context_tokens = 100000
rate_limit_per_minute = 600000
max_output_tokens = {max_tokens}
price = {{ input = 1.0, output = 10.0 }}
latency = {{ p50_ms = {p50_ms}, p95_ms = {p95_ms} }}
declared_at = {today}
strengths = {{ {strengths} }}
"""


@dataclass(frozen=True)
class Stack:
    """A server without workers, a provider that replies at once, and the configuration file that names it."""

    server: TemporalServer
    providers: ScriptedProviders
    config: Path

    @property
    def baseline_api_base(self) -> str:
        """Where the baseline asks: an endpoint of its own on the same provider."""
        return self.providers.api_base(BASELINE, "openai")


@asynccontextmanager
async def stack(folder: Path) -> AsyncGenerator[Stack]:
    """Run it for as long as the block runs, with everything it writes in `folder`."""
    async with temporal_server(folder / "temporal.db") as server:
        await register(server.client)
        with ScriptedProviders.in_thread() as providers:
            config = folder / "router.toml"
            config.write_text(_document(providers), encoding="utf-8")
            yield Stack(server, providers, config)


def provider_table(  # noqa: PLR0913 - a provider's table in the configuration
    name: str,
    *,
    model: str,
    api_base: str,
    max_tokens: int,
    today: date,
    strength: float,
    latency_ms: tuple[int, int] = (500, 1000),
) -> str:
    """A provider as strong for every type of question; the latencies are the declared p50 and p95."""
    return _PROVIDER_TABLE.format(
        name=name,
        model=model,
        api_base=api_base,
        max_tokens=max_tokens,
        today=today,
        strengths=", ".join(f"{query_type} = {strength}" for query_type in QueryType),
        p50_ms=latency_ms[0],
        p95_ms=latency_ms[1],
    )


def _document(providers: ScriptedProviders) -> str:
    tables = [
        provider_table(
            name,
            model=MODEL,
            api_base=providers.api_base(name, "openai"),
            max_tokens=MAX_TOKENS,
            today=datetime.now(UTC).date(),
            strength=strength,
        )
        for name, strength in ((PROVIDER, 0.9), (_SPARE, 0.5))
    ]
    chains = [f'[query_types.{query_type}]\nchain = ["{PROVIDER}", "{_SPARE}"]\n' for query_type in QueryType]
    return "\n".join([DECLARED, *tables, *chains])
