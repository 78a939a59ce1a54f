"""What other people rely on: names, options, fields, statuses, types. A change here is a change for them."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

import pytest
from typer.main import get_command

import pointsman
from pointsman import HealthOverview, contract, health_contract
from pointsman.cli.command import app
from pointsman.cli.exits import Exit
from pointsman.contract import TASK_QUEUE, Status
from pointsman.health.overview import KeyOverview
from pointsman.messages import Answer, Question
from workflows.provider_health import ProviderHealth
from workflows.route_and_answer import RouteAndAnswer

NAMES = [
    *("Answer", "Attempt", "AwaitingReview", "Candidate", "CatalogueClient", "CatalogueRefused", "Claim"),
    *("ContextRecord", "Decision", "ErrorClass", "EvalClient", "EvalReport", "EvalRequest", "HealthClient"),
    *("HealthEvent", "HealthLog", "HealthOverview", "IdTaken", "InvalidQuestion", "InvalidUpgrade", "NoServer"),
    *("NoWorker", "Parameters", "PendingReview", "PointsmanError", "ProfileClient", "ProfileReport", "ProfileRequest"),
    *("QueryType", "Question", "QuestionCancelled", "QuestionFailed", "QuestionStatus", "Reconciliation"),
    *("Rejection", "Review", "ReviewClient", "ReviewRecord", "ReviewRefused", "RouteAndAnswer", "RouterClient"),
    *("RunFailed", "RunRefused", "Status", "UnknownProvider", "UnknownQuestion", "UnknownRun", "UpgradeClient"),
    "Usage",
]
OPTIONS = {
    "ask": [
        *("prompt", "--task", "--stakes", "--schema", "--context", "--system", "--deadline", "--max-cost"),
        *("--max-latency-ms", "--max-output-tokens", "--on-exhausted", "--allow", "--deny", "--tenant", "--id"),
        *("--no-wait", "--wait-review", "--json"),
    ],
    "status": ["question_id", "--json"],
    "answer": ["question_id", "--wait-review", "--json"],
    "cancel": ["question_id", "--json"],
    "route": ["prompt", "--file", "--task", "--config", "--json"],
    "compare": ["a", "b", "--question", "--pairs", "--detector", "--json"],
    "check": ["--config", "--json"],
    "reviews": [],
    "reviews list": ["--json"],
    "reviews show": ["question_id", "--full", "--json"],
    "reviews decide": ["question_id", "--choose", "--text", "--reject", "--reviewer", "--note", "--json"],
    "upgrade": [],
    "upgrade start": [
        *("provider", "--model", "--sample", "--daily-cost-cap", "--input-price", "--output-price", "--note"),
        "--json",
    ],
    "upgrade status": ["provider", "--json"],
    "upgrade promote": ["provider", "--share", "--note", "--json"],
    "tune": [
        *("--outcomes", "--scores", "--ledger", "--config", "--keep", "--allow-gaps", "--sample", "--out", "--json")
    ],
    "upgrade rollback": ["provider", "--note", "--json"],
    "catalogue": [],
    "catalogue show": ["--json"],
    "catalogue export": ["file"],
    "catalogue import": ["file", "--note"],
    "catalogue accept": ["provider", "--note"],
    "profile": [],
    "profile run": ["provider", "--samples", "--json"],
    "profile show": ["run_id", "--json"],
    "profile schedule": ["--every", "--remove", "--json"],
    "eval": [],
    "eval run": ["--task", "--provider", "--out", "--against", "--json"],
    "eval show": ["run_id", "--out", "--against", "--json"],
    "explain": ["question_id", "--json"],
    "costs": ["--by", "--since", "--until", "--config", "--json"],
    "health": ["--watch", "--every", "--json"],
    "health events": ["--json"],
    "health open": ["provider", "--note", "--json"],
    "health close": ["provider", "--note", "--json"],
    "health reset": ["provider", "--note", "--json"],
}


def _commands() -> dict[str, Any]:
    """Every command by its words: click groups and commands, which typer does not type."""
    top: dict[str, Any] = dict(getattr(get_command(app), "commands"))  # noqa: B009
    below = {
        f"{name} {inner}": command
        for name, group in top.items()
        for inner, command in getattr(group, "commands", {}).items()
    }
    return top | below


def test_the_public_names_are_these() -> None:
    assert sorted(pointsman.__all__) == NAMES
    assert all(hasattr(pointsman, name) for name in NAMES)


def test_the_commands_and_their_options_are_these() -> None:
    found = {name: [parameter.opts[0] for parameter in command.params] for name, command in _commands().items()}
    assert found == OPTIONS


def test_the_command_tells_its_version() -> None:
    (version,) = [parameter.opts for parameter in get_command(app).params if parameter.name == "version"]
    assert version == ["--version"]


@pytest.mark.parametrize("command", list(OPTIONS))
def test_every_command_explains_itself(command: str) -> None:
    explained = _commands()[command]
    assert explained.help
    assert all(getattr(parameter, "help", None) for parameter in explained.params)


def test_the_exit_statuses_are_these() -> None:
    assert {status.name: int(status) for status in Exit} == {
        "DONE": 0,
        "FAILED": 1,
        "BAD_INPUT": 2,
        "NOT_REACHED": 3,
        "AWAITING_REVIEW": 4,
        "INTERRUPTED": 130,
    }


def test_the_fields_of_a_question_are_these() -> None:
    assert set(Question.model_fields) == {
        *("prompt", "messages", "system", "task", "stakes", "response_schema", "context", "max_output_tokens"),
        *("temperature", "deadline_s", "max_cost_usd", "max_latency_ms", "on_exhausted", "parameters", "budget"),
        *("allow", "deny", "priority", "tenant", "metadata"),
    }


def test_the_fields_of_a_providers_health_are_these() -> None:
    assert set(KeyOverview.model_fields) == {
        *("key", "provider", "model", "configured", "state", "since", "gen", "k", "open_until", "next_probe_at"),
        *("probing", "window_s", "window", "window_before", "run", "counts", "last_failure", "last_probe"),
        *("cooldowns", "calls_left", "flagged_in", "capped_until", "ramp_share", "median_ms", "p95_ms", "samples"),
        *("spent_today_usd", "probes_today_usd", "cap_usd", "in_flight"),
    }
    assert set(HealthOverview.model_fields) == {
        *("epoch", "version", "issued_at", "active_workers", "has_policy", "budget_scale", "budget", "keys"),
        *("processes", "tenants"),
    }


def test_the_fields_of_an_answer_are_these() -> None:
    assert set(Answer.model_fields) == {
        *("status", "text", "parsed", "claims", "tool_calls", "confidence", "provider", "model_requested"),
        *("model_served", "query_type", "classification_confidence", "route_reason", "hedged", "hedge_won"),
        *("finish_reason", "refused", "latency_ms", "usage", "cost_usd", "cost_known", "decision", "attempts"),
        *("verified", "tags", "divergence", "review"),
    }


def test_the_names_in_temporal_are_these() -> None:
    assert TASK_QUEUE == "pointsman"
    assert [str(status) for status in Status] == ["routing", "awaiting_review", "answered", "failed", "cancelled"]
    assert RouteAndAnswer.__name__ == contract.RouteAndAnswer.__name__ == "RouteAndAnswer"
    assert ProviderHealth.__name__ == health_contract.ProviderHealth.__name__ == "ProviderHealth"
    assert health_contract.HEALTH_ENTITY_ID == "provider-health"


def test_every_module_of_the_library_imports_alone() -> None:
    for module in pkgutil.walk_packages(pointsman.__path__, "pointsman."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
