"""The configuration that chaos runs with: three equal providers of three protocols, and a route for each way to ask."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from benchmarks.chaos.calls import HEADERS, WORKER
from benchmarks.chaos.schedule import MEMBERS
from benchmarks.stack import DECLARED, provider_table
from pointsman.query_types import QueryType
from workers.embedded.scripted.server import ScriptedProviders

KEY_VARIABLE = "CHAOS_PROVIDER_KEY"
EACH_WORKER = "{worker}"
"""Stands in the text for the name of the process that reads it: each has a file of its own."""
INPUT_USD, OUTPUT_USD = 1.0, 10.0
"""Per million tokens, as `provider_table` says."""
MAX_TOKENS = 1024
"""Of an answer."""
MODELS = {
    "north": "openai/gpt-5.2-2026-08-15",
    "south": "anthropic/claude-sonnet-5-20260801",
    "east": "gemini/gemini-2.5-flash-001",
}
_TIMEOUT_S = 2.0
_ROUTES = """
[routes.one]
chain = ["north", "south", "east"]
order = "chain"

[routes.two]
chain = ["south", "east", "north"]
order = "chain"
hedge = true

[routes.three]
chain = ["east", "north", "south"]
hedge = true

[routes.panel]
chain = ["north", "south", "east"]
stakes = "high"

[routes.majority]
chain = ["north", "south", "east"]
stakes = "high"
fan_out = 3
reconcile = "majority"
"""
# Short waits: what takes minutes elsewhere is to happen many times in a run.
_TABLES = """
[retry]
initial_s = 0.01

[breaker]
open_s = 3.0
probe_interval = 1.0
"""


def document(providers: ScriptedProviders, ledger: Path) -> str:
    """The file's text, with `EACH_WORKER` where the process that reads it is named."""
    told = {**HEADERS, WORKER: EACH_WORKER}
    headers = ", ".join(f'"{name}" = "{value}"' for name, value in told.items())
    tables = [
        provider_table(
            name,
            model=model,
            api_base=providers.api_base(name, model.partition("/")[0]),
            max_tokens=MAX_TOKENS,
            today=datetime.now(UTC).date(),
            strength=0.8,
            latency_ms=(100, 400),
        )
        + f'timeout_s = {_TIMEOUT_S}\napi_key_env = "{KEY_VARIABLE}"\nextra_headers = {{ {headers} }}\n'
        for name, model in MODELS.items()
    ]
    members = ", ".join(f'"{name}"' for name in MEMBERS)
    chains = [f"[query_types.{query_type}]\nchain = [{members}]\n" for query_type in QueryType]
    return "\n".join([DECLARED, *tables, _ROUTES, *chains, _TABLES, f'[ledger]\nurl = "sqlite:///{ledger}"\n'])
